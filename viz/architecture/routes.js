// The ways of the arrows between boxes that have their places.

import { fitted, STRAIGHT } from "./layout.js";

/** All arrows, each with its lines; what happens within a folded layer is left out. */
export function routesOf(view, stacks, metrics, words) {
  const find = (id) => {
    const stack = stacks.find(({ at }) => at.has(id));
    return { stack, box: stack.at.get(id), node: view.nodes.get(id) };
  };
  const routes = new Map();
  for (const arrow of view.arrows) {
    const [start, end] = [find(arrow.start), find(arrow.end)];
    if (start.box.id === end.box.id) continue;
    // Into a folded layer leads one arrow, whatever goes on in it.
    const straight = STRAIGHT.includes(arrow.kind);
    if (end.box.folded && !straight && arrow.kind !== "memory") continue;
    const kind = end.box.folded && straight ? "flow" : arrow.kind;
    const key = [kind, start.box.id, end.box.id].join(" ");
    if (routes.has(key)) continue;
    const lines = WAYS[kind]({ kind, start, end, view, metrics, words });
    routes.set(key, { kind, from: start.box.id, to: end.box.id, lines });
  }
  return [...routes.values()];
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

/** From a stack over into the gap, up or down, and into the other stack as k and v. */
function wayOver({ start, end: { box, node }, metrics, words, view }) {
  const { letters } = metrics;
  const at = centre(box);
  const out = isOnTop(start) ? wayOut({ start, metrics, words, view }) : wayAside(start);
  const lane = laneOf(start, metrics);
  const way = [...out, [lane, out.at(-1)[1]], [lane, at]];
  // What has no queries takes the memory as it is.
  if (box.folded || !node.entering.includes("query")) return [[...way, [box.x, at]]];
  const split = box.x - letters;
  return [-7, 7].map((shift, i) => {
    words.push({
      kind: "letter", x: split + 4, y: at + shift + (i ? 11 : -3), text: view.texts[i ? "value" : "key"],
    });
    return [...way, [split, at], [split, at + shift], [box.x, at + shift]];
  });
}

const isOnTop = ({ box, stack }) => [...stack.at.values()].every(({ y }) => box.y <= y);

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

/** Out of a layer that others stand on, on its inner side. */
const wayAside = ({ box }) => [[box.x + box.width, centre(box)]];

/** Where in the gap the arrows from a node go up or down: each node has its own way. */
function laneOf({ box, stack }, { bus }) {
  stack.lanes ??= [];
  if (!stack.lanes.includes(box.id)) stack.lanes.push(box.id);
  return bus + LANES[stack.lanes.indexOf(box.id) % LANES.length];
}

const LANES = [0, 4, -4, 8, -8];

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
