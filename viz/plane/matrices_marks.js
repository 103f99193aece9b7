// Marking a cell or a label in every panel that has the same labels.

/** Per panel, the row and the column that stand for one cell's. */
function placesOfCell({ panels }, index, row, column) {
  const { rowAxis, columnAxis } = panels[index];
  const same = (axis, first, second) => {
    if (axis.id === first.axis.id) return positionOf(axis, first.link);
    // Words that are rows here may be columns there; numbers of rows are no numbers of columns.
    return axis.side && axis.id === second.axis.id ? positionOf(axis, second.link) : null;
  };
  const [ofRow, ofColumn] = [[rowAxis, row], [columnAxis, column]].map(
    ([axis, at]) => ({ axis, link: linkOf(axis, at) }));
  return panels.map((panel) => ({
    row: same(panel.rowAxis, ofRow, ofColumn), column: same(panel.columnAxis, ofColumn, ofRow),
  }));
}

/** Per panel, the row and the column with the label pointed at. */
function placesOfLabel({ panels }, { axis: id, which, link, side }) {
  const at = (panel, of) =>
    panel[of].id === Number(id) && (side || of === which) ? positionOf(panel[of], Number(link)) : null;
  return panels.map((panel) => ({ row: at(panel, "rowAxis"), column: at(panel, "columnAxis") }));
}

/** Mark these places and nothing else. */
function mark(state, places) {
  for (const node of state.marked) node.classList.remove("marked");
  state.marked = [];
  state.figures.forEach((figure, i) => {
    const { view } = figure;
    const row = inView(places?.[i].row, view.row, view.rows);
    const column = inView(places?.[i].column, view.column, view.columns);
    markLabel(state, i, "rowAxis", row == null ? null : view.row + row);
    markLabel(state, i, "columnAxis", column == null ? null : view.column + column);
    placeBand(figure.rowBand, row, view);
    placeBand(figure.columnBand, column, view);
  });
}

function markLabel(state, index, which, position) {
  const figure = state.figures[index];
  const [node, labels] = which === "rowAxis"
    ? [figure.rows, figure.rowLabels] : [figure.columns, figure.columnLabels];
  const make = (at) => axisLabel(state, index, which, at);
  const token = labelAt(node, labels, position, make)?.firstElementChild;
  if (!token) return;
  token.classList.add("marked");
  state.marked.push(token);
}

/** Put a frame around one cell of one panel, and around none of the others. */
function placeFrame(state, name, place) {
  state.figures.forEach((figure, i) => {
    const { [name]: frame, view } = figure;
    frame.hidden = place?.panel !== i || !isInView(view, [place.row, place.column]);
    if (frame.hidden) return;
    frame.style.setProperty("--row", Math.floor((place.row - view.row) / view.pool));
    frame.style.setProperty("--column", Math.floor((place.column - view.column) / view.pool));
  });
}

/** The frame around the cell that the page has selected. */
function placeChosen(state) {
  const [panel, row, column] = state.view.selected ?? [];
  placeFrame(state, "chosen", state.view.selected && { panel, row, column });
}
