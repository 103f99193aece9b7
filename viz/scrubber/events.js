// Pointer, keyboard and the clocks. Handlers are properties: setting them again replaces them.

import { pageIsRunning } from "../component/mount.js";
import { within } from "../component/pixels.js";
import { element } from "../component/tokens.js";
import { hideTooltip, showTooltip } from "../component/tooltip.js";
import { answerWalk, play } from "../component/walk.js";
import { drawHandle, drawPlay, spoken, stopName } from "./drawing.js";
import { nearest } from "./layout.js";

const PACE = 120; // milliseconds between two reports at least
const PATIENCE = 80; // so many times PACE a page may take before it is interrupted
const STOP = 700; // milliseconds at each stop, when they go by

export function answer(state) {
  const { nodes: { slider, play: button } } = state;
  answerWalk(state, {
    slider, pace: STOP, last: () => state.view.stops.length - 1, at: () => state.at,
    under: (event) => stopUnder(state, event), hover: (event) => preview(state, event),
    show: (at) => show(state, at), drawPlay: () => drawPlaying(state),
    // A slow page is waited for, so that every stop is seen.
    waits: () => state.clock,
  });
  button.onclick = () => play(state, !state.playing);
}

/** The stop that is nearest to the pointer. */
function stopUnder({ root, layout }, event) {
  return nearest(layout.places, within(root, event).x);
}

/** Say where a click would lead. */
function preview(state, event) {
  const { view, nodes } = state;
  const at = event && event.pointerType !== "touch" ? stopUnder(state, event) : null;
  [...nodes.axis.querySelectorAll(".stop")].forEach((node, i) => node.classList.toggle("near", i === at));
  if (at === null || at === state.at) return hideTooltip(state);
  const lines = [element("span", "line", stopName(view, at)), element("span", "line quiet", view.labels[at])];
  showTooltip(state, view.labels[at] ? lines : lines.slice(0, 1), event);
}

/** Stand at a stop, and tell the page. */
function show(state, at) {
  state.at = at;
  state.root.classList.toggle("glides", !state.dragging);
  drawHandle(state);
  report(state);
}

/** Report the stop, once the page has drawn what it was told before. */
function report(state) {
  const step = state.view.stops[state.at];
  if (state.clock || step === state.told) return;
  state.told = step;
  state.answered = false;
  state.send("pick", { step });
  waitForPage(state, PATIENCE);
}

function waitForPage(state, patience) {
  state.clock = setTimeout(() => {
    state.clock = 0;
    // Telling a page that still runs would end its run before it has drawn anything.
    if (patience && pageIsRunning()) return waitForPage(state, patience - 1);
    report(state);
    if (!state.clock && state.answered && !state.dragging) {
      followPage(state);
      drawHandle(state);
    }
    return undefined;
  }, PACE);
}

/** Stand where the page says; it may have had a reason to choose another step. */
export function followPage(state) {
  const { stops, chosen } = state.view;
  const moved = chosen !== state.told;
  Object.assign(state, { told: chosen, at: stops.indexOf(chosen) });
  if (moved) play(state, false);
}

/** Whether the stops go by; where they have ended is said. */
function drawPlaying(state) {
  if (!state.playing) state.nodes.live.textContent = spoken(state);
  drawPlay(state);
}
