// Where everything stands: stacks side by side, or one above the other where it is narrow.

export const NARROW = 680; // pixels
const SPACE = { words: 84, title: 26, bus: 16, output: 74, memory: 64, side: 132, layer: 6 };
const FOLD = 24; // height of the strip that stands for layers that are folded
const LEAST_LAYER = 32; // height of a layer; where less is left for each, some are folded
const PARTS = { attention: 1, other: 0.42 }; // heights of sublayers
const HIGHEST = 128; // of an attention
const LEAST_SHARE = 0.3; // of the width, for the stack with fewer words
const WIDEST = 44; // between two tokens
const HEADS = { cell: 2.2, gap: 3, most: 58 };

/**
 * Sizes in pixels; y grows downwards, data flow upwards. `first` says for each side which layer is the
 * lowest that is not folded, where not all have room. `view.output`, if there is one, is the room above
 * the decoder.
 */
export function wholeLayout(width, room, view, first = {}) {
  const narrow = width < NARROW;
  const { stacks } = view;
  const beside = !narrow && stacks.length === 2;
  const heads = Math.max(0, ...stacks.flatMap(({ blocks }) => blocks.map((block) => block.heads)));
  const side = narrow ? 8 : SPACE.side;
  const tiles = !narrow && heads ? HEADS.most + 2 * HEADS.gap : 0;
  const tokens = beside ? stacks.reduce((sum, { tokens: { length } }) => sum + length, 0)
    : Math.max(...stacks.map(({ tokens: { length } }) => length));
  const columns = beside ? 2 : 1;
  const bus = beside && stacks.some(({ blocks }) => blocks.some(({ crosses, begins }) => crosses || begins)) ? SPACE.bus : 0;
  const free = width - columns * (side + tiles) - (columns - 1) * SPACE.memory;
  const unitOf = ({ tokens: { length } }) => {
    const share = beside ? Math.min(1 - LEAST_SHARE, Math.max(LEAST_SHARE, length / tokens)) : length / tokens;
    return Math.max(3, Math.min(WIDEST, (free * share) / length));
  };
  const height = beside || stacks.length === 1 ? room : 2 * room;
  const each = stacks.length === 1 || beside ? height : height / 2;
  let left = 0;
  const placed = stacks.map((stack, index) => {
    const unit = unitOf(stack);
    const wide = stack.tokens.length * unit;
    const output = stack.side === "target" ? view.output ?? (view.best.length ? SPACE.output : 0) : 0;
    const above = stack.side === "source" ? bus : output;
    const bottom = (beside || stacks.length === 1 ? height : height - index * each) - SPACE.words;
    const top = bottom - each + SPACE.words + SPACE.title + above;
    const x = left + side;
    if (beside) left = x + wide + tiles + SPACE.memory;
    const own = {
      ...stack, left: x, right: x + wide, top, bottom, tiles: tiles ? x + wide + HEADS.gap : null,
      end: x + wide + tiles, unit,
      centre: (token) => x + (token + 0.5) * unit, output,
    };
    return { ...own, ...placedBlocks(stack.blocks, top, bottom, first[stack.side]) };
  });
  return { width, height, narrow, beside, stacks: placed };
}

/** Sublayers from the bottom to the top, layers a little apart; strips stand for those that are folded. */
function placedBlocks(all, top, bottom, first) {
  const layers = [...new Set(all.map(({ layer }) => layer))];
  const shown = shownLayers(layers, bottom - top, first);
  const blocks = all.filter(({ layer }) => shown.includes(layer));
  const below = layers.slice(0, layers.indexOf(shown[0]));
  const above = layers.slice(below.length + shown.length);
  const floor = bottom - (below.length ? FOLD + SPACE.layer : 0);
  const ceiling = top + (above.length ? FOLD + SPACE.layer : 0);
  const parts = blocks.reduce((sum, block) => sum + part(block), 0);
  const scale = Math.min(HIGHEST, (floor - ceiling - shown.length * SPACE.layer) / parts);
  let y = floor;
  const placed = blocks.map((block, index) => {
    if (index && blocks[index - 1].layer !== block.layer) y -= SPACE.layer;
    const lower = y;
    y -= part(block) * scale;
    return { ...block, lower, upper: y };
  });
  const folds = [
    [below, bottom, Math.max(0, below.length - shown.length)],
    [above, y - SPACE.layer, below.length + shown.length],
  ].filter(([folded]) => folded.length)
    .map(([folded, lower, opens]) => ({ from: folded[0], to: folded.at(-1), lower, upper: lower - FOLD, opens }));
  const highest = Math.min(bottom, ...[...placed, ...folds].map(({ upper }) => upper));
  return { blocks: placed, folds, highest };
}

/** The layers that have room: the highest, or those from a chosen one on. */
function shownLayers(layers, height, first) {
  if (layers.length * LEAST_LAYER <= height) return layers;
  const most = Math.max(1, Math.floor((height - 2 * FOLD) / LEAST_LAYER));
  const last = Math.max(0, layers.length - most);
  const from = Math.min(first ?? last, last);
  return layers.slice(from, from + most);
}

const part = ({ heads }) => (heads ? PARTS.attention : PARTS.other);

/** Where the small maps of an attention's heads stand, and the size of a cell. */
export function tilesOf(block, { tiles }) {
  if (tiles === null || !block.heads) return [];
  const height = block.lower - block.upper - 4;
  const { heads, queries, keys } = block;
  const across = heads <= 4 ? 2 : Math.ceil(Math.sqrt(heads));
  const down = Math.ceil(heads / across);
  const cell = Math.min(
    HEADS.cell, (HEADS.most - (across - 1) * HEADS.gap) / across / keys,
    (height - (down - 1) * HEADS.gap) / down / queries);
  return Array.from({ length: heads }, (_, head) => ({
    head, cell, width: keys * cell, height: queries * cell,
    x: tiles + (head % across) * (keys * cell + HEADS.gap),
    y: block.upper + 2 + Math.floor(head / across) * (queries * cell + HEADS.gap),
  }));
}

const LANES = { bus: 3, row: 3, gap: 7, most: 14 }; // pixels between the lines of two heads

/** Where the lines of cross-attention enter its row, below its name, and how high they are together. */
export function crossing({ upper, lower, heads }) {
  const high = Math.min(LANES.row * (heads - 1), LANES.most, 0.4 * (lower - upper));
  return { middle: upper + 0.62 * (lower - upper), high };
}

/**
 * From a word of the encoder's output to a word of the decoder: along above the encoder, down between
 * the two stacks, and into the row; each head in a lane of its own.
 */
export function crossingPath(encoder, stack, block, { head, query, key }) {
  const { middle, high } = crossing(block);
  const of = block.heads > 1 ? head / (block.heads - 1) : 0;
  const bus = encoder.top - 2 - of * Math.min(LANES.bus * (block.heads - 1), LANES.most);
  const lane = encoder.end + 12 + of * Math.min(LANES.gap * (block.heads - 1), SPACE.memory - 28);
  const row = middle + (of - 0.5) * high;
  const x = encoder.centre(key);
  return [[x, encoder.top + 6], [x, bus], [lane, bus], [lane, row], [stack.centre(query), row]];
}

/** From the encoder's last word to the beginning of a unit of the decoder that begins with its state. */
export function handedPath(encoder, stack, block) {
  const x = encoder.centre(encoder.tokens.length - 1);
  const [bus, lane, row] = [encoder.top - 2, encoder.end + 24, block.lower - 0.2 * (block.lower - block.upper)];
  return [[x, encoder.top + 6], [x, bus], [lane, bus], [lane, row], [stack.left - 4, row]];
}

/** What a stack is called: a decoder alone, and one that writes all words at once, have other names. */
export function nameOf({ side }, { stacks }, view) {
  if (side === "source") return view.in_order ? "encoder.in.order" : "encoder";
  if (!view.last || view.isForced) return "parallel";
  return stacks.length === 1 ? "alone" : "decoder";
}
