// The component: what it shows and what it answers to. Drawn anew in place, never rebuilt.

import { answerTools, nameTools } from "../component/figure.js";
import { isRecent, markDrawn, mount } from "../component/mount.js";
import { measured, roomNow } from "../component/pixels.js";
import { fill, localNumber } from "../component/text.js";
import { hideTooltip } from "../component/tooltip.js";
import { markHeads, markTokens, placeColumns, placeHeads } from "./columns.js";
import { drawAll, drawSome, headColours } from "./drawing.js";
import { answerLinesKeys, answerLinesPointer } from "./events.js";
import { linesLayout } from "./layout.js";
import { countLines, grouped, readLines } from "./payload.js";
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
export function recount(state) {
  sayLeftOut(state);
  redraw(state);
}

/** Say how many lines are left out of those that would be drawn. */
export function sayLeftOut(state) {
  const { view, nodes, threshold } = state;
  const counted = countLines(state);
  const said = { threshold: localNumber(threshold, 2), n: grouped(counted.n), total: grouped(counted.total) };
  state.leftOut = fill(view.texts["left.out"], said);
  const none = threshold > 0 && counted.n === counted.total;
  nodes.leftOut.textContent = none ? fill(view.texts["no.lines"], said) : state.leftOut;
}

/** Draw all lines in view, and the token's again. */
export function redraw(state) {
  drawAll(state);
  showActive(state);
  markDrawn(state, "lines-drawn");
}

/** Show the lines of the token that is pointed at, reached by the keyboard, or kept. */
export function showActive(state) {
  const active = state.hover ?? state.focused ?? state.pinned;
  if (!state.hover && !state.focused) hideTooltip(state);
  markTokens(state, active);
  drawSome(state, active);
  state.root.dataset.active = active ? `${active.column} ${active.index}` : "";
}
