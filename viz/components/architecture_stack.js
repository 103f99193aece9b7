// One stack from the bottom up. y grows downward, as on the screen, and begins at 0.

const INPUTS = { encoder: "source", decoder: "target" };
const RADIUS = 7.5;

/** Everything of a stack: `open` is the one layer that is shown in full, null if all are. */
function stackOf(name, view, metrics, open) {
  const stack = {
    name, view, metrics, ...metrics.stacks[name], y: 0, from: null,
    parts: [], frames: [], sums: [], arrows: [], words: [], receivers: [],
  };
  addInput(stack);
  for (let i = 0; i < view.layers[name]; i += 1) {
    if (open === null || open === i) addLayer(stack, i);
    else addFoldedLayer(stack, i);
  }
  if (view.norm === "pre") join(stack, addBox(stack, `${name}.norm`, metrics.gap));
  if (name === "decoder") addOutput(stack);
  return stack;
}

function addBox(stack, id, gap, shape = {}) {
  const { metrics, x, width } = stack;
  const height = shape.height ?? metrics.heights[readId(id).kind];
  const part = { id, node: id, x, y: stack.y - gap - height, width, height, ...shape };
  stack.parts.push(part);
  stack.y = part.y;
  return part;
}

const addArrow = (stack, kind, to, ...lines) =>
  stack.arrows.push({ kind, from: stack.from.id, to, lines });

/** An arrow from what came before straight up into a box, which then is what came before. */
function join(stack, { node, y, height }, kind = "flow") {
  const { middle, from } = stack;
  addArrow(stack, kind, node, [[middle, from.y], [middle, y + height]]);
  stack.from = { id: node, y };
}

/** The tokens, their embedding, and the positions added to it. */
function addInput(stack) {
  const { name, metrics, middle, side, outward } = stack;
  addPill(stack, INPUTS[name], 0);
  join(stack, addBox(stack, `${name}.embedding`, metrics.gap));
  // However low the box is, the sum beside it leaves room for an arrow below.
  const gap = Math.max(metrics.near + 2, 22 - metrics.heights.positions / 2);
  const positions = addBox(stack, `${name}.positions`, gap, side);
  const sum = addSum(stack, `${name}.sum`, positions.y + positions.height / 2);
  const edge = outward < 0 ? positions.x + positions.width : positions.x;
  const level = sum.y;
  stack.arrows.push({
    kind: "positions", from: positions.id, to: sum.id,
    lines: [[[edge, level], [middle + outward * RADIUS, level]]],
  });
  stack.y = Math.min(positions.y, sum.y - RADIUS);
}

/** A ⊕ on the way up. */
function addSum(stack, id, y) {
  const { middle, from } = stack;
  addArrow(stack, "flow", id, [[middle, from.y], [middle, y + RADIUS]]);
  stack.sums.push({ id, x: middle, y });
  stack.from = { id, y: y - RADIUS };
  stack.y = y - RADIUS;
  return { id, y };
}

function addPill(stack, name, gap) {
  const { middle, width, view, metrics } = stack;
  const text = view.texts[name];
  const height = 20;
  const wide = Math.min(width, widthOf(text, 12, metrics.font) + 20);
  const y = stack.y - gap - height;
  const pill = { x: middle - wide / 2, y, width: wide, height, side: INPUTS[stack.name] };
  stack.words.push({
    kind: "pill", x: middle, y: y + 14, text: fitted(text, wide - 8, 12, metrics.font), pill,
  });
  if (stack.from) join(stack, { node: name, y, height });
  stack.from = { id: name, y };
  stack.y = y;
}

function addOutput(stack) {
  const { metrics } = stack;
  join(stack, addBox(stack, "output", metrics.gap));
  join(stack, addBox(stack, "softmax", metrics.gap));
  addPill(stack, "probabilities", metrics.gap);
}

/** A layer of which only the name is shown. */
function addFoldedLayer(stack, i) {
  const { name, metrics, frame, view } = stack;
  const folded = addBox(stack, `${name}.${i}.self`, metrics.between, {
    ...frame, height: metrics.heights.layer, node: `${name}.${i}`, layer: layerName(view, name, i),
  });
  join(stack, folded);
  if (name === "decoder") stack.receivers.push({ part: folded, folded: true });
}

function addLayer(stack, i) {
  const { name, metrics, frame, view } = stack;
  stack.y -= metrics.between;
  const bottom = stack.y;
  for (const sublayer of view.sublayers[name]) addSublayer(stack, `${name}.${i}.${sublayer}`);
  stack.y -= metrics.pad;
  const height = bottom - stack.y;
  stack.frames.push({ ...frame, y: stack.y, height });
  stack.words.push({
    kind: "turned", x: metrics.labels[name], y: stack.y + height / 2,
    text: fitted(layerName(view, name, i), height, 11, metrics.font),
  });
}

/** A sublayer with its norm and the arrow past it. */
function addSublayer(stack, id) {
  const { metrics, view } = stack;
  const pre = view.norm === "pre";
  const [start, fork] = [stack.from, stack.y - metrics.fork];
  if (pre) join(stack, addBox(stack, `${id}.norm`, metrics.gap));
  const { kind } = readId(id);
  const gaps = {
    self: metrics.split - (pre ? metrics.fork : 0), cross: metrics.query,
    feed_forward: pre ? metrics.near : metrics.gap,
  };
  enter(stack, addBox(stack, id, gaps[kind]), kind);
  if (pre) {
    const sum = addSum(stack, `${id}.sum`, stack.y - metrics.near - 2 - RADIUS);
    addResidual(stack, start, fork, { node: sum.id, y: sum.y, edge: stack.middle + stack.outward * RADIUS });
  } else {
    const norm = addBox(stack, `${id}.norm`, metrics.near);
    join(stack, norm);
    const edge = stack.outward < 0 ? norm.x : norm.x + norm.width;
    addResidual(stack, start, fork, { node: norm.id, y: norm.y + norm.height / 2, edge });
  }
}

function addResidual({ middle, around, arrows }, start, fork, { node, y, edge }) {
  const line = [[middle, start.y], [middle, fork], [around, fork], [around, y], [edge, y]];
  arrows.push({ kind: "residual", from: start.id, to: node, lines: [line] });
}

/** How data comes in from below: as q, k and v, as q alone, or as it is. */
function enter(stack, part, kind) {
  const { middle, from, metrics, words, view: { texts } } = stack;
  if (kind === "feed_forward") return join(stack, part);
  const bottom = part.y + part.height;
  const split = bottom + metrics.fan;
  const across = Math.min(48, part.width / 4);
  const shifts = kind === "cross" ? { query: 0 } : { query: -across, key: 0, value: across };
  for (const [letter, shift] of Object.entries(shifts)) {
    const line = [[middle, from.y], [middle, split], [middle + shift, split], [middle + shift, bottom]];
    addArrow(stack, letter, part.node, line);
    const beside = letter === "query" ? -13 : 6; // the arrow past the sublayer leaves on the right
    words.push({ kind: "letter", x: middle + shift + beside, y: bottom + 10, text: texts[letter] });
  }
  if (kind === "cross") stack.receivers.push({ part, folded: false });
  stack.from = { id: part.node, y: part.y };
}
