// Pointer and keyboard. Handlers are properties: setting them again replaces them.

const panelAt = (node) => Number(node.closest(".panel").dataset.panel);

function answerPointer(state) {
  const { root } = state;
  root.onpointermove = (event) => {
    if (drag(state, event)) return;
    const label = event.target.closest("[data-axis]");
    state.hover = null;
    if (event.target.closest(".cells")) return pointAt(state, panelAt(event.target), event);
    if (label) showLabel(state, label);
    else refresh(state);
  };
  root.onpointerleave = () => {
    state.hover = null;
    refresh(state);
  };
  root.onclick = (event) => {
    if (event.target.closest(".png")) savePicture(state, panelAt(event.target));
    if (event.target.closest(".svg")) saveVectors(state, panelAt(event.target));
    if (event.target.closest(".csv")) saveTable(state, panelAt(event.target));
    const button = event.target.closest("[data-zoom]");
    if (button) zoomBy(state, panelAt(button), button.dataset.zoom);
    // The click that ends a drag means no cell.
    if (!event.target.closest(".cells") || state.figures[panelAt(event.target)].drag?.ended) return;
    [state.cursor, state.closed] = [cellUnder(state, panelAt(event.target), event), false];
    pick(state, state.cursor);
  };
}

function answerKeys(state) {
  state.root.onkeydown = (event) => {
    if (event.key === "Escape") return escape(state, event.target);
    if (!event.target.matches(".cells")) return;
    const panel = panelAt(event.target);
    if (zoomByKey(state, panel, event)) return;
    const [row, column] = startOfKeys(state, panel);
    if (event.key === "Enter") return pick(state, { panel, row, column });
    moveByKey(state, panel, event);
  };
}

/** From cell to cell of all there are; where several share a pixel, from pixel to pixel. */
function moveByKey(state, index, event) {
  const { rows, columns } = state.view.panels[index];
  const { view } = state.figures[index];
  const [row, column] = startOfKeys(state, index);
  if (view.pool === 1) {
    const moved = movedBy(event, row, column, rows, columns);
    if (moved) moveCursor(state, { panel: index, row: moved[0], column: moved[1] });
    return;
  }
  const block = (at, first) => Math.floor((at - first) / view.pool);
  const moved = movedBy(
    event, block(row, view.row), block(column, view.column), view.down, view.across);
  if (moved) moveCursor(state, cellOfBlock(state, index, ...moved));
}

/** Each panel's own: there is no handler property that hears of the focus from below. */
function answerFocus(state, panel, cells) {
  cells.onfocus = () => {
    // Only for the keyboard: a click says itself which cell it means.
    if (!cells.matches(":focus-visible")) return;
    const [row, column] = startOfKeys(state, panel);
    moveCursor(state, { panel, row, column });
  };
  cells.onblur = () => {
    const { cursor } = state;
    if (cursor?.panel === panel) state.figures[panel].lastCursor = [cursor.row, cursor.column];
    state.cursor = null;
    refresh(state);
  };
}

/** Where keys begin in a panel: at the keyboard's cell, where it was, or at the first shown. */
function startOfKeys({ cursor, figures }, index) {
  if (cursor?.panel === index) return [cursor.row, cursor.column];
  const { lastCursor, view } = figures[index];
  return lastCursor && isInView(view, lastCursor) ? lastCursor : [view.row, view.column];
}

/** Tell the page which cell was chosen, if it wants to know. */
function pick({ view, send }, { panel, row, column }) {
  if (view.picks) send("pick", { panel, row, column });
}
