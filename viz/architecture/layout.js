// The whole picture: how much room there is, and which layers are shown in full.

import { routesOf } from "./routes.js";
import { stackOf } from "./stack.js";

/** The arrows that come straight up from the node below. */
export const STRAIGHT = ["flow", "query", "key", "value"];

/** A picture with its nodes by id, and with what leads into each of them. */
export function indexed(view) {
  const nodes = new Map(view.nodes.map((node) => [node.id, { ...node, entering: [] }]));
  for (const { kind, end } of view.arrows) nodes.get(end).entering.push(kind);
  return { ...view, nodes };
}

export const nodesOf = (view, stack) => [...view.nodes.values()].filter((node) => node.stack === stack);

/** Whether a box stands beside the way of the data, into which nothing leads. */
export const isBeside = ({ shape, entering }) =>
  shape === "part" && !entering.some((kind) => STRAIGHT.includes(kind));

/** Boxes in which label and detail stand side by side. */
const isLow = ({ group }) => group === "norms" || group === "";

export const classOf = (group) => group.replace(/[^a-z]+/g, "-") || "plain";

const ruler = document.createElement("canvas").getContext("2d");

export function widthOf(text, size, font) {
  ruler.font = `${size}px ${font}`;
  return ruler.measureText(text).width;
}

/** A text that fits; what is cut is its end, the whole is in the tooltip. */
export function fitted(text, width, size, font) {
  if (widthOf(text, size, font) <= width) return text;
  const letters = Array.from(text);
  while (letters.length && widthOf(`${letters.join("")}…`, size, font) > width) letters.pop();
  return letters.length ? `${letters.join("").trimEnd()}…` : "";
}

/** A label on one line or, where that is too long, on two. */
export function inLines(text, width, size, font) {
  if (widthOf(text, size, font) <= width) return [text];
  const words = text.split(" ");
  let first = words.shift();
  while (words.length > 1 && widthOf(`${first} ${words[0]}`, size, font) <= width) {
    first += ` ${words.shift()}`;
  }
  const lines = words.length ? [first, words.join(" ")] : [first];
  return lines.map((line) => fitted(line, width, size, font));
}

const LIMIT = 700;

/** All boxes, arrows and words for a width. Layers fold when they would not fit on the screen. */
export function layoutOf(view, width, font) {
  const whole = (tight) => plan(view, metricsOf(view, width, font, tight), () => null);
  const close = metricsOf(view, width, font, true);
  const folds = (index) => -stackOf(index, view, close, null).y > LIMIT - 4;
  const folding = (tight) => plan(view, metricsOf(view, width, font, tight), (index) => (
    folds(index) ? openLayer(view, index) : null));
  const ways = [() => whole(false), () => whole(true), () => folding(false), () => folding(true)];
  let found;
  for (const way of ways) {
    found = way();
    if (found.height <= LIMIT) break;
  }
  return found;
}

/** The layer that stays open: the selected one, in the other stack its like. */
function openLayer(view, index) {
  const selected = view.nodes.get(view.selected);
  const below = nodesOf(view, selected.stack);
  const firstOfLayers = below.findIndex(({ layer }) => layer !== null);
  const wanted = selected.layer ?? (below.indexOf(selected) < firstOfLayers ? 0 : Infinity);
  return Math.min(wanted, view.stacks[index].layers.length - 1);
}

/** What lies on top where lines share a way. */
const above = ({ kind, from, to }, { selected }) =>
  (kind === "residual" ? 0 : 1) + (isNear({ kind, from, to }, selected) ? 2 : 0);

/** Whether an arrow leads to or from the selected part. */
export const isNear = ({ kind, from, to }, selected) => kind !== "tied" && (from === selected || to === selected);

function plan(view, metrics, opened) {
  const stacks = view.stacks.map((_, index) => stackOf(index, view, metrics, opened(index)));
  const gather = (what) => stacks.flatMap((stack) => stack[what]);
  const words = gather("words");
  const arrows = routesOf(view, stacks, metrics, words);
  const tops = stacks.map(({ y, remembered }) => y - (remembered ? metrics.rise + 15 : 0));
  const top = Math.min(...tops) - 3;
  return {
    top, height: 4 - top, width: metrics.width, words,
    parts: gather("parts"), frames: gather("frames"), sums: gather("sums"),
    arrows: arrows.sort((a, b) => above(a, view) - above(b, view)),
  };
}

/** Every distance of the picture. */
function metricsOf(view, width, font, tight) {
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
    ...(tight
      ? { gap: 11, near: 5, between: 6, pad: 4, fork: 4, split: 22, fan: 13, query: 15 }
      : { gap: 14, near: 6, between: 9, pad: 6, fork: 6, split: 26, fan: 14, query: 16 }),
  };
  metrics.heights = heightsOf(view, metrics, tight);
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
function heightsOf(view, { stacks: [column], font }, tight) {
  const parts = [...view.nodes.values()].filter(({ shape }) => shape === "part");
  const detailed = new Set(parts.filter(({ detail }) => detail).map(({ kind }) => kind));
  const heights = { layer: 19 };
  for (const node of parts) {
    const room = (isBeside(node) ? column.side.width : column.width) - 8;
    const lines = inLines(node.label, room, 12, font).length;
    const full = 14 * lines + (detailed.has(node.kind) ? 13 : 0) + (tight ? 4 : 7);
    const height = isLow(node) ? (tight ? 18 : 20) : full;
    heights[node.kind] = Math.max(height, heights[node.kind] ?? 0);
  }
  return heights;
}
