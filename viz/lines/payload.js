// Reading the payload of viz.lines.pack: which lines there are, and their numbers.

import { fill, localNumber, readFrame, threeDigits } from "../component/text.js";

const SORTED_AT_MOST = 50_000; // lines; more of them lie on each other in no order

export function readLines(data) {
  const { header, arrays: [visible, weights] } = readFrame(data);
  const [, queries, keys] = header.shape;
  const cells = queries * keys;
  return {
    ...header, cells, visible, weights,
    masked: visible.includes(0),
    counts: { query: queries, key: keys },
    labels: { query: header.queries, key: header.keys },
    unit: header.exact ? 1 : 1 / 255,
    // Everything that decides which words stand where.
    words: JSON.stringify(
      [header.queries, header.keys, header.predicted, header.sides, header.heads, header.texts]),
  };
}

export const otherColumn = (column) => (column === "query" ? "key" : "query");

/** Head, query and key of a place among the weights. */
export function endsOf({ cells, counts }, at) {
  const cell = at % cells;
  return {
    slot: Math.floor(at / cells), query: Math.floor(cell / counts.key), key: cell % counts.key,
  };
}

/** The indices of a token's pairs that the mask lets through, in the order of the other column. */
export function pairsOf({ cells, counts, visible }, slot, { column, index }) {
  const indices = [];
  const [first, step] = column === "query" ? [index * counts.key, 1] : [index, counts.key];
  for (let i = 0, cell = first; i < counts[otherColumn(column)]; i += 1, cell += step) {
    if (visible[cell]) indices.push(slot * cells + cell);
  }
  return indices;
}

/** The heads that are shown, by their place among the weights. */
export function shownSlots({ view, hidden }) {
  return view.heads.map((_, slot) => slot).filter((slot) => !hidden.has(view.heads[slot]));
}

const hasLine = ({ view, threshold }, at) =>
  view.weights[at] > 0 && view.weights[at] * view.unit >= threshold;

/** The lines of one token, thick ones first, as indices among the weights. */
export function linesOfToken(state, token) {
  const indices = shownSlots(state).flatMap((slot) => pairsOf(state.view, slot, token));
  return thickFirst(state.view, indices.filter((at) => hasLine(state, at)));
}

/** The lines with an end in view, thick ones first. */
export function linesInView(state, [first, last]) {
  const { view: { weights, cells, counts, unit }, threshold } = state;
  const least = threshold / unit;
  const indices = [];
  for (const slot of shownSlots(state)) {
    for (let query = 0, at = slot * cells; query < counts.query; query += 1, at += counts.key) {
      const whole = query >= first && query <= last;
      const end = whole ? counts.key : Math.min(counts.key, last + 1);
      for (let key = whole ? 0 : first; key < end; key += 1) {
        const weight = weights[at + key];
        if (weight > 0 && weight >= least && hasLine(state, at + key)) indices.push(at + key);
      }
    }
  }
  return thickFirst(state.view, indices);
}

function thickFirst({ weights }, indices) {
  const sorted = Uint32Array.from(indices);
  return sorted.length > SORTED_AT_MOST ? sorted : sorted.sort((a, b) => weights[b] - weights[a]);
}

/** How many pairs the shown heads have, of a kept token alone, and how many have no line. */
export function countLines(state) {
  const { view, pinned } = state;
  const slots = shownSlots(state);
  if (pinned) {
    const total = slots.flatMap((slot) => pairsOf(view, slot, pinned)).length;
    return { total, n: total - linesOfToken(state, pinned).length };
  }
  let [pairs, drawn] = [0, 0];
  for (let cell = 0; cell < view.cells; cell += 1) pairs += view.visible[cell];
  for (const slot of slots) {
    const end = (slot + 1) * view.cells;
    for (let at = slot * view.cells; at < end; at += 1) if (hasLine(state, at)) drawn += 1;
  }
  return { total: pairs * slots.length, n: pairs * slots.length - drawn };
}

/** A large number with its thousands apart. */
export const grouped = (count) => localNumber(count, 0, true);

/** The largest weights of a token in one head, with the token at the other end. */
export function largestOf(view, slot, token, count) {
  const largest = pairsOf(view, slot, token).filter((at) => view.weights[at] > 0);
  largest.sort((a, b) => view.weights[b] - view.weights[a]);
  return largest.slice(0, count).map((at) => ({
    index: endsOf(view, at)[otherColumn(token.column)], weight: view.weights[at] * view.unit,
  }));
}

/** A weight in words: three digits, or two where it was rounded on the way; no powers of ten. */
export const lineWeight = ({ exact, texts }, weight) => {
  if (!exact) return fill(texts.about, { weight: localNumber(weight, 2) });
  return weight > 0 && weight < 1e-3 ? `< ${localNumber(1e-3, 3)}` : threeDigits(weight);
};
