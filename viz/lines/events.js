// Pointer, keyboard and slider. Handlers are properties: setting them again replaces them.

import { hideTooltip } from "../component/tooltip.js";
import { markHeads } from "./columns.js";
import { recount, redraw, sayLeftOut, showActive } from "./lines.js";
import { say, showReading } from "./reading.js";

const THRESHOLD_RESTS = 300; // milliseconds until the server learns of it

const tokenAt = (event) => {
  const row = event.target.closest?.(".row");
  return row && { column: row.dataset.column, index: Number(row.dataset.index) };
};

export const sameToken = (one, other) => one?.column === other?.column && one?.index === other?.index;

export function answerLinesPointer(state) {
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

export function answerLinesKeys(state) {
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
