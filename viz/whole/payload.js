// Reading the payload of viz.whole.pack: stacks with their layers, and the weights of each attention.

import { readFrame } from "../component/text.js";

const FULL = 65535;

export function readWhole(data) {
  const { header, arrays } = readFrame(data);
  let next = 0;
  const tokens = { source: header.source, target: header.fed };
  const blocks = header.sublayers.map(({ keys, ...each }) => ({
    ...each, queries: tokens[each.side].length, keys: keys ? tokens[keys].length : 0,
    silent: new Set(header.silenced.filter((name) => name.startsWith(`${each.site}:`))
      .map((name) => Number(name.split(":")[1]))),
    crosses: each.heads > 0 && keys !== each.side, weights: each.heads ? arrays[next++] : null,
  }));
  const stacks = ["source", "target"].filter((side) => tokens[side].length).map((side) => ({
    side, tokens: tokens[side], blocks: blocks.filter((block) => block.side === side),
    norms: header.norms[side],
  }));
  return { ...header, stacks, last: header.best.length };
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

/** The largest weight of the rows that there are. */
export function largestOfBlock(block, rows = block.queries) {
  let best = { weight: -1 };
  for (let head = 0; head < block.heads; head += 1) {
    for (let query = 0; query < rows; query += 1) {
      for (let key = 0; key < block.keys; key += 1) {
        const weight = weightAt(block, head, query, key);
        if (weight > best.weight) best = { head, query, key, weight };
      }
    }
  }
  return best;
}

/** The tokens that are others than before, from the first that differs to the last, of each side. */
export function changedTokens(before, now) {
  const of = (name) => {
    const [old, own] = [before?.[name] ?? [], now[name]].map((labels) => labels.map(([text]) => text));
    let first = 0;
    while (first < own.length && own[first] === old[first]) first += 1;
    let last = 0;
    while (last < own.length - first && last < old.length - first && own.at(-1 - last) === old.at(-1 - last)) last += 1;
    // Another sentence is another one as a whole.
    return own.length - first - last > own.length / 2 ? [0, 0] : [first, own.length - last];
  };
  return { source: of("source"), target: of("fed") };
}
