// The two columns of tokens, the heads above them, and the lines on two canvases as large as the view:
// all lines, and above them those of one token.

import { smallestText } from "../component/pixels.js";
import { axisToken, resized, setPixels } from "../component/plot.js";
import { ended, fill, joined } from "../component/text.js";
import { element } from "../component/tokens.js";
import { bendOf, rowsInView } from "./layout.js";
import {
  endsOf, linesInView, linesOfToken, lineWeight, otherColumn, pairsOf, shownSlots,
} from "./payload.js";

/** Rows of both columns; the one that the keyboard reaches first is row 0. */
export function placeColumns(state) {
  const { view, nodes, layout } = state;
  const { texts, counts } = view;
  const names = axisNames(view);
  setPixels(nodes.figure, {
    "--step": layout.step, "--left": layout.left, "--right": layout.right,
    "--width": layout.width, "--height": layout.height, "--content": layout.content,
    "--gutter": layout.gutter, "--query": layout.query, "--key": layout.key, "--fed": layout.fed,
    "--out": layout.out, "--thickest": layout.thickest,
  });
  nodes.figure.classList.toggle("small", layout.small);
  nodes.figure.classList.toggle("narrow", layout.narrow);
  nodes.box.classList.toggle("scrolls", layout.scrolls);
  for (const column of ["query", "key"]) {
    nodes.axes[column].textContent = names[column];
    nodes.columns[column].setAttribute("aria-label", joined(ended(names[column]), texts.help));
    const rows = Array.from({ length: counts[column] }, (_, index) => rowOf(state, column, index));
    state.rows[column] = rows;
    state.roving[column] = Math.min(state.roving[column], counts[column] - 1);
    rows[state.roving[column]].tabIndex = 0;
    nodes.columns[column].replaceChildren(...rows);
  }
}

/** Whose tokens stand in each column, and what they are there for. */
export function axisNames({ texts, sides, predicted }) {
  const role = predicted.length ? texts["query.decoder"] : texts.query;
  return {
    query: fill(texts.axis, { side: texts[sides[0]], role }),
    key: fill(texts.axis, { side: texts[sides[1]], role: texts.key }),
  };
}

function rowOf({ view, layout, textWidth }, column, index) {
  const row = element("div", "row");
  row.setAttribute("role", "option");
  row.tabIndex = -1;
  Object.assign(row.dataset, { column, index });
  const side = view.sides[column === "query" ? 0 : 1];
  const name = (label, of, at) => axisToken(label, of, at, view.texts, textWidth, layout.longest);
  row.append(name(view.labels[column][index], side, index));
  if (column === "query" && view.predicted.length) {
    const out = name(view.predicted[index], "target", index + 1);
    out.classList.add("predicted");
    row.append(element("span", "arrow", "→"), out);
  }
  return row;
}

/** One entry per head: a switch where there are several. */
export function placeHeads({ view, nodes }) {
  const { heads, texts } = view;
  nodes.heads.setAttribute("aria-label", texts.heads);
  nodes.heads.replaceChildren(...heads.map((head) => {
    const entry = element(heads.length > 1 ? "button" : "span", "head");
    if (heads.length > 1) {
      entry.type = "button";
      entry.setAttribute("role", "checkbox");
    }
    entry.dataset.head = head;
    const line = element("span", "line-colour");
    line.style.background = headColour(head);
    entry.append(line, fill(texts.head, { head }));
    return entry;
  }));
}

/** The head's name among the theme's colours; after the sixteenth they begin again. */
export const headColour = (head) => `var(--lab-head-${head % 16})`;

export function markHeads({ nodes, hidden }) {
  for (const entry of nodes.heads.children) {
    const shown = !hidden.has(Number(entry.dataset.head));
    entry.classList.toggle("off", !shown);
    if (entry.type) entry.setAttribute("aria-checked", shown);
  }
}

/** Mark the token whose lines are shown, and the one that is kept. */
export function markTokens(state, active) {
  const { marked, pinned, spoken, rows } = state;
  for (const row of marked) {
    row.classList.remove("active", "pinned", "spoken");
    row.removeAttribute("aria-selected");
  }
  marked.length = 0;
  const add = (token, name) => {
    const row = token && rows[token.column][token.index];
    if (!row) return;
    row.classList.add(name);
    if (name === "pinned") row.setAttribute("aria-selected", true);
    marked.push(row);
  };
  add(spoken, "spoken");
  add(pinned, "pinned");
  add(active, "active");
}

const OPACITY = 0.72; // of a line among all lines, so that crossing ones can be seen
const FAINT = 0.12; // of a line beside those of the token that is spoken of
const PORTION = { first: 40, next: 10 }; // milliseconds of drawing in a frame

/** The context of a canvas that covers what is in view, empty, in CSS pixels. */
function freshCanvas(canvas, { width, height, ratio }) {
  const [across, down] = [Math.ceil(width * ratio), Math.ceil(height * ratio)];
  const context = resized(canvas, across, down);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, across, down);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/** Colours of the heads as a canvas takes them. */
export function headColours({ root, view }) {
  const style = getComputedStyle(root);
  return view.heads.map((head) => style.getPropertyValue(`--lab-head-${head % 16}`));
}

/** All lines with an end in view. Very many are drawn in portions, so that nothing else waits. */
export function drawAll(state) {
  const { nodes, layout, scrolled } = state;
  const lines = linesInView(state, rowsInView(layout, scrolled));
  const context = freshCanvas(nodes.all, layout);
  cancelAnimationFrame(state.portion);
  const go = (from, milliseconds) => {
    const end = strokeAll(state, context, lines, from, performance.now() + milliseconds);
    if (end < lines.length) state.portion = requestAnimationFrame(() => go(end, PORTION.next));
    else state.root.dataset.whole = true;
  };
  delete state.root.dataset.whole;
  go(0, PORTION.first);
}

/** Lines among others, above them those of the token that is spoken of; returns where to go on. */
export function strokeAll(state, context, lines, from = 0, until = Infinity) {
  const { spoken } = state;
  context.globalAlpha = spoken ? FAINT : OPACITY;
  const end = strokeLines(state, context, lines, from, until);
  context.globalAlpha = 1;
  if (spoken && end === lines.length) strokeLines(state, context, linesOfToken(state, spoken));
  return end;
}

/** Stroke lines until the time is over; returns where to go on. */
function strokeLines(state, context, lines, from = 0, until = Infinity) {
  const { view, layout, scrolled, colours } = state;
  const { left, right, step, thickest, starts } = layout;
  const middle = (left + right) / 2;
  for (let i = from; i < lines.length; i += 1) {
    if (i % 128 === 127 && performance.now() > until) return i;
    const { slot, query, key } = endsOf(view, lines[i]);
    const [y, end] = [(query + 0.5) * step - scrolled, (key + 0.5) * step - scrolled];
    context.strokeStyle = colours[slot];
    context.lineWidth = view.weights[lines[i]] * view.unit * thickest;
    context.beginPath();
    context.moveTo(starts[query], y);
    context.lineTo(left, y);
    const bend = bendOf(state, slot);
    context.bezierCurveTo(middle, y + bend, middle, end + bend, right, end);
    context.stroke();
  }
  return lines.length;
}

/** The lines of one token alone, with its weights; without a token all lines again. */
export function drawSome(state, token) {
  const { nodes, layout } = state;
  nodes.stage.classList.toggle("some-only", Boolean(token));
  const context = freshCanvas(nodes.some, layout);
  if (token) drawToken(state, context, token);
}

/** The lines of a token, and its weights beside the tokens at the other end. */
export function drawToken(state, context, token) {
  strokeLines(state, context, linesOfToken(state, token));
  drawWeights(state, context, token);
}

const NUMBERED = { most: 8, least: 0.001 };

/**
 * One bar along the row where there is one head; else one upright bar for each head, from the
 * bottom of the row (0) to its top (1).
 */
export function weightBars({ view, layout, hidden }, token) {
  const away = token.column === "query";
  const { step, right, key, gutter, bar, gap } = layout;
  const start = away ? right + key + gap : gutter - gap;
  const beside = bar ? bar + 6 : gap;
  const several = view.heads.length > 1;
  const width = bar / view.heads.length;
  const bars = [];
  const largest = new Map();
  for (const slot of shownSlots({ view, hidden })) {
    for (const at of pairsOf(view, slot, token)) {
      const index = endsOf(view, at)[otherColumn(token.column)];
      const weight = view.weights[at] * view.unit;
      largest.set(index, Math.max(largest.get(index) ?? 0, weight));
      const [wide, high] = several
        ? [Math.max(1, width - 1), weight * (step - 4)] : [weight * bar, step - 10];
      const offset = several ? slot * width : 0;
      const bottom = (index + 1) * step - (several ? 2 : 5);
      const x = away ? start + offset : start - bar + (several ? offset : bar - wide);
      bars.push({ slot, index, weight, x, y: bottom - high, width: wide, height: high });
    }
  }
  const numbers = [...largest].filter(([, weight]) => weight >= NUMBERED.least)
    .sort((a, b) => b[1] - a[1]).slice(0, NUMBERED.most)
    .map(([index, weight]) => ({
      index, text: lineWeight(view, weight), y: (index + 0.5) * step,
      x: away ? start + beside : start - beside, align: away ? "left" : "right",
    }));
  const rules = several ? [...largest.keys()].map((index) => ({
    x: away ? start : start - bar, y: (index + 1) * step - 2, width: bar,
  })) : [];
  return { bars, numbers, rules };
}

/** The same on a canvas or in a picture, as far as it is in view. */
function drawWeights(state, context, token) {
  const { layout, scrolled, colours, ink } = state;
  const [first, last] = rowsInView(layout, scrolled);
  const inView = ({ y }) => y >= first * layout.step && y <= (last + 1) * layout.step;
  const { bars, numbers, rules } = weightBars(state, token);
  context.fillStyle = ink.rule;
  for (const rule of rules.filter(inView)) context.fillRect(rule.x, rule.y - scrolled, rule.width, 1);
  for (const bar of bars) {
    if (!bar.weight || !inView(bar)) continue;
    context.fillStyle = colours[bar.slot];
    context.fillRect(bar.x, bar.y - scrolled, bar.width, bar.height);
  }
  context.fillStyle = ink.text;
  context.textBaseline = "middle";
  context.font = `${layout.small ? Math.max(11, smallestText()) : 12}px ${ink.font}`;
  for (const number of numbers.filter(inView)) {
    context.textAlign = number.align;
    context.fillText(number.text, number.x, number.y - scrolled);
  }
}
