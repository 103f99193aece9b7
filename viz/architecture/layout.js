// Sizes and places: how much room there is, one stack from the bottom up (y grows downward and begins
// at 0), and the paths of the arrows between boxes.

import { brokenLines, figureTextWidth } from "../component/figure.js";
import { shortened } from "../component/plot.js";

/** The arrows that come straight up from the node below. */
const STRAIGHT = ["flow", "query", "key", "value"];

/** A picture with its nodes by id, and with what leads into each of them. */
export function indexed(view) {
  const nodes = new Map(view.nodes.map((node) => [node.id, { ...node, entering: [] }]));
  for (const { kind, end } of view.arrows) nodes.get(end).entering.push(kind);
  return { ...view, nodes };
}

const nodesOf = (view, stack) => [...view.nodes.values()].filter((node) => node.stack === stack);

/** Whether a box stands beside the way of the data, into which nothing leads. */
const isBeside = ({ shape, entering }) =>
  shape === "part" && !entering.some((kind) => STRAIGHT.includes(kind));

/** Boxes in which label and detail stand side by side. */
const isLow = ({ group }) => group === "norms" || group === "";

export const classOf = (group) => group.replace(/[^a-z]+/g, "-") || "plain";

/** A text that fits; what is cut is its middle, the whole is in the tooltip. */
export const fitted = (text, width, size, font) =>
  shortened(text, width, ([label]) => figureTextWidth(label, size, font));

/** A label on one line or, where that is too long, on two. */
export function inLines(text, width, size, font) {
  const [first, ...rest] = brokenLines(text, width, (part) => figureTextWidth(part, size, font));
  const lines = rest.length ? [first, rest.join(" ")] : [first];
  return lines.map((line) => fitted(line, width, size, font));
}

/** What lies on top where lines share a way. */
const above = ({ kind }) => (kind === "residual" ? 0 : 1);

/** All boxes, arrows and words for a width. */
export function layoutOf(view, width, font) {
  const metrics = metricsOf(view, width, font);
  const stacks = view.stacks.map((_, index) => stackOf(index, view, metrics));
  const gather = (what) => stacks.flatMap((stack) => stack[what]);
  const words = gather("words");
  const arrows = routesOf(view, stacks, metrics, words);
  const tops = stacks.map(({ y, remembered }) => y - (remembered ? metrics.rise + 15 : 0));
  const top = Math.floor(Math.min(...tops)) - 3;
  return {
    top, height: 4 - top, width: metrics.width, words,
    parts: gather("parts"), frames: gather("frames"), sums: gather("sums"),
    arrows: arrows.sort((a, b) => above(a) - above(b)),
  };
}

/** Every distance of the picture. */
function metricsOf(view, width, font) {
  const narrow = width < 470;
  const outside = 18; // for the names of the layers
  const shared = view.arrows.some(({ kind }) => kind === "tied") ? 10 : 0;
  const [past, inner, letters] = narrow ? [14, 5, 19] : [24, 10, 26];
  const least = narrow ? 12 : 26;
  const free = width - 2 * outside - shared - 2 * past - inner - letters - 6 - least;
  const box = Math.min(210, Math.floor(free / 2));
  const gap = least + free - 2 * box;
  const left = outside + past;
  const right = left + box + inner + gap + letters + 6;
  const alone = view.stacks.length === 1;
  const column = (x, outward, between) => columnOf({ x, box, outward, past, between, outside });
  const metrics = {
    width, font, letters, rise: 14,
    bus: left + box + inner + gap / 2,
    stacks: alone
      ? [column((width - box) / 2, 1, inner)]
      : [column(left, -1, inner), column(right, 1, letters + 6)],
    gap: 12, near: 5, between: 7, pad: 5, fork: 5, split: 23, fan: 13, query: 15,
  };
  metrics.heights = heightsOf(view, metrics);
  return metrics;
}

/** Where the boxes of a stack stand, the arrow past them (on the outer side) and the frame. */
function columnOf({ x, box, outward, past, between, outside }) {
  const middle = x + box / 2;
  const reach = box / 2 - 24 + past + outside - 2;
  return {
    x, width: box, middle, outward,
    label: outward < 0 ? outside - 6 : x + box + past + outside - 6,
    around: outward < 0 ? x - past * 0.55 : x + box + past * 0.55,
    frame: { x: x - (outward < 0 ? past : between), width: box + past + between },
    side: { x: outward < 0 ? middle - 24 - reach : middle + 24, width: reach },
  };
}

/** As much as the words of a kind need, the same for all of that kind. */
function heightsOf(view, { stacks: [column], font }) {
  const parts = [...view.nodes.values()].filter(({ shape }) => shape === "part");
  const detailed = new Set(parts.filter(({ detail }) => detail).map(({ kind }) => kind));
  const heights = {};
  for (const node of parts) {
    const room = (isBeside(node) ? column.side.width : column.width) - 8;
    const lines = inLines(node.label, room, 12, font).length;
    const full = 14 * lines + (detailed.has(node.kind) ? 13 : 0) + 5;
    const height = isLow(node) ? 18 : full;
    heights[node.kind] = Math.max(height, heights[node.kind] ?? 0);
  }
  return heights;
}

export const RADIUS = 7.5;

/** Where everything of a stack stands. */
function stackOf(index, view, metrics) {
  const { name, layers } = view.stacks[index];
  const stack = {
    name, layers, view, metrics, ...metrics.stacks[index], y: 0, beside: null,
    parts: [], frames: [], sums: [], words: [],
    at: new Map(), // id → its box
    forks: new Map(), // block → the height at which an arrow past it begins
  };
  for (const { layer, nodes } of inLayers(nodesOf(view, name))) {
    if (layer === null) for (const node of nodes) addNode(stack, node);
    else addLayer(stack, layer, nodes);
  }
  return stack;
}

/** Nodes of one layer that follow each other, together. */
function inLayers(nodes) {
  const layers = [];
  for (const node of nodes) {
    if (layers.at(-1)?.layer !== node.layer) layers.push({ layer: node.layer, nodes: [] });
    layers.at(-1).nodes.push(node);
  }
  return layers;
}

function addNode(stack, node) {
  const { block } = node;
  const first = !block || !stack.forks.has(block);
  if (block && first) stack.forks.set(block, stack.y - stack.metrics.fork);
  if (node.shape === "tokens") addTokens(stack, node);
  else if (node.shape === "sum") addSum(stack, node);
  else if (isBeside(node)) addBeside(stack, node);
  else addBox(stack, node, gapBelow(stack, node, first));
}

/** Room for the arrows that come in, and for the one that leads past the block. */
function gapBelow({ metrics }, { entering }, first) {
  const lettered = entering.filter((kind) => STRAIGHT.includes(kind) && kind !== "flow");
  if (lettered.length > 1) return metrics.split - (first ? 0 : metrics.fork);
  if (lettered.length) return metrics.query;
  return first ? metrics.gap : metrics.near;
}

function addBox(stack, node, gap, shape = {}) {
  const { metrics, x, width } = stack;
  const height = metrics.heights[node.kind];
  const part = { id: node.id, node, x, y: stack.y - gap - height, width, height, ...shape };
  stack.parts.push(part);
  stack.at.set(node.id, part);
  stack.y = part.y;
  return part;
}

/** A box on the outer side, for the sum that comes next. */
function addBeside(stack, node) {
  const { metrics, side } = stack;
  // However low the box is, the sum beside it leaves room for an arrow below.
  const gap = Math.max(metrics.near + 2, 22 - metrics.heights[node.kind] / 2);
  stack.beside = addBox(stack, node, gap, side);
}

/** A ⊕ on the way up. */
function addSum(stack, { id }) {
  const { middle, metrics, beside } = stack;
  const y = beside ? beside.y + beside.height / 2 : stack.y - metrics.near - 2 - RADIUS;
  stack.sums.push({ id, x: middle, y });
  stack.at.set(id, {
    id, round: true, x: middle - RADIUS, y: y - RADIUS, width: 2 * RADIUS, height: 2 * RADIUS,
  });
  stack.y = Math.min(beside?.y ?? Infinity, y - RADIUS);
  stack.beside = null;
}

function addTokens(stack, { id, label, group }) {
  const { middle, width, metrics } = stack;
  const height = 20;
  const wide = Math.min(width, figureTextWidth(label, 12, metrics.font) + 20);
  const y = stack.y - (stack.at.size ? metrics.gap : 0) - height;
  const pill = { x: middle - wide / 2, y, width: wide, height };
  stack.words.push({
    kind: "pill", x: middle, y: y + 14, text: fitted(label, wide - 8, 12, metrics.font),
    pill: { ...pill, side: group },
  });
  stack.at.set(id, { id, ...pill });
  stack.y = y;
}

function addLayer(stack, layer, nodes) {
  const { label, metrics, frame, layers } = stack;
  stack.y -= metrics.between;
  const bottom = stack.y;
  for (const node of nodes) addNode(stack, node);
  stack.y -= metrics.pad;
  const height = bottom - stack.y;
  stack.frames.push({ ...frame, y: stack.y, height });
  stack.words.push({
    kind: "turned", x: label, y: stack.y + height / 2,
    text: fitted(layers[layer], height, 11, metrics.font),
  });
}

/** All arrows, each with its lines. */
function routesOf(view, stacks, metrics, words) {
  const find = (id) => {
    const stack = stacks.find(({ at }) => at.has(id));
    return { stack, box: stack.at.get(id), node: view.nodes.get(id) };
  };
  return view.arrows.map(({ kind, start, end }) => ({
    kind, from: start, to: end,
    lines: WAYS[kind]({ kind, start: find(start), end: find(end), view, metrics, words }),
  }));
}

const centre = ({ y, height }) => y + height / 2;

/** Straight up from what came before. */
function wayUp({ start, end: { box, stack: { middle } } }) {
  return [[[middle, start.box.y], [middle, box.y + box.height]]];
}

/** Up and apart: q, k and v come in side by side, q alone in the middle. */
function wayIn({ kind, start, end: { box, node, stack: { middle } }, metrics, words, view }) {
  const letters = node.entering.filter((each) => STRAIGHT.includes(each));
  const across = Math.min(48, box.width / 4);
  const spread = letters.length > 1 ? (2 * letters.indexOf(kind)) / (letters.length - 1) - 1 : 0;
  const [x, bottom] = [middle + across * spread, box.y + box.height];
  const split = bottom + metrics.fan;
  const beside = kind === "query" ? -13 : 6; // the arrow past the sublayer leaves on the right
  words.push({ kind: "letter", x: x + beside, y: bottom + 10, text: view.texts[kind] });
  return [[[middle, start.box.y], [middle, split], [x, split], [x, bottom]]];
}

/** Past a block on the outer side. */
function wayPast({ start, end: { box, node, stack }, metrics }) {
  const { middle, around, outward, forks } = stack;
  const fork = forks.get(node.block) ?? start.box.y - metrics.fork;
  const edge = outward < 0 ? box.x : box.x + box.width;
  const level = centre(box);
  return [[[middle, start.box.y], [middle, fork], [around, fork], [around, level], [edge, level]]];
}

/** Level, from a box beside into a sum. */
function wayBeside({ start: { box }, end }) {
  const { outward } = end.stack;
  const sum = end.box;
  const level = centre(sum);
  const [from, to] = outward < 0
    ? [box.x + box.width, sum.x] : [box.x, sum.x + sum.width];
  return [[[from, level], [to, level]]];
}

/** From the top of a stack over into the gap, down, and into the other stack as k and v. */
function wayOver({ start, end: { box }, metrics, words, view }) {
  const { letters, bus } = metrics;
  const at = centre(box);
  const out = wayOut({ start, metrics, words, view });
  const way = [...out, [bus, out.at(-1)[1]], [bus, at]];
  const split = box.x - letters;
  return [-7, 7].map((shift, i) => {
    words.push({
      kind: "letter", x: split + 4, y: at + shift + (i ? 11 : -3), text: view.texts[i ? "value" : "key"],
    });
    return [...way, [split, at], [split, at + shift], [box.x, at + shift]];
  });
}

/** Up out of a stack, with the word for what it hands over. */
function wayOut({ start: { box, stack }, metrics, words, view }) {
  const { middle } = stack;
  const level = stack.y - metrics.rise;
  if (!stack.remembered) {
    stack.remembered = true;
    words.push({ kind: "beside", x: middle + 7, y: level - 4, text: view.texts.memory });
  }
  return [[middle, box.y], [middle, level]];
}

/** Dashes between two places of one matrix: over to the other stack, or up along the outer side. */
function wayOfTie({ start, end, metrics: { width, font }, words, view }) {
  const [from, to] = [centre(start.box), centre(end.box)];
  if (start.stack === end.stack) {
    const [edge, outside] = [end.box.x + end.box.width, width - 4];
    return [[[start.box.x + start.box.width, from], [outside, from], [outside, to], [edge, to]]];
  }
  const [left, right] = [start.box.x + start.box.width, end.box.x];
  words.push({
    kind: "tie", x: (left + right) / 2, y: from - 5,
    text: fitted(view.texts.tied, right - left - 4, 11, font),
  });
  return [[[left, from], [right, to]]];
}

const WAYS = {
  flow: wayUp, query: wayIn, key: wayIn, value: wayIn, residual: wayPast, positions: wayBeside,
  memory: wayOver, tied: wayOfTie,
};
