// Inside a block: the map of each of its heads, one head with its words, or what is added to each word.

import { magnified, within } from "../component/pixels.js";
import { setPixels } from "../component/plot.js";
import { fill, fillParts, localNumber } from "../component/text.js";
import { element, word } from "../component/tokens.js";
import { showTooltip } from "../component/tooltip.js";
import { mapImage, shownOf } from "./drawing.js";
import { topOf } from "./layout.js";
import { blockFinding, put } from "./parts.js";
import { largestOfBlock, weightAt } from "./payload.js";

const MAP = { few: 120, many: 100, narrow: 66 }; // pixels of a map's longer side
const FEW = 4; // heads
const NAMES = 108; // pixels from the end of what is open to the decoder
const HEAD = { map: 264, cell: 24, around: 40, above: 66, letter: 7.3, least: 0.005, most: 6 };
// Pixels of one head's map, of what stands around it and of its names; and which weights are listed beside it.

/** Open a block, or with `site:head` one head of it; what is open already closes. */
export function showInside(state, open, row = null) {
  const { nodes: { inside } } = state;
  const closes = state.open === open;
  closeInside(state);
  if (closes) return;
  [state.open, state.row] = [open, row];
  const shown = openedOf(state);
  buttonOf(state, shown.block.site).setAttribute("aria-expanded", true);
  inside.hidden = false;
  fillInside(state, shown);
  const { block, head } = shown;
  placeInside(state, shown);
  const changed = state.silencedLast && inside.querySelector(`[data-name="${state.silencedLast}"]`);
  state.silencedLast = null;
  const first = head === null && block.heads ? ".map" : ".close";
  (changed || inside.querySelector(first)).focus({ preventScroll: true });
}

/** Put what is open beside what the decoder writes, and between the words and the output: both stay in sight. */
function placeInside({ nodes: { inside }, layout }, { stack, block, upper, room }) {
  const across = layout.beside ? layout.stacks.at(-1).left - NAMES : layout.shown;
  setPixels(inside, { "--room": room, "--across": across });
  const besides = layout.beside ? across - inside.offsetWidth : stack.right + 70;
  const left = Math.max(0, Math.min(layout.shown - inside.offsetWidth, besides));
  const top = topOf(layout, block.upper, block.lower);
  put(inside, left, Math.max(upper, Math.min(top, upper + room - inside.offsetHeight)));
}

/** Where what is open may begin, and how high it may be. */
function roomInside({ beside, flips, stacks, height }, stack) {
  if (beside) return { upper: 0, room: stacks[0].bottom };
  const upper = flips ? height - stack.bottom : stack.highest;
  return { upper, room: stack.bottom - stack.highest };
}

export function closeInside(state) {
  const { nodes: { inside }, open } = state;
  inside.hidden = true;
  state.open = null;
  const button = open && buttonOf(state, siteOf(open));
  if (!button) return;
  button.setAttribute("aria-expanded", false);
  button.focus({ preventScroll: true });
}

export const siteOf = (open) => open.split(":")[0];
const buttonOf = ({ nodes }, site) => nodes.blocks.querySelector(`[data-site="${site}"]`);

/** The block that is open with its stack, its head if one is chosen, and how many rows there are. */
function openedOf({ open, layout, step, row, view, focus }) {
  const stack = layout.stacks.find(({ blocks }) => blocks.some(({ site }) => site === siteOf(open)));
  const block = stack.blocks.find(({ site }) => site === siteOf(open));
  const chosen = open.split(":")[1];
  const head = chosen === undefined ? null : Number(chosen);
  const { count, active } = shownOf(stack, { step, focus, view });
  const rows = Math.max(1, Math.min(count, block.queries));
  const keys = block.crosses ? view.source : stack.tokens;
  const query = Math.min(row ?? active ?? largestOfBlock(block, rows, head).query ?? 0, rows - 1);
  return { stack, block, head, rows, keys, query, layout, ...roomInside(layout, stack) };
}

function fillInside(state, shown) {
  const { nodes: { inside }, view } = state;
  const { stack, block, head, rows } = shown;
  const { texts, leads } = view;
  const name = head === null ? block.name : `${block.name}, ${fill(texts.head, { head: String(head) })}`;
  inside.ariaLabel = name;
  inside.classList.toggle("of-one", head !== null);
  inside.querySelector("header b").textContent = name;
  inside.querySelector(".close").ariaLabel = texts.close;
  const all = inside.querySelector(".all");
  all.hidden = head === null;
  all.textContent = texts.heads;
  inside.querySelector(".largest").textContent = blockFinding(block, stack, view, { rows, head });
  inside.querySelector(".size").textContent = block.size;
  inside.querySelector(".hint").textContent = texts[!block.heads ? "bars" : head === null ? "rows" : leads ? "cells" : "rows.of.head"];
  inside.querySelector(".maps").replaceChildren(...partsOf(shown, view));
}

function partsOf(shown, view) {
  const { block, head } = shown;
  if (!block.heads) return [barsOf(shown)];
  if (head !== null) return [wordMapOf(shown, view), besidesOf(shown, view)];
  return Array.from({ length: block.heads }, (_, each) => headOf(shown, each, view));
}

/** Draw what is open again, at another step. */
export function refreshInside(state) {
  state.row = null;
  fillInside(state, openedOf(state));
}

/** Look at another row of the head that is open. */
export function chooseRow(state, row) {
  state.row = row;
  fillInside(state, openedOf(state));
  state.nodes.inside.querySelector(`[data-row="${row}"]`)?.focus({ preventScroll: true });
}

/** The cell of a map under the pointer. */
export function cellAt(state, canvas, event) {
  const { block, keys, stack, head } = openedOf(state);
  const { x, y } = within(canvas, event);
  const box = canvas.getBoundingClientRect();
  const at = (place, size, count) => Math.min(count - 1, Math.floor((place / size) * magnified() * count));
  return {
    block, head: head ?? Number(canvas.closest(".map").dataset.head), keys, queries: stack.tokens,
    query: at(y, box.height, canvas.height), key: at(x, box.width, block.keys),
  };
}

/** The cell under the pointer in words. */
export function showCell(state, canvas, event) {
  const { block, head, queries, keys, query, key } = cellAt(state, canvas, event);
  const line = element("span", "line");
  line.append(...fillParts(state.view.texts.cell, {
    query: word(queries[query][0]), key: word(keys[key][0]),
    weight: localNumber(weightAt(block, head, query, key), 2),
  }));
  showTooltip(state, [line], event);
}

/** A head's map, and below it a switch. */
function headOf({ block, rows, layout }, head, view) {
  const { texts } = view;
  const size = MAP[layout.narrow ? "narrow" : block.heads > FEW ? "many" : "few"];
  const node = element("div", "of-head");
  const button = element("button", block.silent.has(head) ? "map off" : "map");
  Object.assign(button, { type: "button", ariaLabel: fill(texts["head.open"], { head: String(head) }) });
  Object.assign(button.dataset, { site: block.site, head });
  const title = element("b", "");
  const colour = element("span", "line-colour");
  colour.style.background = `var(--lab-head-${head % 16})`;
  title.append(colour, fill(texts.head, { head: String(head) }));
  button.append(title, canvasOf(block, head, size / Math.max(block.queries, block.keys), rows, rows));
  node.append(button, ...switchOf(block, head, view));
  return node;
}

/** A head's map as far as its rows are there, with room for as many as `height`. */
function canvasOf(block, head, cell, rows, height) {
  const { keys } = block;
  const canvas = element("canvas", block.masked ? "hides" : "");
  Object.assign(canvas, { width: keys, height });
  canvas.getContext("2d").drawImage(mapImage(block, head), 0, 0, keys, rows, 0, 0, keys, rows);
  canvas.style.setProperty("--map-width", `${Math.round(keys * cell)}px`);
  canvas.style.setProperty("--map-height", `${Math.round(height * cell)}px`);
  // What is clear in these rows is hidden by the mask.
  canvas.style.setProperty("--map-rows", `${Math.round(rows * cell)}px`);
  return canvas;
}

/** The switch that silences a head, where the page can do that. */
function switchOf(block, head, { texts, silences }) {
  if (!silences) return [];
  const name = block.silent.has(head) ? "restore" : "silence";
  const button = element("button", "silence control", texts[name]);
  Object.assign(button, { type: "button", ariaLabel: fill(texts[`${name}.head`], { head: String(head) }) });
  button.dataset.name = `${block.site}:${head}`;
  return [button];
}

/** A head's map with its words: a word on the left chooses its row. */
function wordMapOf({ stack, block, head, rows, keys, query, layout, room }, view) {
  const names = stack.tokens.map(([text], row) => (block.crosses ? writing(text, row, view) : text));
  const wide = layout.shown - HEAD.around - HEAD.letter * Math.max(...names.map(({ length }) => length));
  const high = layout.narrow ? Infinity : room - HEAD.above - HEAD.letter * Math.max(...keys.map(([text]) => text.length));
  const cell = Math.min(
    HEAD.cell, HEAD.map / Math.max(block.queries, block.keys), wide / block.keys, high / block.queries);
  const node = element("div", block.silent.has(head) ? "word-map off" : "word-map");
  node.style.setProperty("--cell", `${cell}px`);
  const above = element("div", "keys");
  above.append(...keys.map(([text]) => word(text)));
  const left = element("div", "queries");
  left.append(...names.map((name, row) => {
    const button = element("button", row === query ? "row chosen" : "row", name);
    const tabIndex = row === query ? 0 : -1;
    Object.assign(button, { type: "button", dir: "auto", disabled: row >= rows, tabIndex });
    button.dataset.row = row;
    return button;
  }));
  node.append(above, left, canvasOf(block, head, cell, rows, block.queries));
  return node;
}

/** A word that is fed, with the one that is then written: for that one it looks at the source. */
function writing(fed, row, view) {
  const written = view.best[row]?.[0][0];
  return written ? fill(view.texts.writing, { fed, written }) : fed;
}

/** The largest weights of the row, and the ways on. */
function besidesOf({ stack, block, head, keys, query }, view) {
  const { texts } = view;
  const node = element("div", block.silent.has(head) ? "besides off" : "besides");
  const from = element("p", "");
  const written = stack.side === "target" && view.best[query]?.[0][0];
  from.append(...fillParts(texts[written ? "takes.writing" : "takes"], {
    query: word(stack.tokens[query][0]), written: word(written || ""),
  }));
  const weights = keys.map(([text], key) => [text, weightAt(block, head, query, key)]);
  const listed = weights.filter(([, weight]) => weight >= HEAD.least)
    .sort(([, one], [, other]) => other - one).slice(0, HEAD.most);
  const bars = listed.map(([text, weight]) => barOf(text, weight, 1, localNumber(weight, 2)));
  const ways = (view.leads ? ["steps", "maps"] : []).map((way) => {
    const button = element("button", "way control", texts[way]);
    Object.assign(button, { type: "button", title: texts[`${way}.help`] });
    const most = weights.reduce((best, [, weight], key) => (weight > weights[best][1] ? key : best), 0);
    Object.assign(button.dataset, { way, site: block.site, head, query, key: most });
    return button;
  });
  const actions = element("div", "actions");
  actions.append(...switchOf(block, head, view), ...ways);
  node.append(actions, from, ...bars);
  return node;
}

/** How much the block adds to each word. */
function barsOf({ stack, block, rows }) {
  const node = element("div", "besides added");
  const largest = Math.max(...block.added.slice(0, rows), 1e-9);
  node.append(...stack.tokens.slice(0, rows).map(([text], token) =>
    barOf(text, block.added[token], largest, localNumber(block.added[token], 1))));
  return node;
}

function barOf(text, value, largest, number) {
  const node = element("div", "bar-row");
  const bar = element("i", "");
  bar.style.setProperty("--part", value / largest);
  node.append(word(text), bar, element("span", "", number));
  return node;
}
