// Planes of the cases that Python has packed.

import { readFrame } from "../../../viz/component/text.js";
import { readPlane } from "../../../viz/plane/payload.js";

export const planeOf = (name) => readPlane(readFrame(payload(name)));

/** A view of all cells of a panel, one pixel each. */
export const whole = ({ rows, columns }) =>
  ({ row: 0, column: 0, rows, columns, pool: 1, across: columns, down: rows });

/** Widths of texts at 7 pixels a letter. */
export const measure = {
  textWidth: ([text]) => 7 * text.length + 2, nameWidth: (text) => 7 * text.length + 2,
};
