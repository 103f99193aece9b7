// Reading the payload of viz.decoding.pack_decoding.

import { fill, localDigits, localNumber, readFrame, signs, threeDigits } from "../component/text.js";

const NONE = new Uint16Array(); // where a decoder has no source, or nothing that looks back

/** Split the bytes into labels, the steps of both sides and their weights. */
export function readSteps(data) {
  const { header, arrays } = readFrame(data);
  const [layers, heads] = header.shape;
  const named = (i) => header.labels[i];
  const source = header.source.map(named);
  const sides = header.sides.map(({ fed, steps, source: cross, target }) => ({
    fed: fed.map(named),
    steps: steps.map((step) => readStep(step, named)),
    source: { weights: arrays[cross] ?? NONE, across: source.length },
    target: { weights: arrays[target] ?? NONE, across: fed.length },
  }));
  const [{ fed, steps }] = sides;
  // A prompt is fed before the first step; else nothing but what every text begins with.
  const before = fed.length - steps.length;
  return {
    source, layers, heads, sides, before,
    selfOnly: header.sides[0].source === null, crossOnly: header.sides[0].target === null,
    texts: header.texts, about: header.about, difference: header.difference,
    start: header.start, look: header.look, arrival: header.arrival, content: header.content,
    count: Math.max(...sides.map(({ steps }) => steps.length)),
    spaced: header.labels.some(([text]) => text.startsWith("␣")),
    most: longest(sides, "rows"), few: longest(sides, "few"),
    sentence: JSON.stringify([source, fed.slice(0, before + 1)]),
  };
}

const longest = (sides, rows) =>
  Math.max(...sides.flatMap(({ steps }) => steps.map((step) => step[rows].length)));

/** A step with its tokens in words, and the rows of its chart, which sum to 1. */
function readStep(step, named) {
  const chosen = { label: named(step.chosen[0]), probability: step.chosen[1] };
  const truth = step.true && {
    label: named(step.true[0]), probability: step.true[1], rank: step.true[2],
  };
  const rows = step.top.map(([token, label, probability], i) => ({
    token, probability, label: named(label), chosen: i === step.chosenAt, true: i === step.trueAt,
  }));
  let { others } = step;
  const add = (row) => {
    rows.push(row);
    others = Math.max(0, others - row.probability);
  };
  // What is chosen or true stands in the chart even if it is not among the most probable.
  const same = truth && truth.label === chosen.label && truth.probability === chosen.probability;
  if (step.chosenAt < 0) add({ ...chosen, chosen: true, true: Boolean(same) });
  if (truth && step.trueAt < 0 && !(same && step.chosenAt < 0)) {
    add({ label: truth.label, probability: truth.probability, true: true });
  }
  rows.push({ others: true, probability: others });
  return { chosen, true: truth, rows, few: folded(rows), overridden: step.overridden };
}

const FEW = 4;

/** The most probable rows, that of the chosen and of the true token, and the rest as one. */
export function folded(rows) {
  const shown = rows.filter((row, i) => !row.others && (i < FEW || row.chosen || row.true));
  const probability = rows.reduce(
    (sum, row) => (shown.includes(row) ? sum : sum + row.probability), 0);
  return [...shown, { others: true, probability }];
}

/** The rows of a step that are shown: a few, unless more are asked for. */
export const rowsOf = (step, view) => (view.unfolded ? step.rows : step.few);

/** Weights of one step, one per token: 0 to 65535; none where there is no such attention. */
export function weightsOf({ weights, across }, view, layer, head, step, steps) {
  const start = ((layer * view.heads + head) * steps + step) * across;
  return weights.subarray(start, start + across);
}

/** A probability in words: three digits, small ones with a power of ten. */
export const numberWords = (x) =>
  x > 0 && x < 1e-3 ? localDigits(x.toExponential(2)) : threeDigits(x);

/** A 16-bit weight in words: three digits where it has them. */
export function weightWords(weight) {
  if (weight === 0) return "0";
  const share = weight / 65535;
  if (share < 5e-5) return `< ${localNumber(1e-4, 4)}`;
  return share < 0.01 ? localNumber(share, 4) : threeDigits(share);
}

export const sameLabel = (a, b) => a[0] === b[0] && a[1] === b[1];
