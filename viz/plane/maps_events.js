// Pointer and keyboard. Handlers are properties: setting them again replaces them.

function answerPointer(state) {
  const { root, nodes } = state;
  root.onpointermove = (event) => {
    if (drag(state, event)) return;
    const tile = event.target.closest(".tile");
    const token = event.target.closest("[data-side]");
    if (event.target.closest(".cells")) showCell(state, ...cellUnder(state, event), event);
    else if (token) showToken(state, token);
    else rest(state);
    if (tile) showTooltip(state, [tile.ariaLabel], event);
  };
  root.onpointerleave = () => rest(state);
  root.onclick = (event) => {
    const tile = event.target.closest(".tile");
    if (tile) pick(state, Number(tile.dataset.layer), Number(tile.dataset.head));
    const tools = event.target.closest(".tools button");
    if (tools) saveFigure(state, tools.parentElement.dataset.figure, tools.className);
    // The click that ends a drag means no cell.
    if (!event.target.closest(".cells") || state.drag?.ended) return;
    [state.cursor, state.closed] = [cellUnder(state, event), false];
    rest(state);
  };
  nodes.cells.onblur = () => {
    [state.lastCursor, state.cursor] = [state.cursor, null];
    rest(state);
  };
}

function answerKeys(state) {
  const { nodes } = state;
  nodes.tiles.onkeydown = (event) => {
    const { layer, head } = event.target.dataset;
    const { layers, heads } = state.maps;
    const moved = movedBy(event, Number(layer), Number(head), layers, heads);
    if (!moved) return;
    const tile = nodes.tiles.children[moved[0] * heads + moved[1]];
    tile.focus();
    showTooltip(state, [tile.ariaLabel], besides(tile));
  };
  // Chromium knows it as an event only; a root is given its listeners once.
  nodes.tiles.addEventListener("focusout", () => rest(state));
  nodes.cells.onfocus = () => {
    // Only for the keyboard: a click says itself which cell it means.
    if (nodes.cells.matches(":focus-visible")) moveCursor(state, startOfKeys(state));
  };
  nodes.cells.onkeydown = (event) => {
    if (event.key === "Escape") return escape(state);
    if (zoomByKey(state, event)) return;
    const { maps, view } = state;
    const [row, column] = startOfKeys(state);
    if (view.pool === 1) {
      const moved = movedBy(event, row, column, maps.rows, maps.columns);
      if (moved) moveCursor(state, moved);
      return;
    }
    const block = (at, first) => Math.floor((at - first) / view.pool);
    const moved = movedBy(
      event, block(row, view.row), block(column, view.column), view.down, view.across);
    if (moved) moveCursor(state, largestOfBlock(state, ...moved));
  };
}

/** Where keys begin: at the keyboard's cell, where it was, or at the first that is shown. */
function startOfKeys({ cursor, lastCursor, view }) {
  return cursor ?? (lastCursor && isInView(view, lastCursor) ? lastCursor : [view.row, view.column]);
}

/** Escape: close the tooltip; where it is closed, show the whole map again. */
function escape(state) {
  state.closed = true;
  if (!state.nodes.tooltip.hidden) return hideTooltip(state);
  if (!state.zoom) return;
  showWindow(state, null);
  say(state, partText(state));
}

/** Show another head at once; the server learns of it and sends that head's exact weights. */
function pick(state, layer, head) {
  Object.assign(state, { layer, head, pending: { layer, head, since: performance.now() } });
  drawSelection(state);
  state.nodes.live.textContent = state.nodes.cellCanvas.ariaLabel;
  state.send("pick", { layer, head });
}
