// Pointer and keyboard. Handlers are properties: setting them again replaces them.

const panelAt = (node) => Number(node.closest(".panel").dataset.panel);

function answerPointer(state) {
  const { root } = state;
  root.onpointermove = (event) => {
    const label = event.target.closest("[data-axis]");
    const { clientX, clientY } = event;
    state.hover = null;
    if (event.target.closest(".cells")) {
      state.hover = { ...cellUnder(state, event), point: { clientX, clientY } };
    }
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
    if (!event.target.closest(".cells")) return;
    state.cursor = cellUnder(state, event);
    pick(state, state.cursor);
  };
}

function answerKeys(state) {
  state.root.onkeydown = (event) => {
    if (event.key === "Escape") hideTooltip(state);
    if (!event.target.matches(".cells")) return;
    const panel = panelAt(event.target);
    const { row, column } = cursorIn(state, panel);
    if (event.key === "Enter") return pick(state, { panel, row, column });
    const { pool, down, across } = state.layout.panels[panel];
    const moved = movedBy(event, Math.floor(row / pool), Math.floor(column / pool), down, across);
    if (moved) moveCursor(state, cellOfBlock(state, panel, ...moved));
  };
}

/** Each panel's own: there is no handler property that hears of the focus from below. */
function answerFocus(state, panel, cells) {
  cells.onfocus = () => {
    // Only for the keyboard: a click says itself which cell it means.
    if (cells.matches(":focus-visible")) moveCursor(state, cursorIn(state, panel));
  };
  cells.onblur = () => {
    state.cursor = null;
    refresh(state);
  };
}

/** The keyboard's cell in a panel: the first until it has moved there. */
const cursorIn = ({ cursor }, panel) =>
  (cursor?.panel === panel ? cursor : { panel, row: 0, column: 0 });

function cellOfBlock({ view, layout }, panel, down, across) {
  const [row, column] = largestOfBlock(
    view.panels[panel], layout.panels[panel].pool, down, across);
  return { panel, row, column };
}

function cellUnder(state, event) {
  const panel = panelAt(event.target);
  const box = state.figures[panel].cells.getBoundingClientRect();
  const { cellWidth, cellHeight, down, across } = state.layout.panels[panel];
  const inside = (offset, size, count) =>
    Math.min(count - 1, Math.max(0, Math.floor(offset / size)));
  return cellOfBlock(
    state, panel, inside(event.clientY - box.top, cellHeight, down),
    inside(event.clientX - box.left, cellWidth, across));
}

/** Tell the page which cell was chosen, if it wants to know. */
function pick({ view, send }, { panel, row, column }) {
  if (view.picks) send("pick", { panel, row, column });
}

function moveCursor(state, cell) {
  state.cursor = cell;
  state.hover = null;
  refresh(state);
  const lines = [...state.nodes.tooltip.children].map((line) => line.textContent);
  state.nodes.live.textContent = lines.join(". ");
}

/** What is marked now: the cell under the pointer, else the keyboard's, else nothing. */
function refresh(state) {
  const { hover, cursor } = state;
  if (hover) return showCell(state, hover, hover.point);
  if (cursor) return showCell(state, cursor, besideCell(state, cursor));
  mark(state, null);
  placeFrame(state, "cursor", null);
  return hideTooltip(state);
}

function besideCell({ figures, layout }, { panel, row, column }) {
  const box = figures[panel].cells.getBoundingClientRect();
  const { rowStep, columnStep } = layout.panels[panel];
  return {
    clientX: box.left + (column + 1) * columnStep, clientY: box.top + (row + 1) * rowStep,
  };
}

function showLabel(state, label) {
  mark(state, placesOfLabel(state.view, label.dataset));
  placeFrame(state, "cursor", null);
  hideTooltip(state);
}

function showCell(state, cell, point) {
  const { view } = state;
  const { row, column } = cell;
  const panel = view.panels[cell.panel];
  mark(state, placesOfCell(view, cell.panel, row, column));
  placeFrame(state, "cursor", cell);
  const word = ([text]) => element("bdi", "", text);
  const lines = [element("span", "line")];
  lines[0].append(...fillParts(view.texts.cell, {
    row: word(panel.rowAxis.labels[row]),
    column: word(panel.columnAxis.labels[column]),
    value: element("b", "", valueText(panel, row, column)),
  }));
  if (panel.texts) {
    lines.push(element("span", "line"));
    lines[1].append(word([panel.texts[row][column]]));
  }
  showTooltip(state, lines, point);
}
