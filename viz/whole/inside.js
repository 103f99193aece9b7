// Inside a block: the map of each of its heads, or how much it adds to each word.

import { magnified, within } from "../component/pixels.js";
import { fill, fillParts, localNumber } from "../component/text.js";
import { element, word } from "../component/tokens.js";
import { showTooltip } from "../component/tooltip.js";
import { mapImage } from "./drawing.js";
import { blockFinding } from "./parts.js";
import { weightAt } from "./payload.js";

const MAP = 132; // pixels of a map's longer side

export function showInside(state, site) {
  const { nodes: { inside }, layout, view } = state;
  const closes = state.open === site;
  closeInside(state);
  if (closes) return;
  state.open = site;
  const stack = layout.stacks.find(({ blocks }) => blocks.some((block) => block.site === site));
  const block = stack.blocks.find((each) => each.site === site);
  const { texts } = view;
  buttonOf(state, site).setAttribute("aria-expanded", true);
  inside.hidden = false;
  inside.ariaLabel = block.name;
  inside.querySelector("header b").textContent = block.name;
  inside.querySelector(".close").ariaLabel = texts.close;
  inside.querySelector(".largest").textContent = blockFinding(block, stack, view, rowsOf(state, stack, block));
  inside.querySelector(".hint").textContent = block.heads ? texts.rows : "";
  inside.querySelector(".maps").replaceChildren(
    ...Array.from({ length: block.heads }, (_, head) => headOf(block, head, view)));
  const besides = stack.left > layout.width / 2 ? stack.left - 20 - inside.offsetWidth : stack.right + 70;
  const left = Math.max(0, Math.min(layout.width - inside.offsetWidth, besides));
  inside.style.left = `${Math.round(left)}px`;
  inside.style.top = `${Math.round(Math.max(0, Math.min(block.upper, layout.height - inside.offsetHeight)))}px`;
  const changed = state.silencedLast && inside.querySelector(`[data-name="${state.silencedLast}"]`);
  state.silencedLast = null;
  (changed || inside.querySelector(block.heads ? ".map" : ".close")).focus();
}

export function closeInside(state) {
  const { nodes: { inside }, open } = state;
  inside.hidden = true;
  state.open = null;
  const button = open && buttonOf(state, open);
  if (!button) return;
  button.setAttribute("aria-expanded", false);
  button.focus();
}

const buttonOf = ({ nodes }, site) => nodes.blocks.querySelector(`[data-site="${site}"]`);

/** How many rows there are at the step. */
const rowsOf = (state, stack, block) =>
  (stack.side === "source" ? block.queries : Math.max(1, Math.min(state.step, block.queries)));

/** The cell of a map under the pointer, in words. */
export function showCell(state, canvas, event) {
  const { site, head } = canvas.closest(".map").dataset;
  const stack = state.layout.stacks.find(({ blocks }) => blocks.some((block) => block.site === site));
  const block = stack.blocks.find((each) => each.site === site);
  const { x, y } = within(canvas, event);
  const box = canvas.getBoundingClientRect();
  const query = Math.min(block.queries - 1, Math.floor((y / box.height) * magnified() * block.queries));
  const key = Math.min(block.keys - 1, Math.floor((x / box.width) * magnified() * block.keys));
  const keys = block.crosses ? state.view.source : stack.tokens;
  const line = element("span", "line");
  line.append(...fillParts(state.view.texts.cell, {
    query: word(stack.tokens[query][0]), key: word(keys[key][0]),
    weight: localNumber(weightAt(block, Number(head), query, key), 2),
  }));
  showTooltip(state, [line], event);
}

/** A head's map, and below it a switch. */
function headOf(block, head, { texts, silences }) {
  const node = element("div", "of-head");
  node.append(mapOf(block, head, texts));
  if (!silences) return node;
  const name = block.silent.has(head) ? "restore" : "silence";
  const button = element("button", "silence", texts[name]);
  Object.assign(button, { type: "button", ariaLabel: fill(texts[`${name}.head`], { head: String(head) }) });
  button.dataset.name = `${block.site}:${head}`;
  node.append(button);
  return node;
}

function mapOf(block, head, texts) {
  const { queries, keys } = block;
  const button = element("button", block.silent.has(head) ? "map off" : "map");
  Object.assign(button, { type: "button", ariaLabel: fill(texts["head.open"], { head: String(head) }) });
  Object.assign(button.dataset, { site: block.site, head });
  const title = element("b", "");
  const colour = element("span", "line-colour");
  colour.style.background = `var(--lab-head-${head % 16})`;
  title.append(colour, fill(texts.head, { head: String(head) }));
  const canvas = element("canvas", "");
  Object.assign(canvas, { width: keys, height: queries });
  canvas.getContext("2d").drawImage(mapImage(block, head), 0, 0);
  const scale = MAP / Math.max(queries, keys);
  canvas.style.setProperty("--map-width", `${Math.round(keys * scale)}px`);
  canvas.style.setProperty("--map-height", `${Math.round(queries * scale)}px`);
  button.append(title, canvas);
  return button;
}
