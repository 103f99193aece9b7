// One stack from the bottom up. y grows downward, as on the screen, and begins at 0.

import { fitted, isBeside, nodesOf, STRAIGHT, widthOf } from "./layout.js";

export const RADIUS = 7.5;

/** Where everything of a stack stands: `open` is the one layer shown in full, null if all are. */
export function stackOf(index, view, metrics, open) {
  const { name, layers } = view.stacks[index];
  const stack = {
    name, layers, view, metrics, ...metrics.stacks[index], y: 0, beside: null,
    parts: [], frames: [], sums: [], words: [],
    at: new Map(), // id → the box that it is, or that stands for it
    forks: new Map(), // block → the height at which an arrow past it begins
  };
  for (const { layer, nodes } of inLayers(nodesOf(view, name))) {
    if (layer === null) for (const node of nodes) addNode(stack, node);
    else if (open === null || open === layer) addLayer(stack, layer, nodes);
    else addFoldedLayer(stack, layer, nodes);
  }
  return stack;
}

/** Nodes of one layer that follow each other, together. */
function inLayers(nodes) {
  const found = [];
  for (const node of nodes) {
    if (found.at(-1)?.layer !== node.layer) found.push({ layer: node.layer, nodes: [] });
    found.at(-1).nodes.push(node);
  }
  return found;
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
  const wide = Math.min(width, widthOf(label, 12, metrics.font) + 20);
  const y = stack.y - (stack.at.size ? metrics.gap : 0) - height;
  const pill = { x: middle - wide / 2, y, width: wide, height };
  stack.words.push({
    kind: "pill", x: middle, y: y + 14, text: fitted(label, wide - 8, 12, metrics.font),
    pill: { ...pill, side: group },
  });
  stack.at.set(id, { id, ...pill });
  stack.y = y;
}

/** A layer of which only the name is shown; a click chooses the first of its sublayers. */
function addFoldedLayer(stack, layer, nodes) {
  const { name, metrics, frame, layers } = stack;
  const chosen = nodes.find(({ id, block }) => id === block) ?? nodes[0];
  const height = metrics.heights.layer;
  const part = {
    ...frame, id: chosen.id, node: chosen, layer: layers[layer],
    y: stack.y - metrics.between - height, height,
  };
  stack.parts.push(part);
  for (const { id } of nodes) stack.at.set(id, { ...part, id: `${name}.${layer}`, folded: true });
  stack.y = part.y;
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
