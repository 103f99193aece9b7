// Reading the payload of viz.plane: panels of rows × columns, and what their numbers say.

import { fill, localDigits, localNumber, threeDigits } from "../component/text.js";
import { numbersOf } from "./cells.js";

/** The header's fields, each panel with its numbers and its axes. */
export function readPlane({ header, arrays }) {
  const ids = new Map();
  const panels = header.panels.map((written) => panelOf(written, header, arrays, ids));
  const words = JSON.stringify([
    header.layout, panels.map(({ words: of }) => of), header.texts,
    header.source, header.target,
  ]);
  return { ...header, panels, arrays, words };
}

function panelOf(written, header, arrays, ids) {
  const [rows, columns] = written.shape;
  // Axes with the same name: what is marked on one is marked on all. It is that of their labels, or,
  // where positions are linked or stand for those of a sentence above, that of their side.
  const axis = (of) => {
    const labels = JSON.stringify(of.links.length ? ["links", of.side] : [of.side, of.labels]);
    if (!ids.has(labels)) ids.set(labels, String(ids.size));
    return { first: 0, ...of, id: (header.source ? of.side : ids.get(labels)) || null };
  };
  return {
    ...written, rows, columns, rowAxis: axis(written.rows), columnAxis: axis(written.columns),
    values: arrays[written.values] ?? null, visible: arrays[written.visible] ?? null,
    hidden: written.hidden || header.texts.hidden,
    labels: JSON.stringify([written.rows, written.columns]),
    // What a zoom belongs to: what differs elsewhere, and notes, may change under it.
    tokens: written.zoom_of ?? JSON.stringify([written.rows.labels, written.columns.labels]),
    // Everything that decides which words stand where.
    words: JSON.stringify([written.rows, written.columns, written.texts]),
  };
}

/** What a position is called on all axes of the same name, and where that is on one of them. */
export const linkOf = ({ links }, at) => (links.length ? links[at] : at);
export const positionOf = ({ links, labels }, link) => {
  if (!links.length) return link < labels.length ? link : null;
  return links.includes(link) ? links.indexOf(link) : null;
};

/** A number at the end of a scale: as few digits as it takes. */
export const tickDigits = (x) => localDigits(String(Number(x.toPrecision(3))));

/** The value of a cell in words: exact where it was sent so, else two digits. */
export function valueText(panel, texts, row, column) {
  const cell = row * panel.columns + column;
  if (panel.visible && !panel.visible[cell]) return panel.hidden;
  const exact = panel.values?.[cell] ?? exactAt(panel.exactPart, row, column);
  if (exact !== undefined) return threeDigits(exact);
  const weight = localNumber((numbersOf(panel)[cell] - 1) / 255, 2);
  return fill(texts[panel.coarse.scale > 1 ? "most" : "about"], { weight });
}

/** A weight of the part that was sent exactly; undefined for all others. */
function exactAt(part, row, column) {
  const [down, across] = part ? [row - part.row, column - part.column] : [-1, -1];
  const isInside = down >= 0 && across >= 0 && down < part?.rows && across < part?.columns;
  return isInside ? part.values[down * part.columns + across] : undefined;
}
