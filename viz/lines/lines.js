// The component: lines between two columns of tokens, the answers to pointer and keyboard, and the tooltip.

import { answerTools, nameTools } from "../component/figure.js";
import { isRecent, markDrawn, mount } from "../component/mount.js";
import { measured, roomNow, within } from "../component/pixels.js";
import { fill, fillParts, isolated, listed, localNumber } from "../component/text.js";
import { element, word } from "../component/tokens.js";
import { hideTooltip } from "../component/tooltip.js";
import {
  drawAll, drawSome, headColour, headColours, markHeads, markTokens, placeColumns, placeHeads,
} from "./drawing.js";
import { GUTTER, linesLayout } from "./layout.js";
import {
  countLines, grouped, largestOf, lineWeight, otherColumn, readLines, shownSlots,
} from "./payload.js";
import { linesSvg } from "./picture.js";

export default function (component) {
  return mount(component, ".lines", { create, receive, draw, leave });
}

function create(state, find) {
  const nodes = {
    figure: find("figure"), title: find("figcaption"), heads: find(".heads"), box: find(".box"),
    stage: find(".stage"), all: find("canvas.all"), some: find("canvas.some"),
    columns: { query: find(".column.query"), key: find(".column.key") },
    axes: { query: find(".axis.query"), key: find(".axis.key") },
    threshold: find(".threshold input"), leftOut: find(".threshold output"), note: find(".note"),
    tooltip: find(".tooltip"), live: find(".live"),
  };
  Object.assign(state, {
    nodes, rows: { query: [], key: [] }, roving: { query: 0, key: 0 }, marked: [], scrolled: 0,
    hover: null, focused: null, pinned: null, hidden: new Set(), threshold: 0,
  });
  Object.assign(state, measured(state, draw, nodes.columns.query, 13, 12));
  answerLinesPointer(state);
  answerLinesKeys(state);
  answerTools(state, find, ({ view }) => view.title, linesSvg);
}

function leave({ resting, portion, scrolling }) {
  clearTimeout(resting);
  [portion, scrolling].forEach(cancelAnimationFrame);
}

/** Take over other lines; between the same words the visitor's choices stay while they may be newer. */
function receive(state, data) {
  const view = readLines(data);
  if (view.words !== state.view?.words) {
    [state.hover, state.focused, state.touched] = [null, null, undefined];
  }
  state.view = view;
  if (!isRecent(state.touched)) {
    const [column, index] = view.pinned ?? [];
    state.pinned = view.pinned && { column, index };
    state.hidden = new Set(view.hidden);
    state.threshold = view.threshold;
  }
  const [column, index] = view.spoken ?? [];
  state.spoken = view.spoken && { column, index };
  // What the visitor has chosen meanwhile may not be there any more.
  if (state.pinned?.index >= view.counts[state.pinned?.column]) state.pinned = null;
  if (view.heads.every((head) => state.hidden.has(head))) state.hidden = new Set();
}

function draw(state) {
  const { view, nodes, width } = state;
  const { texts } = view;
  const placed = `${width} ${roomNow()} ${view.words}`;
  if (placed !== state.placed) {
    state.placed = placed;
    state.layout = linesLayout(width, view, state.textWidth, state.nameWidth);
    state.marked.length = 0;
    placeColumns(state);
    placeHeads(state);
    nodes.figure.querySelector(".legend .name").textContent = texts.width;
    state.scrolled = nodes.box.scrollTop;
  }
  nodes.title.textContent = view.title;
  nameTools(state.root.querySelector(".tools"), view.title, texts);
  nodes.all.setAttribute("aria-label", view.title);
  nodes.threshold.setAttribute("aria-label", texts.threshold);
  const notes = [texts.rest, view.masked && texts.mask, state.layout.scrolls && texts.scrolled,
    !view.exact && texts.rounded];
  nodes.note.textContent = notes.filter(Boolean).join(" · ");
  const style = getComputedStyle(state.root);
  state.colours = headColours(state);
  state.ink = {
    text: style.color, rule: getComputedStyle(nodes.box).borderTopColor, font: style.fontFamily,
  };
  nodes.threshold.value = state.threshold;
  markHeads(state);
  recount(state);
}

/** Count the lines and draw them: other ones are shown. */
function recount(state) {
  sayLeftOut(state);
  redraw(state);
}

/** Say how many lines are left out of those that would be drawn. */
function sayLeftOut(state) {
  const { view, nodes, threshold } = state;
  const counted = countLines(state);
  const values = { threshold: localNumber(threshold, 2), n: grouped(counted.n), total: grouped(counted.total) };
  state.leftOut = fill(view.texts["left.out"], values);
  const none = threshold > 0 && counted.n === counted.total;
  nodes.leftOut.textContent = none ? fill(view.texts["no.lines"], values) : state.leftOut;
}

/** Draw all lines in view, and the token's again. */
function redraw(state) {
  drawAll(state);
  showActive(state);
  markDrawn(state, "lines-drawn");
}

/** Show the lines of the token that is pointed at, reached by the keyboard, or kept. */
function showActive(state) {
  const active = state.hover ?? state.focused ?? state.pinned;
  if (!state.hover && !state.focused) hideTooltip(state);
  markTokens(state, active);
  drawSome(state, active);
  state.root.dataset.active = active ? `${active.column} ${active.index}` : "";
}

const THRESHOLD_RESTS = 300; // milliseconds until the server learns of it

const tokenAt = (event) => {
  const row = event.target.closest?.(".row");
  return row && { column: row.dataset.column, index: Number(row.dataset.index) };
};

export const sameToken = (one, other) => one?.column === other?.column && one?.index === other?.index;

function answerLinesPointer(state) {
  const { root, nodes } = state;
  root.onpointermove = (event) => hoverToken(state, tokenAt(event));
  root.onpointerleave = () => hoverToken(state, null);
  root.onclick = (event) => {
    const token = tokenAt(event);
    const head = event.target.closest("button.head");
    if (token) pinToken(state, token);
    if (head) toggleHead(state, Number(head.dataset.head));
  };
  nodes.box.onscroll = () => {
    if (state.scrolled === nodes.box.scrollTop) return;
    state.scrolled = nodes.box.scrollTop;
    hideTooltip(state);
    cancelAnimationFrame(state.scrolling);
    state.scrolling = requestAnimationFrame(() => {
      redraw(state);
      // The keyboard's token has just been brought into view.
      if (state.focused && !state.hover) showReading(state, state.focused);
    });
  };
  nodes.threshold.oninput = () => {
    state.threshold = Number(nodes.threshold.value);
    touch(state);
    recount(state);
    clearTimeout(state.resting);
    // Other words, which come meanwhile, bring the page's threshold with them.
    const { threshold } = state;
    state.resting = setTimeout(() => state.send("threshold", threshold), THRESHOLD_RESTS);
  };
}

/** Remember when the visitor changed something: what the server sends soon may be older. */
function touch(state) {
  state.touched = performance.now();
}

function hoverToken(state, token) {
  if (sameToken(token, state.hover)) return;
  state.hover = token;
  showActive(state);
  if (token) showReading(state, token);
}

/** Keep the lines of a token, or let go of the one that was kept. */
function pinToken(state, token) {
  state.pinned = sameToken(token, state.pinned) ? null : token;
  touch(state);
  if (token) reach(state, token);
  sayLeftOut(state);
  showActive(state);
  const { column = null, index = null } = state.pinned ?? {};
  state.send("pin", { side: column, index });
  if (state.pinned) say(state, state.pinned);
}

/** Hide or show a head; the last one stays. */
function toggleHead(state, head) {
  if (state.hidden.has(head)) state.hidden.delete(head);
  else if (state.hidden.size < state.view.heads.length - 1) state.hidden.add(head);
  else return;
  touch(state);
  markHeads(state);
  recount(state);
  state.send("heads", { hidden: [...state.hidden].sort((a, b) => a - b) });
}

/** Let Tab lead to this token of its column. */
function reach({ rows, roving }, { column, index }) {
  rows[column][roving[column]].tabIndex = -1;
  roving[column] = index;
  rows[column][index].tabIndex = 0;
}

function answerLinesKeys(state) {
  const { box } = state.nodes;
  box.onkeydown = (event) => {
    const token = tokenAt(event);
    if (!token) return;
    if (event.key === "Escape" && state.pinned) pinToken(state, state.pinned);
    if (event.key === "Escape") hideTooltip(state);
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      pinToken(state, token);
    }
    const moved = movedTo(state, event, token);
    if (!moved) return;
    event.preventDefault();
    reach(state, moved);
    state.rows[moved.column][moved.index].focus();
  };
  // Chromium knows these as events only; a root is given its listeners once.
  box.addEventListener("focusin", (event) => {
    const token = tokenAt(event);
    // Only for the keyboard: a click says itself which token it means.
    if (!token || !event.target.matches(":focus-visible")) return;
    state.focused = token;
    state.hover = null;
    showActive(state);
    showReading(state, token);
    say(state, token);
  });
  box.addEventListener("focusout", () => {
    if (!state.focused) return;
    state.focused = null;
    showActive(state);
  });
}

/** Where a key leads from a token: within its column, or to the same height in the other. */
function movedTo({ view: { counts } }, { key }, { column, index }) {
  const within = (to, at) => Math.min(counts[to] - 1, Math.max(0, at));
  if (key === "ArrowLeft" && column === "key") return { column: "query", index: within("query", index) };
  if (key === "ArrowRight" && column === "query") return { column: "key", index: within("key", index) };
  const to = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: Infinity }[key];
  return to === undefined ? null : { column, index: within(column, to) };
}

const PARTNERS = 5; // of one head; of each of several heads only the first

const textOf = (view, column, index) => view.labels[column][index][0];

/** The largest weights of a token in words: one entry per line, its token set apart. */
function partnersOf(state, token) {
  const { view } = state;
  const slots = shownSlots(state);
  const several = view.heads.length > 1;
  return slots.flatMap((slot) =>
    largestOf(view, slot, token, several ? 1 : PARTNERS).map(({ index, weight }) => ({
      head: several ? view.heads[slot] : null,
      text: textOf(view, otherColumn(token.column), index),
      weight: lineWeight(view, weight),
    })));
}

/** The tooltip of a token. */
function readingOf(state, token) {
  const { view } = state;
  const { texts } = view;
  const name = word(textOf(view, token.column, token.index));
  const first = element("span", "line");
  first.append(...fillParts(texts[token.column === "query" ? "looks" : "looked"], { token: name }));
  const lines = [first];
  const partners = partnersOf(state, token);
  for (const { head, text, weight } of partners) {
    const line = element("span", "line partner");
    if (head !== null) {
      const colour = element("span", "line-colour");
      colour.style.background = headColour(head);
      line.append(colour, `${fill(texts.head, { head })} `);
    }
    line.append(word(text), " ", element("b", "", weight));
    lines.push(line);
  }
  if (!partners.length) lines.push(element("span", "line", texts.nothing));
  if (token.column === "query" && view.predicted.length) {
    const last = element("span", "line quiet");
    last.append(...fillParts(texts["row.decoder"], {
      fed: word(textOf(view, "query", token.index)), predicted: word(view.predicted[token.index][0]),
    }));
    lines.push(last);
  }
  return lines;
}

/** Put the tooltip into the gutter beside a token or, where that is narrow, above or below it. */
function showReading(state, token) {
  const { root, rows, layout, nodes } = state;
  const { tooltip } = nodes;
  const fits = layout.gutter >= 150;
  tooltip.style.maxWidth = fits ? `${layout.gutter - 10}px` : "";
  tooltip.replaceChildren(...readingOf(state, token));
  tooltip.hidden = false;
  const row = rows[token.column][token.index].getBoundingClientRect();
  const [{ y: upper }, { y: lower }] = [row.top, row.bottom].map((clientY) =>
    within(root, { clientX: row.left, clientY }));
  const room = root.offsetHeight - tooltip.offsetHeight;
  const below = root.offsetHeight - lower >= upper;
  const beside = Math.max(0, Math.min(upper - 2, room));
  const outside = below ? Math.min(lower + 4, Math.max(room, 0)) : upper - 4 - tooltip.offsetHeight;
  const away = layout.width - layout.gutter + GUTTER.gap;
  const left = token.column === "query" ? 0 : Math.min(away, root.offsetWidth - tooltip.offsetWidth);
  tooltip.style.translate = `${Math.round(left)}px ${Math.round(fits ? beside : Math.max(0, outside))}px`;
}

/** Tell those who listen which token it is and what its largest weights are. */
function say(state, token) {
  const { view } = state;
  const partners = partnersOf(state, token).map(({ head, text, weight }) =>
    [...(head === null ? [] : [fill(view.texts.head, { head })]), isolated(text), weight].join(" "));
  const more = view.counts[otherColumn(token.column)] > partners.length && view.heads.length === 1;
  state.nodes.live.textContent = fill(view.texts.reading, {
    token: textOf(view, token.column, token.index),
    partners: (listed(partners) || view.texts.nothing) + (more ? " …" : ""),
  });
}
