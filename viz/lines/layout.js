// Sizes: from the width at hand and the lengths of the labels to pixels. Nothing is drawn here.

import { deviceRatio, magnified, windowRoom } from "../component/pixels.js";
import { axisNames } from "./drawing.js";

const ROW = { largest: 26, smallest: 16 };
const CHIP = 14; // what a chip is wider than its text
export const GUTTER = { number: 46, gap: 8, widest: 190 }; // a token's weights, outside of the columns
const BETWEEN = { most: 560 }; // from column to column
const ROOMY = { bar: 56, between: 150 }; // a weight's bar; from column to column at least
const NARROW = { below: 480, bar: 14, between: 66 }; // the same on a phone
const TIGHT = { bar: 0, between: 22, chip: 10, gap: 2, letters: 12 / 13 }; // … with three columns of words
export const LINES_ARROW = 22; // between fed and predicted
const THICKEST = 0.34; // of a row: a line of weight 1

/** Both columns with a line's room between them; in a box of its own where rows are many. */
export function linesLayout(width, view, textWidth, nameWidth) {
  const { counts, labels, predicted } = view;
  const rows = Math.max(counts.query, counts.key);
  const height = linesHeight();
  const step = Math.max(ROW.smallest, Math.min(ROW.largest, Math.floor(height / rows)));
  const scrolls = rows * step > height;
  const names = axisNames(view);
  const narrow = width < NARROW.below;
  // Words are rather smaller than cut; several heads have their bars all the same.
  const tight = narrow && predicted.length && view.heads.length === 1;
  const { bar, between: betweenAtLeast } = tight ? TIGHT : narrow ? NARROW : ROOMY;
  const [chip, gap, letters] = tight ? [TIGHT.chip, TIGHT.gap, TIGHT.letters] : [CHIP, GUTTER.gap, 1];
  const least = bar + GUTTER.number + gap;
  const parts = predicted.length ? 3 : 2;
  const arrow = predicted.length ? LINES_ARROW : 0;
  const room = (width - 2 * least - betweenAtLeast - arrow - (scrolls ? 16 : 0)) / parts - chip;
  const longest = Math.max(30, Math.min(132, Math.floor(room)));
  const wordWidth = (name) => Math.min(longest, Math.max(8, Math.ceil(letters * textWidth(name))));
  const widest = (names) => chip + Math.max(8, ...names.map(wordWidth));
  const fed = widest(labels.query);
  const out = predicted.length ? widest(predicted) : 0;
  const query = fed + (out && LINES_ARROW + out);
  const key = widest(labels.key);
  // The names of the columns reach into the gutters, or take several lines on a phone.
  const named = narrow ? [] : [nameWidth(names.query) - query, nameWidth(names.key) - key];
  const weights = Math.max(least, ...named);
  const rest = width - 2 * weights - query - key - (scrolls ? 16 : 0);
  const between = Math.max(Math.min(60, betweenAtLeast), Math.min(BETWEEN.most, Math.floor(rest)));
  const spare = Math.max(0, Math.floor((rest - between) / 2));
  const gutter = Math.min(GUTTER.widest, weights + spare);
  const left = gutter + query;
  return {
    // Where the lines of each query leave its token.
    starts: labels.query.map((_, i) =>
      (out ? left - out + chip + wordWidth(predicted[i]) : left)),
    // As `textWidth` measures them.
    longest: longest / letters,
    step, scrolls, narrow, bar, gap, fed, out, gutter, query, key, left,
    right: left + between,
    width: left + between + key + gutter,
    height: Math.min(height, rows * step),
    content: rows * step,
    thickest: Math.round(step * THICKEST),
    ratio: deviceRatio(),
    small: Boolean(step < 20 || tight),
  };
}

/** How far a head's lines bend, so that those of several heads between two tokens part halfway. */
export const bendOf = ({ view: { heads }, layout: { step } }, slot) =>
  (heads.length > 1 ? (slot / (heads.length - 1) - 0.5) * step : 0);

/** What a window leaves below controls and title. */
function linesHeight() {
  const [least, share] = magnified() > 1 ? [226, 0.62] : [360, 0.62];
  return Math.min(640, Math.max(least, Math.round(windowRoom() * share)));
}

/** The first and the last row that are at least partly in view. */
export function rowsInView({ step, height }, scrolled) {
  return [Math.floor(scrolled / step), Math.ceil((scrolled + height) / step) - 1];
}
