// What is pointed at: finding the cell, marking it, and saying its number.

function cellOfBlock({ figures }, panel, down, across) {
  const { part, view } = figures[panel];
  const cell = largestCell(part, view.pool, down, across);
  const row = Math.floor(cell / part.columns);
  return { panel, row: view.row + row, column: view.column + (cell % part.columns) };
}

function cellUnder(state, panel, event) {
  const { cells, view } = state.figures[panel];
  const { down, across } = pointIn(cells, event);
  const inside = (offset, size, count) =>
    Math.min(count - 1, Math.max(0, Math.floor(offset / size)));
  return cellOfBlock(
    state, panel, inside(down, view.cellHeight, view.down), inside(across, view.cellWidth, view.across));
}

/** Show the cell under a pointer. */
function pointAt(state, panel, event) {
  const { clientX, clientY } = event;
  state.hover = { ...cellUnder(state, panel, event), point: { clientX, clientY } };
  refresh(state);
}

function moveCursor(state, cell) {
  [state.cursor, state.hover, state.closed] = [cell, null, false];
  const plane = planeOf(state, cell.panel);
  showWindow(state, cell.panel, windowIncluding(plane, [cell.row, cell.column]));
  refresh(state);
  say(state);
}

/** Have screen readers say something, and the number of the keyboard's cell after it. */
function say({ nodes, cursor }, ...first) {
  const lines = cursor && !nodes.tooltip.hidden ? [...nodes.tooltip.children] : [];
  nodes.live.textContent = [...first, ...lines.map((line) => line.textContent)].join(". ");
}

/** What is marked now: the cell under the pointer, else the keyboard's, else nothing. */
function refresh(state) {
  const { hover, cursor, figures } = state;
  if (hover) return showCell(state, hover, hover.point);
  if (!cursor || !isInView(figures[cursor.panel].view, [cursor.row, cursor.column])) {
    return showNothing(state);
  }
  showCell(state, cursor, besideCell(state, cursor));
  return state.closed && hideTooltip(state);
}

function showNothing(state) {
  mark(state, null);
  placeFrame(state, "cursor", null);
  hideTooltip(state);
}

function besideCell({ figures }, { panel, row, column }) {
  const { cells, view } = figures[panel];
  const box = cells.getBoundingClientRect();
  return {
    clientX: box.left + (column - view.column + 1) * view.columnStep,
    clientY: box.top + (row - view.row + 1) * view.rowStep,
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
  const more = (panel.details ?? panel.texts)?.[row][column];
  if (more?.trim()) {
    lines.push(element("span", "line"));
    lines[1].append(panel.details ? more : word([more]));
  }
  // Where there are many, nobody counts which word it is.
  if (state.layout.panels[cell.panel].zoomable && panel.rowAxis.side && panel.columnAxis.side) {
    lines.push(element("span", "line quiet", fill(view.texts.place, { row, column })));
  }
  showTooltip(state, lines, point);
}
