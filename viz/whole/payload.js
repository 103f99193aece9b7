// Reading the payload of viz.whole.pack: stacks with their layers, and the weights of each attention.

import { readFrame } from "../component/text.js";

const FULL = 65535;
const LEAST_ALIKE = { source: 0.7, target: 0.5 }; // shares of a sentence's tokens, where single ones count as changed

/** The pass as the model decodes; `forced`, where there is one, is the same on the true words. */
export function readWhole(data) {
  const { header, arrays } = readFrame(data);
  const weights = arrays.values();
  const free = passOf(header, weights);
  if (!header.forced) return free;
  const forced = passOf({ ...header, ...header.forced }, weights, free);
  return { ...free, forced };
}

/** One pass; of a forced one, the encoder's blocks are those of the free one. */
function passOf(header, weights, free = null) {
  const tokens = { source: header.source, target: header.fed };
  const read = header.sublayers.map(({ keys, ...each }) => ({
    ...each, queries: tokens[each.side].length, keys: keys ? tokens[keys].length : 0,
    silent: new Set(header.silenced.filter((name) => name.startsWith(`${each.site}:`))
      .map((name) => Number(name.split(":")[1]))),
    crosses: each.heads > 0 && keys !== each.side,
    // A decoder that writes all words at once has no mask.
    masked: each.heads > 0 && each.side === "target" && keys === each.side && header.best.length > 0,
    // A recurrent decoder that looks at no source begins with the encoder's last state.
    begins: header.hands_over && each.side === "target" && each.site.endsWith(".recurrent"),
    weights: each.heads ? weights.next().value : null,
  }));
  const blocks = [...(free?.stacks.flatMap((stack) => stack.blocks).filter(({ side }) => side === "source") ?? []), ...read];
  const stacks = ["source", "target"].filter((side) => tokens[side].length).map((side) => ({
    side, tokens: tokens[side],
    blocks: blocks.filter((block) => block.side === side).map((block, depth) => ({ ...block, depth })),
    norms: header.norms[side],
  }));
  return { ...header, stacks, last: header.best.length, open: openOf(header.open, blocks), isForced: free !== null };
}

/** What an address opens, a block or `site:head`; null where the model has none such. */
function openOf(open, blocks) {
  const [site, head] = (open ?? "").split(":");
  const block = blocks.find((each) => each.site === site);
  const exists = block && (head === undefined || (/^\d+$/.test(head) && Number(head) < block.heads));
  return exists ? open : null;
}

export const weightAt = ({ weights, queries, keys }, head, query, key) =>
  weights[(head * queries + query) * keys + key] / FULL;

/** The weights of a row that are large enough to be drawn, small ones first; found once. */
export function largeOfRow(block, query, least) {
  const rows = block.rows ??= new Map();
  if (!rows.has(query)) rows.set(query, foundInRow(block, query, least));
  return rows.get(query);
}

function foundInRow(block, query, least) {
  const found = [];
  for (let head = 0; head < block.heads; head += 1) {
    if (block.silent.has(head)) continue;
    for (let key = 0; key < block.keys; key += 1) {
      const weight = weightAt(block, head, query, key);
      if (weight >= least) found.push({ head, query, key, weight });
    }
  }
  return found.sort((one, other) => one.weight - other.weight);
}

/** The largest weight of the rows that there are, of all heads or of one. */
export function largestOfBlock(block, rows = block.queries, only = null) {
  let best = { weight: -1 };
  for (let head = 0; head < block.heads; head += 1) {
    if (block.silent.has(head) || (only !== null && head !== only)) continue;
    // The first word of a decoder can look at nothing but itself.
    for (let query = block.masked && rows > 1 ? 1 : 0; query < rows; query += 1) {
      for (let key = 0; key < block.keys; key += 1) {
        const weight = weightAt(block, head, query, key);
        if (weight > best.weight) best = { head, query, key, weight };
      }
    }
  }
  return best;
}

/** Which tokens are others than before, of each side: those outside of the longest common sequence. */
export function changedTokens(before, now) {
  const source = changedOf("source", LEAST_ALIKE.source);
  return source ? { source, target: changedOf("fed", LEAST_ALIKE.target) ?? new Set() }
    : { source: new Set(), target: new Set() };

  /** Null for another sentence, which is another one as a whole. */
  function changedOf(name, least) {
    const [old, own] = [before?.[name] ?? [], now[name]].map((labels) => labels.map(([text]) => text));
    const kept = commonSequence(old, own);
    return kept.size < least * own.length ? null : new Set([...own.keys()].filter((at) => !kept.has(at)));
  }
}

/** The places in `own` of its longest common sequence with `old`. */
function commonSequence(old, own) {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(own.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = own.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = old[i] === own[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const kept = new Set();
  for (let i = 0, j = 0; i < old.length && j < own.length;) {
    if (old[i] === own[j]) {
      kept.add(j);
      [i, j] = [i + 1, j + 1];
    } else if (lengths[i + 1][j] >= lengths[i][j + 1]) i += 1;
    else j += 1;
  }
  return kept;
}

/** The largest weight with which a token looks at another, in the sublayers in which its own side looks, or in a head. */
export function largestOfToken({ blocks }, token, only = "") {
  let best = { weight: -1 };
  for (const block of blocks.filter(({ heads, crosses }) => heads && !crosses)) {
    const found = foundInRow(block, token, 0).filter(({ head }) => ["", `${block.site}:${head}`].includes(only)).at(-1);
    if (found && found.weight > best.weight) best = { ...found, block };
  }
  return best;
}
