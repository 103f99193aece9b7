// Where everything stands: stacks beside each other, or one after the other where it is narrow.

export const NARROW = 680; // pixels
export const TALL = 560; // height of a stack in a narrow picture, which is scrolled and not fitted to the window
const SPACE = { words: 84, title: 26, bus: 16, output: 74, memory: 64, side: 132, layer: 6 };
const IN_NARROW = { side: 8, memory: 22, lanes: 30 };
// Heights of sublayers other than attention, relative to an attention; of the strip that stands for folded layers;
// of the name that stands within a block; and the least of a layer, by that of its sublayers. There a finger finds
// each block.
const FITTED = { other: 0.42, fold: 24, name: 0, leastOf: () => 32 };
const SCROLLED = { other: 0.6, fold: 42, name: 18, leastOf: (parts) => SPACE.layer + (42 * parts) / 0.6 };
const LEAST_SHARE = 0.3; // of the width, for the stack with fewer words
const WIDEST = 44; // between two tokens of many
const LEAST_WIDE = 240; // of a stack with few tokens
const FINGER = 25; // least width of a word in a picture that is scrolled
const HEADS = { cell: 2.2, gap: 3, most: 58 };

/**
 * Sizes in pixels; y grows downwards, data flow upwards. A narrow picture `flips`: it is shown upside
 * down, so that it is read from the first word to the last (see `topOf`); where its words need more than
 * `shown` pixels, it is wider than that. `first` says for each side which layer is the lowest that is not
 * folded, where not all have room. `view.output`, if there is one, is the room above the decoder, and
 * `view.strip` that for a strip between words and blocks; a picture that `fits` has no blocks for a
 * finger to find.
 */
export function wholeLayout(shown, room, view, first = {}) {
  const narrow = shown < NARROW;
  const beside = !narrow && view.stacks.length === 2;
  const flips = narrow;
  const sizes = narrow && !view.fits ? SCROLLED : FITTED;
  const height = beside ? room : room * view.stacks.length;
  let [left, floor] = [0, height];
  const measured = measuredStacks(shown, view, { narrow, flips, beside });
  const stacks = measured.map(({ above, below, wide, margin, tiles, ...stack }) => {
    const [top, bottom] = [floor - room + above, floor - below];
    const x = left + margin;
    if (beside) left = x + wide + tiles + SPACE.memory;
    else floor -= room;
    return {
      ...stack, ceiling: top - above, floor: bottom + below, left: x, right: x + wide, top, bottom, tiles: tiles ? x + wide + HEADS.gap : null,
      end: x + wide + tiles, centre: (token) => x + (token + 0.5) * stack.unit,
      ...placedBlocks(stack.blocks, top, bottom, sizes, first[stack.side]),
    };
  });
  const lanes = measured[0].lanes;
  const width = flips ? Math.max(shown, ...stacks.map(({ right }) => right + lanes)) : shown;
  return { width, shown, height, narrow, flips, beside, stacks };
}

/** How wide each stack is, and how much of its height is above and below its blocks. */
function measuredStacks(width, view, { narrow, flips, beside }) {
  const { stacks } = view;
  const has = (what) => stacks.some(({ blocks }) => blocks.some((block) => block[what]));
  const reads = has("crosses") || has("begins");
  const margin = narrow ? IN_NARROW.side : SPACE.side;
  const tiles = !narrow && has("heads") ? HEADS.most + 2 * HEADS.gap : 0;
  const lanes = narrow && reads ? IN_NARROW.lanes : 0;
  const free = width - lanes - (beside ? 2 * (margin + tiles) + SPACE.memory : margin + tiles);
  // What is written last is fed to no step, and has a column of its own.
  const columnsOf = (stack) => stack.tokens.length + (stack.side === "target" && view.last ? 1 : 0);
  const all = stacks.map(columnsOf).reduce((sum, own) => (beside ? sum + own : Math.max(sum, own)));
  return stacks.map((stack) => {
    const columns = columnsOf(stack);
    const share = beside ? Math.min(1 - LEAST_SHARE, Math.max(LEAST_SHARE, columns / all)) : columns / all;
    const widest = Math.max(WIDEST, LEAST_WIDE / columns);
    const unit = Math.max(flips && !view.fits ? FINGER : 3, Math.min(widest, (free * share) / columns));
    const fills = stack.side === "source" && Object.keys(view.fills ?? {}).length;
    const output = stack.side === "target" ? view.output ?? (view.last && SPACE.output) : fills && SPACE.output;
    const bus = stack.side === "source" && reads ? SPACE.bus + (narrow ? IN_NARROW.memory : 0) : 0;
    const above = output + bus + (flips ? 0 : SPACE.title);
    const below = SPACE.words + (view.strip ?? 0) + (flips ? SPACE.title : 0);
    return { ...stack, unit, wide: columns * unit, margin, tiles, lanes, output, above, below };
  });
}

const shareOfBlock = ({ heads }, { other }) => (heads ? 1 : other);
const shareOf = (blocks, sizes) => blocks.reduce((sum, block) => sum + shareOfBlock(block, sizes), 0);

/** Where on the screen something begins that stands from `upper` to `lower`. */
export const topOf = ({ flips, height }, upper, lower) => (flips ? height - lower : upper);

/** Where on the screen the name of a stack stands: before its words, or above its output. */
export const titleTop = ({ floor, ceiling }, { flips, height }) => (flips ? height - floor : ceiling);

/** Sublayers from the bottom to the top, layers a little apart; strips stand for those that are folded. */
function placedBlocks(all, top, bottom, sizes, first) {
  const layers = [...new Set(all.map(({ layer }) => layer))];
  const least = sizes.leastOf(shareOf(all, sizes) / layers.length);
  const shown = shownLayers(layers, bottom - top, least, sizes.fold, first);
  const blocks = all.filter(({ layer }) => shown.includes(layer));
  const below = layers.slice(0, layers.indexOf(shown[0]));
  const above = layers.slice(below.length + shown.length);
  const floor = bottom - (below.length ? sizes.fold + SPACE.layer : 0);
  const ceiling = top + (above.length ? sizes.fold + SPACE.layer : 0);
  const scale = (floor - ceiling - (shown.length - 1) * SPACE.layer) / shareOf(blocks, sizes);
  let y = floor;
  const placed = blocks.map((block, index) => {
    if (index && blocks[index - 1].layer !== block.layer) y -= SPACE.layer;
    const lower = y;
    y -= shareOfBlock(block, sizes) * scale;
    return { ...block, lower, upper: y, foot: lower - sizes.name };
  });
  const folds = [
    [below, bottom, Math.max(0, below.length - shown.length)],
    [above, y - SPACE.layer, below.length + shown.length],
  ].filter(([folded]) => folded.length).map(([folded, lower, opens]) => ({
    from: folded[0], to: folded.at(-1), lower, upper: lower - sizes.fold, opens,
  }));
  const highest = Math.min(bottom, ...[...placed, ...folds].map(({ upper }) => upper));
  return { blocks: placed, folds, highest };
}

/** The layers that have room: the highest, or those from a chosen one on. */
function shownLayers(layers, height, least, fold, first) {
  if (layers.length * least <= height) return layers;
  const most = Math.max(1, Math.floor((height - 2 * fold) / least));
  const last = Math.max(0, layers.length - most);
  const from = Math.min(first ?? last, last);
  return layers.slice(from, from + most);
}

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
  return { middle: upper + 0.55 * (lower - upper), high };
}

/**
 * From a word of the encoder's output to a word of the decoder: along above the encoder, between the two
 * stacks or beside them, and into the row; each head in a lane of its own.
 */
export function crossingPath(encoder, stack, block, { head, query, key }) {
  const { middle, high } = crossing(block);
  const of = block.heads > 1 ? head / (block.heads - 1) : 0;
  const bus = encoder.top - 2 - of * Math.min(LANES.bus * (block.heads - 1), LANES.most);
  const [begin, room] = lanesOf(encoder, stack);
  const lane = begin + of * Math.min(LANES.gap * (block.heads - 1), room);
  const row = middle + (of - 0.5) * high;
  const x = encoder.centre(key);
  return [[x, encoder.top + 6], [x, bus], [lane, bus], [lane, row], [stack.centre(query), row]];
}

/** From the encoder's last word to the beginning of a unit of the decoder that begins with its state. */
export function handedPath(encoder, stack, block) {
  const x = encoder.centre(encoder.tokens.length - 1);
  const [begin, room] = lanesOf(encoder, stack);
  const [bus, lane, row] = [encoder.top - 2, begin + room / 3, block.lower - 0.2 * (block.lower - block.upper)];
  const end = lane < stack.left ? stack.left - 4 : stack.right + 4;
  return [[x, encoder.top + 6], [x, bus], [lane, bus], [lane, row], [end, row]];
}

/** Where the lanes from one stack to the other begin, and how wide they are together. */
const lanesOf = (encoder, stack) => (encoder.end < stack.left ? [encoder.end + 12, SPACE.memory - 28]
  : [Math.max(encoder.right, stack.right) + 8, IN_NARROW.lanes - 12]);

/** What a stack is called: a decoder alone, and one that writes all words at once, have other names. */
export function nameOf({ side }, { stacks }, view) {
  if (side === "source") return view.in_order ? "encoder.in.order" : "encoder";
  if (!view.last || view.isForced) return "parallel";
  return stacks.length === 1 ? "alone" : "decoder";
}
