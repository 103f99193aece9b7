// Keyboard: moving from cell to cell; and going along a row of stops with keys, a pointer that holds, or by
// playing.

import { hideTooltip } from "./tooltip.js";

export const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Where a key leads within rows × columns; null if it leads nowhere. */
export function movedBy(event, row, column, rows, columns) {
  let to = null;
  if (ARROWS[event.key]) to = [row + ARROWS[event.key][0], column + ARROWS[event.key][1]];
  if (event.key === "Home") to = [row, 0];
  if (event.key === "End") to = [row, columns - 1];
  if (!to) return null;
  event.preventDefault();
  return [Math.min(rows - 1, Math.max(0, to[0])), Math.min(columns - 1, Math.max(0, to[1]))];
}

export const MOVES = {
  ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -5, PageUp: 5,
  Home: -Infinity, End: Infinity,
};

/**
 * Give a component stops to go along. Of `walk`, `slider` is the element that is held and has the
 * keyboard, `last()` the last stop, `at()` the one where it stands, `show(stop)` goes to one, and `pace`
 * is the time at each in milliseconds. If given, `under(event)` is the stop at a pointer where they are
 * not spread evenly, `drawPlay()` answers when playing begins or ends, and `waits()` says that a stop
 * is still being drawn.
 */
export function answerWalk(state, given) {
  const evenly = ({ clientX }) => {
    const box = given.slider.getBoundingClientRect();
    return Math.round((given.last() * (clientX - box.left)) / box.width);
  };
  const walk = { under: evenly, drawPlay: () => drawPlay(state), ...given };
  Object.assign(state, { walk, playing: 0, dragging: false });
  const { slider } = walk;
  slider.onpointerdown = (event) => {
    if (event.button) return;
    slider.setPointerCapture(event.pointerId);
    state.dragging = true;
    play(state, false);
    goTo(state, walk.under(event));
    hideTooltip(state);
  };
  slider.onpointermove = (event) => {
    if (state.dragging) goTo(state, walk.under(event));
  };
  // Also comes when a touch turns into scrolling.
  slider.onlostpointercapture = () => { state.dragging = false; };
  slider.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " ") play(state, !state.playing);
    else if (event.key in MOVES) {
      play(state, false);
      goTo(state, walk.at() + MOVES[event.key]);
    } else return;
    event.preventDefault();
  };
}

/** Draw the button that plays or pauses. */
export function drawPlay({ nodes, view, playing }) {
  nodes.play.classList.toggle("on", Boolean(playing));
  nodes.play.lastElementChild.textContent = view.texts[playing ? "pause" : "play"];
}

/** Go to a stop, or to the nearest that there is. */
export function goTo(state, to) {
  const { walk } = state;
  const stop = Math.min(walk.last(), Math.max(0, to));
  if (stop !== walk.at()) walk.show(stop);
}

/** Let the stops go by, from the first if they have come to the last. */
export function play(state, on) {
  if (!on && !state.playing) return;
  const { walk } = state;
  clearTimeout(state.playing);
  state.playing = 0;
  if (on) {
    if (walk.at() === walk.last()) goTo(state, 0);
    playOn(state);
  }
  walk.drawPlay();
}

function playOn(state) {
  const { walk } = state;
  state.playing = setTimeout(() => {
    if (walk.waits?.()) return playOn(state);
    goTo(state, walk.at() + 1);
    if (walk.at() === walk.last()) return play(state, false);
    return playOn(state);
  }, walk.pace);
}
