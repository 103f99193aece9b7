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
    const { row, column } = places?.[i] ?? {};
    markLabel(state, figure.rows, figure.rowLabels, row, (at) => axisLabel(state, i, "rowAxis", at));
    markLabel(
      state, figure.columns, figure.columnLabels, column, (at) => axisLabel(state, i, "columnAxis", at));
    placeBand(figure.rowBand, row, state.layout.panels[i]);
    placeBand(figure.columnBand, column, state.layout.panels[i]);
  });
}

function markLabel(state, node, labels, position, make) {
  const token = labelAt(node, labels, position, make)?.firstElementChild;
  if (!token) return;
  token.classList.add("marked");
  state.marked.push(token);
}

/** Put a frame around one cell of one panel, and around none of the others. */
function placeFrame(state, name, place) {
  state.figures.forEach((figure, i) => {
    const frame = figure[name];
    frame.hidden = place?.panel !== i;
    if (frame.hidden) return;
    const { pool } = state.layout.panels[i];
    frame.style.setProperty("--row", Math.floor(place.row / pool));
    frame.style.setProperty("--column", Math.floor(place.column / pool));
  });
}
