// What a training step adds to the picture of the model: a bar for each true word, a shade for each block.

import { fill, localDigits, localNumber, percentWords, threeDigits } from "../component/text.js";
import { NARROW, topOf, wholeLayout } from "../whole/layout.js";

export const STAGES = ["forward", "loss", "backward", "update"];
export const [FORWARD, LOSS, BACKWARD, UPDATE] = STAGES.keys();
const HEIGHT = { beside: 425, narrow: 480 }; // pixels of a stack with its bars and words
/** Room for the decoder's output: bars, and on them the true words, which are written upwards. */
const OUTPUT = { beside: 142, narrow: 190, highest: 56, gap: 5, least: 1.5, slant: 44 };
const STRIP = 13; // height of an embedding and of the output
export const LOWER = STRIP + 3; // room for an embedding between words and blocks
const FAINTEST = 0.06; // opacity of a block whose gradient is nearly 0
const STRONGEST = 0.75;
const FRONT = 0.3; // opacity of the block that the pass has come to

/** Where everything stands: the true words lean over the right end of the decoder. */
export function descentLayout(width, view, first = {}) {
  const [room, kind] = width < NARROW ? [width - OUTPUT.slant, "narrow"] : [width, "beside"];
  const around = { output: OUTPUT[kind], strip: LOWER, fits: true };
  return { ...wholeLayout(room, HEIGHT[kind], { ...view, ...around }, first), width };
}

export const lossOf = (logs) => -logs.reduce((sum, each) => sum + each, 0) / logs.length;

const largestLoss = ({ before }) => Math.max(...before.map((log) => -log), 1e-12);

/** Each block that has a gradient, where it stands on the screen, in the order of the data. */
export function boxesOf({ layout, view: { descent } }) {
  return layout.stacks.flatMap((stack) => {
    const { side, left, right, tiles, bottom, highest } = stack;
    const strip = (name, upper) => ({ name, upper, lower: upper + STRIP, called: descent.names[name] });
    const blocks = stack.blocks.map(({ site, upper, lower }) => ({ name: site, upper: upper + 1, lower: lower - 1 }));
    return [strip(side, bottom + 3), ...blocks, ...(side === "target" ? [strip("output", highest - 4 - STRIP)] : [])]
      .map(({ upper, lower, ...box }) => {
        const top = topOf(layout, upper, lower);
        return { ...box, upper: top, lower: top + lower - upper, left: left - 4, right: right + 4, tiles };
      });
  }).filter(({ name }) => name in descent.gradients);
}

/** What the bars stand on: above the decoder, or below it where the picture flips. */
function baseOf({ layout, view: { descent } }) {
  const { highest, ceiling } = layout.stacks.at(-1);
  if (layout.flips) return layout.height - ceiling - OUTPUT.gap;
  return highest - OUTPUT.gap - ("output" in descent.gradients ? STRIP + OUTPUT.gap : 0);
}

/** Whether the bars can be seen: not before the forward pass has come to them. */
const hasBars = ({ at, reached }) => at !== FORWARD || reached === Infinity;

/** Draw the shades of blocks and the bars of words; on a canvas, or as SVG. */
export function drawDescent(context, state, ink) {
  const boxes = boxesOf(state);
  for (const [order, { name, left, right, upper, lower }] of boxes.entries()) {
    context.globalAlpha = shadeOf(state, name, order, boxes.length);
    context.fillStyle = ink.active;
    context.fillRect(left, upper, right - left, lower - upper);
  }
  context.globalAlpha = 1;
  if (!hasBars(state)) return;
  const base = baseOf(state);
  for (const { x, width, share, colour } of barsOf(state)) {
    const height = Math.max(OUTPUT.least, OUTPUT.highest * share);
    context.fillStyle = ink[colour];
    context.fillRect(x, base - height, width, height);
  }
  const { left, right } = state.layout.stacks.at(-1);
  context.fillStyle = ink.norm;
  context.fillRect(left - 4, base, right - left + 8, 1);
  const mean = meanHeight(state);
  if (mean === null) return;
  context.fillStyle = ink.differs;
  for (let x = left - 4; x < right + 4; x += 7) context.fillRect(x, mean, 4, 1);
}

/** The opacity of a block's shade: forward it marks how far the pass has come, later it is its gradient. */
function shadeOf({ at, reached, view: { descent } }, name, order, count) {
  if (at === FORWARD) return order === reached ? FRONT : 0;
  if (at === LOSS || (at === BACKWARD && order < count - reached)) return 0;
  const largest = Math.max(...Object.values(descent.gradients), 1e-12);
  return FAINTEST + ((STRONGEST - FAINTEST) * descent.gradients[name]) / largest;
}

/** One bar for each true word, or two after the update: `share` of the highest, colour by name. */
export function barsOf({ layout, view: { descent }, at }) {
  const decoder = layout.stacks.at(-1);
  const width = Math.max(2, Math.min(16, 0.7 * decoder.unit));
  const highest = largestLoss(descent);
  return descent.before.flatMap((log, index) => {
    const x = decoder.centre(descent.first + index) - width / 2;
    if (at === LOSS || at === BACKWARD) return [{ x, width, share: -log / highest, colour: "differs" }];
    if (at === FORWARD) return [{ x, width, share: Math.exp(log), colour: "active" }];
    const half = width / 2;
    return [
      { x, width: half, share: Math.exp(log), colour: "bar" },
      { x: x + half, width: half, share: Math.exp(descent.after[index]), colour: "active" },
    ];
  });
}

/** The height of the line at the mean loss; null where no losses are drawn. */
function meanHeight(state) {
  const { at, view: { descent } } = state;
  if (at !== LOSS && at !== BACKWARD) return null;
  const highest = largestLoss(descent);
  return baseOf(state) - (OUTPUT.highest * lossOf(descent.before)) / highest;
}

/** What is written on the picture at a stage: of each text its place, its kind and what it says. */
export function labelsOf(state) {
  const { layout, view: { descent, texts }, at } = state;
  const decoder = layout.stacks.at(-1);
  const [base, mean] = [baseOf(state), meanHeight(state)];
  const words = !hasBars(state) ? [] : descent.truth.map((text, index) => ({
    kind: "true", x: decoder.centre(descent.first + index) + 4, y: base - OUTPUT.highest - 4, text, number: numberOf(descent, at, index),
  }));
  const axis = layout.narrow || !words.length ? [] : [{
    kind: "axis", x: decoder.left - 10, y: base - OUTPUT.highest / 2,
    text: texts[at === LOSS || at === BACKWARD ? "nats" : "probability"],
  }];
  const line = mean === null || layout.narrow ? []
    : [{ kind: "share", x: decoder.right + 8, y: mean, text: fill(texts.mean, { loss: threeDigits(lossOf(descent.before)) }) }];
  const boxes = boxesOf(state);
  const called = layout.narrow ? [] : boxes.filter(({ called }) => called)
    .map(({ left, upper, lower, called: text }) => ({ kind: "axis", x: left - 6, y: (upper + lower) / 2, text }));
  const shares = boxes.filter(({ name }, order) => at >= BACKWARD && shadeOf(state, name, order, boxes.length) > 0)
    .map(({ name, right, tiles, upper, lower }) => ({
      kind: tiles === null ? "share inside" : "share", x: right + (tiles === null ? -4 : 6), y: (upper + lower) / 2,
      text: shareText(descent.gradients[name]),
    }));
  return [...words, ...axis, ...line, ...called, ...shares];
}

const shareText = (share) => localDigits(share.toPrecision(2));

function numberOf({ before, after }, at, index) {
  if (at === LOSS || at === BACKWARD) return localNumber(-before[index], 2);
  return percentWords(Math.exp((at === UPDATE ? after : before)[index]));
}
