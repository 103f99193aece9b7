// The word that is kept: marked wherever it stands while nothing is pointed at.

import { panelAt } from "./events.js";
import { refresh } from "./pointing.js";

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
