// Marking a token wherever it stands: in sentences, on axes, beside strips; one may be kept marked.

import { labelAt, placeBand } from "../component/plot.js";
import { bringIntoView } from "../component/tokens.js";
import { poolsOf } from "./cells.js";
import { panelAt, refresh } from "./events.js";
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

/** What stands for the kept word, or else for the one that the page speaks of, if any. */
export function placesOfPin({ panels, pin, spoken }) {
  if (!pin && !spoken) return null;
  const [side, index] = pin ?? spoken;
  const at = (axis) => (axis.side === side && index < axis.labels.length ? index : null);
  return {
    panels: panels.map(({ rowAxis, columnAxis }) => ({
      row: at(rowAxis), column: at(columnAxis),
      then: rowAxis.then.length && side === "target" ? index - 1 : null,
    })),
    chips: [{ axis: side, link: index }], soft: [],
  };
}

/** Keep a word, or let go of it where it is kept. */
function pinWord(state, side, index) {
  const { view } = state;
  const at = Number(index);
  const kept = view.pin?.[0] === side && view.pin[1] === at;
  view.pin = kept ? null : [side, at];
  state.send("pin", { side, index: kept ? null : at });
  refresh(state);
}

/** Keep the word of a label that was clicked; false where it is no word, or nobody keeps any. */
export function pinLabel(state, target) {
  const { view } = state;
  const label = view.pins && target.closest("[data-which], .chip");
  if (!label) return false;
  const { which, at, side, index } = label.dataset;
  if (!which) {
    // What was predicted last is never fed: it has neither row nor column.
    if (Number(index) < view.fed[side]) pinWord(state, side, index);
    return true;
  }
  const axis = view.panels[panelAt(label)][which];
  if (axis.side) pinWord(state, axis.side, at);
  return true;
}

/** Keep the word of a cell's row, or else of its column. */
export function pinCell(state, { panel, row, column }) {
  const { rowAxis, columnAxis } = state.view.panels[panel];
  if (rowAxis.side) pinWord(state, rowAxis.side, row);
  else if (columnAxis.side) pinWord(state, columnAxis.side, column);
}
