// The whole picture: how much room there is, which layers are shown in full, what links the stacks.

const LIMIT = 700;
const STACKS = ["encoder", "decoder"];

/** All boxes, arrows and words for a width. Layers fold when they would not fit on the screen. */
function layoutOf(view, width, font) {
  const whole = (tight) => plan(view, metricsOf(view, width, font, tight), () => null);
  const close = metricsOf(view, width, font, true);
  const folds = (name) => -stackOf(name, view, close, null).y > LIMIT - 4;
  const folding = (tight) => plan(view, metricsOf(view, width, font, tight), (name) => (
    folds(name) ? openLayer(view, name) : null));
  const ways = [() => whole(false), () => whole(true), () => folding(false), () => folding(true)];
  let found;
  for (const way of ways) {
    found = way();
    if (found.height <= LIMIT) break;
  }
  return found;
}

/** The layer that stays open: the selected one, in the other stack its like. */
function openLayer({ selected, layers }, name) {
  const { layer, kind } = readId(selected);
  const wanted = layer ?? (["embedding", "positions"].includes(kind) ? 0 : Infinity);
  return Math.min(wanted, layers[name] - 1);
}

/** What lies on top where lines share a way. */
const above = ({ kind, from, to }, { selected }) =>
  (kind === "residual" ? 0 : 1) + (isNear({ kind, from, to }, selected) ? 2 : 0);

/** Whether an arrow leads to or from the selected part. */
const isNear = ({ kind, from, to }, selected) => kind !== "tied" && (from === selected || to === selected);

function plan(view, metrics, opened) {
  const [encoder, decoder] = STACKS.map((name) => stackOf(name, view, metrics, opened(name)));
  const gather = (what) => [...encoder[what], ...decoder[what]];
  const words = gather("words");
  const memory = memoryArrows(encoder, decoder, metrics, words);
  const tied = view.tied ? tiedLines(gather("parts"), metrics, words, view.texts) : [];
  const top = Math.min(decoder.y, encoder.y - (memory.length ? metrics.rise + 15 : 0)) - 3;
  return {
    top, height: 4 - top, width: metrics.width, words,
    parts: gather("parts"), frames: gather("frames"), sums: gather("sums"),
    arrows: [...gather("arrows"), ...memory, ...tied].sort((a, b) => above(a, view) - above(b, view)),
  };
}

/** What the encoder made goes up, over into the gap and to every layer of the decoder. */
function memoryArrows({ y, middle, from, view }, { receivers }, metrics, words) {
  if (!receivers.length) return [];
  const { bus, rise, letters } = metrics;
  const level = y - rise;
  words.push({ kind: "beside", x: middle + 7, y: level - 4, text: view.texts.memory });
  return receivers.map(({ part, folded }) => {
    const at = part.y + part.height / 2;
    const way = [[middle, from.y], [middle, level], [bus, level], [bus, at]];
    if (folded) return { kind: "memory", from: from.id, to: part.node, lines: [[...way, [part.x, at]]] };
    const split = part.x - letters;
    const lines = [-7, 7].map((shift, i) => {
      words.push({
        kind: "letter", x: split + 4, y: at + shift + (i ? 11 : -3), text: view.texts[i ? "value" : "key"],
      });
      return [...way, [split, at], [split, at + shift], [part.x, at + shift]];
    });
    return { kind: "memory", from: from.id, to: part.node, lines };
  });
}

/** One matrix in three places: dashes from the one embedding to the other and on to the output. */
function tiedLines(parts, { width, font }, words, texts) {
  const find = (id) => parts.find((part) => part.id === id);
  const [source, target, output] = ["encoder.embedding", "decoder.embedding", "output"].map(find);
  const middle = ({ y, height }) => y + height / 2;
  const [left, right] = [source.x + source.width, target.x];
  words.push({
    kind: "tie", x: (left + right) / 2, y: middle(source) - 5,
    text: fitted(texts.tied, right - left - 4, 11, font),
  });
  const [end, outside] = [target.x + target.width, width - 4];
  const over = [[left, middle(source)], [right, middle(target)]];
  const up = [[end, target], [outside, target], [outside, output], [end, output]]
    .map(([x, part]) => [x, middle(part)]);
  return [
    { kind: "tied", from: source.id, to: target.id, lines: [over] },
    { kind: "tied", from: target.id, to: output.id, lines: [up] },
  ];
}

/** Every distance of the picture. */
function metricsOf(view, width, font, tight) {
  const narrow = width < 470;
  const outside = 18; // for the names of the layers
  const shared = view.tied ? 10 : 0;
  const [past, inner, letters] = narrow ? [14, 5, 19] : [24, 10, 26];
  const least = narrow ? 12 : 26;
  const free = width - 2 * outside - shared - 2 * past - inner - letters - 6 - least;
  const box = Math.min(210, Math.floor(free / 2));
  const gap = least + free - 2 * box;
  const encoder = outside + past;
  const decoder = encoder + box + inner + gap + letters + 6;
  const metrics = {
    width, font, letters, rise: 14,
    bus: encoder + box + inner + gap / 2,
    labels: { encoder: outside - 6, decoder: decoder + box + past + outside - 6 },
    stacks: {
      encoder: column(encoder, box, -1, past, inner, outside),
      decoder: column(decoder, box, 1, past, letters + 6, outside),
    },
    ...(tight
      ? { gap: 11, near: 5, between: 6, pad: 4, fork: 4, split: 22, fan: 13, query: 15 }
      : { gap: 14, near: 6, between: 9, pad: 6, fork: 6, split: 26, fan: 14, query: 16 }),
  };
  metrics.heights = heightsOf(view, metrics, tight);
  return metrics;
}

/** Where the boxes of a stack stand, the arrow past them (on the outer side) and the frame. */
function column(x, width, outward, past, inner, outside) {
  const middle = x + width / 2;
  const reach = width / 2 - 24 + past + outside - 2;
  return {
    x, width, middle, outward,
    around: outward < 0 ? x - past * 0.55 : x + width + past * 0.55,
    frame: { x: x - (outward < 0 ? past : inner), width: width + past + inner },
    side: { x: outward < 0 ? middle - 24 - reach : middle + 24, width: reach },
  };
}

/** As much as the words of a kind need, the same for all of that kind. */
function heightsOf(view, { stacks: { encoder }, font }, tight) {
  const heights = { norm: tight ? 18 : 20, softmax: tight ? 18 : 20, layer: 19 };
  const detailed = new Set(Object.keys(view.details).map((id) => readId(id).kind));
  for (const id of view.ids) {
    const { kind } = readId(id);
    if (kind === "norm" || kind === "softmax") continue;
    const room = (kind === "positions" ? encoder.side.width : encoder.width) - 8;
    const lines = inLines(labelOf(view, id), room, 12, font).length;
    const height = 14 * lines + (detailed.has(kind) ? 13 : 0) + (tight ? 4 : 7);
    heights[kind] = Math.max(height, heights[kind] ?? 0);
  }
  return heights;
}
