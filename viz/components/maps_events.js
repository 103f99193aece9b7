// Pointer and keyboard. Handlers are properties: setting them again replaces them.

function answerPointer(state) {
  const { root, nodes } = state;
  root.onpointermove = (event) => {
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
    if (event.target.closest(".cells")) state.cursor = cellUnder(state, event);
  };
  nodes.cells.onblur = () => {
    state.cursor = null;
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
    if (nodes.cells.matches(":focus-visible")) moveCursor(state, state.cursor ?? [0, 0]);
  };
  nodes.cells.onkeydown = (event) => {
    if (event.key === "Escape") return hideTooltip(state);
    const { pool, down, across } = state.layout.map;
    const [row, column] = (state.cursor ?? [0, 0]).map((i) => Math.floor(i / pool));
    const moved = movedBy(event, row, column, down, across);
    if (moved) moveCursor(state, largestOfBlock(state, ...moved));
  };
}

/** Show another head at once; the server learns of it and sends that head's exact weights. */
function pick(state, layer, head) {
  Object.assign(state, { layer, head, pending: { layer, head, since: performance.now() } });
  drawSelection(state);
  state.nodes.live.textContent = state.nodes.cellCanvas.ariaLabel;
  state.send("pick", { layer, head });
}

function cellUnder(state, event) {
  const box = state.nodes.cells.getBoundingClientRect();
  const { size, down, across } = state.layout.map;
  const inside = (offset, count) => Math.min(count - 1, Math.max(0, Math.floor(offset / size)));
  return largestOfBlock(
    state, inside(event.clientY - box.top, down), inside(event.clientX - box.left, across));
}

/** The weight that gives a pixel its colour: the largest of those that share it. */
function largestOfBlock({ maps, layer, head, layout }, down, across) {
  const { pool } = layout.map;
  const start = headStart(maps, layer, head);
  let [best, found] = [-1, null];
  for (let row = down * pool; row < Math.min(maps.rows, (down + 1) * pool); row += 1) {
    const end = Math.min(maps.columns, (across + 1) * pool);
    for (let column = across * pool; column < end; column += 1) {
      const cell = row * maps.columns + column;
      const weight = maps.visible[cell] ? maps.weights[start + cell] : -1;
      if (!found || weight > best) [best, found] = [weight, [row, column]];
    }
  }
  return found;
}

function moveCursor(state, cell) {
  state.cursor = cell;
  rest(state);
  const lines = [...state.nodes.tooltip.children].map((line) => line.textContent);
  state.nodes.live.textContent = lines.join(". ");
}

/** What is marked while nothing is pointed at: the keyboard's cell, if there is one. */
function rest(state) {
  const { cursor, nodes, layout } = state;
  if (!cursor) {
    mark(state, null);
    nodes.cursor.hidden = true;
    return hideTooltip(state);
  }
  const { perToken } = layout.map;
  const box = nodes.cells.getBoundingClientRect();
  return showCell(state, ...cursor, {
    clientX: box.left + (cursor[1] + 1) * perToken,
    clientY: box.top + (cursor[0] + 1) * perToken,
  });
}

function showToken(state, node) {
  mark(state, placesOfToken(state.maps, node.dataset.side, Number(node.dataset.index)));
  state.nodes.cursor.hidden = true;
  hideTooltip(state);
}

function showCell(state, row, column, point) {
  const { maps, nodes, layer, head, layout } = state;
  mark(state, placesOfCell(maps, row, column));
  nodes.cursor.hidden = false;
  nodes.cursor.style.setProperty("--row", Math.floor(row / layout.map.pool));
  nodes.cursor.style.setProperty("--column", Math.floor(column / layout.map.pool));
  const word = ([text]) => element("bdi", "", text);
  const lines = [element("span", "line"), element("span", "line quiet")];
  lines[0].append(...fillParts(maps.texts.cell, {
    query: word(maps.queries[row]),
    key: word(maps.keys[column]),
    weight: element("b", "", weightText(maps, layer, head, row, column)),
  }));
  if (maps.decoder) {
    lines[1].append(...fillParts(maps.texts["row.decoder"], {
      fed: word(maps.queries[row]), predicted: word(maps.predicted[row]),
    }));
  }
  showTooltip(state, maps.decoder ? lines : lines.slice(0, 1), point);
}
