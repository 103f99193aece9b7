// Marking a token wherever it stands: in sentences, on axes, beside strips.

import { labelAt, placeBand } from "../component/plot.js";
import { bringIntoView } from "../component/tokens.js";
import { poolsOf } from "./cells.js";
import { axisLabel } from "./panel.js";
import { linkOf, positionOf } from "./payload.js";
import { inView, isInView } from "./zoom.js";

/** What stands for a cell: per panel a row and a column, and tokens of the sentences. */
export function placesOfCell({ panels, followed }, { panel: index, row, column }) {
  const { rowAxis, columnAxis } = panels[index];
  const first = followed ?? { axis: rowAxis.id, link: linkOf(rowAxis, row) };
  const second = { axis: columnAxis.id, link: linkOf(columnAxis, column) };
  const same = (axis, own, other) => {
    if (axis.id === null) return null;
    if (axis.id === own.axis) return positionOf(axis, own.link);
    // Words that are rows here may be columns there; numbers of rows are no numbers of columns.
    return axis.side && axis.id === other.axis ? positionOf(axis, other.link) : null;
  };
  const predicts = rowAxis.then.length > 0;
  return {
    panels: panels.map((panel) => ({
      row: same(panel.rowAxis, first, second), column: same(panel.columnAxis, second, first),
      then: predicts ? row : null,
    })),
    chips: [first, second],
    soft: predicts ? [{ axis: "target", link: row + 1 }] : [],
  };
}

/** What stands for a token, or for a number of one axis. */
export function placesOfToken({ panels }, { axis, side, index, which, link }) {
  const token = { axis: axis ?? side, link: Number(link ?? index) };
  const at = (panel, of) => (panel[of].id === token.axis && (side || of === which)
    ? positionOf(panel[of], token.link) : null);
  return {
    panels: panels.map((panel) => ({
      row: at(panel, "rowAxis"), column: at(panel, "columnAxis"),
      // The token just predicted is fed to the next row.
      then: panel.rowAxis.then.length && token.axis === "target" ? token.link - 1 : null,
    })),
    chips: [token], soft: [],
  };
}

/** Mark these places and nothing else. */
export function mark(state, places) {
  for (const node of state.marked) node.classList.remove("marked", "soft");
  state.marked = [];
  const add = (node, ...names) => {
    if (!node) return;
    node.classList.add("marked", ...names);
    state.marked.push(node);
  };
  for (const { axis, link } of places?.chips ?? []) {
    add(state.chips?.[axis]?.[link]);
    bringIntoView(state.chips?.[axis]?.[link]);
  }
  for (const { axis, link } of places?.soft ?? []) add(state.chips?.[axis]?.[link], "soft");
  state.figures.forEach((figure, i) => {
    const { view } = figure;
    const place = places?.panels[i];
    const row = inView(place?.row, view.row, view.rows);
    const column = inView(place?.column, view.column, view.columns);
    const label = (node, labels, which, position, at) =>
      labelAt(node, labels, at == null ? null : position, (of) => axisLabel(state, i, which, of));
    add(label(figure.rows, figure.rowLabels, "rowAxis", place?.row, row)?.firstElementChild);
    add(label(
      figure.columns, figure.columnLabels, "columnAxis", place?.column, column)?.firstElementChild);
    if (place?.then != null) add(figure.rowLabels.get(place.then)?.lastElementChild, "soft");
    const [rowPool, pool] = poolsOf(view);
    placeBand(figure.rowBand, row, rowPool);
    placeBand(figure.columnBand, column, pool);
    if (column == null) return;
    for (const node of figure.tops.querySelectorAll(`[data-index="${place.column}"]`)) add(node);
  });
}

/** Put a frame around one cell of one panel, and around none of the others. */
export function placeFrame(state, name, place) {
  state.figures.forEach((figure, i) => {
    const { [name]: frame, view } = figure;
    frame.hidden = place?.panel !== i || !isInView(view, [place.row, place.column]);
    if (frame.hidden) return;
    const [rowPool, pool] = poolsOf(view);
    frame.style.setProperty("--row", Math.floor((place.row - view.row) / rowPool));
    frame.style.setProperty("--column", Math.floor((place.column - view.column) / pool));
  });
}

/** The frame around the cell that the page has selected. */
export function placeChosen(state) {
  const [panel, row, column] = state.view.selected ?? [];
  placeFrame(state, "chosen", state.view.selected && { panel, row, column });
}
