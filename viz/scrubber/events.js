// Pointer, keyboard and the clocks. Handlers are properties: setting them again replaces them.

const MOVES = {
  ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -5, PageUp: 5,
  Home: -Infinity, End: Infinity,
};
const PACE = 120; // milliseconds between two reports at least
const PATIENCE = 20; // so many times PACE a page may take before it is interrupted
const WALK = 700; // milliseconds at each stop

function answerPointer(state) {
  const { nodes: { slider, play: button } } = state;
  slider.onpointerdown = (event) => {
    if (event.button) return;
    slider.setPointerCapture(event.pointerId);
    state.dragging = true;
    play(state, false);
    goTo(state, stopUnder(state, event));
    hideTooltip(state);
  };
  slider.onpointermove = (event) => {
    if (state.dragging) goTo(state, stopUnder(state, event));
    else preview(state, event);
  };
  // Also comes when a touch turns into scrolling.
  slider.onlostpointercapture = () => { state.dragging = false; };
  slider.onpointerleave = () => preview(state, null);
  button.onclick = () => play(state, !state.walk);
}

function answerKeys(state) {
  state.nodes.slider.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return preview(state, null);
    if (event.key === " ") play(state, !state.walk);
    else if (event.key in MOVES) {
      play(state, false);
      goTo(state, state.at + MOVES[event.key]);
    } else return;
    event.preventDefault();
  };
}

/** The stop that is nearest to the pointer. */
function stopUnder({ root, layout }, { clientX }) {
  return nearest(layout.places, clientX - root.getBoundingClientRect().left);
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

/** Go to a stop, or to the nearest that there is, and tell the page. */
function goTo(state, wanted) {
  const at = Math.min(state.view.stops.length - 1, Math.max(0, wanted));
  if (at === state.at) return;
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
function followPage(state) {
  const { stops, chosen } = state.view;
  const moved = chosen !== state.told;
  Object.assign(state, { told: chosen, at: stops.indexOf(chosen) });
  if (moved) play(state, false);
}

/** Telling a page that still runs would end its run before it has drawn anything. */
function pageIsRunning() {
  const app = document.querySelector("[data-test-script-state]");
  return ["running", "rerunRequested"].includes(app?.dataset.testScriptState);
}

/** Let the stops go by, from the first if they have come to the last. */
function play(state, on) {
  if (!on && !state.walk) return;
  clearTimeout(state.walk);
  state.walk = 0;
  if (on) {
    if (state.at === state.view.stops.length - 1) goTo(state, 0);
    walkOn(state, WALK);
  } else {
    state.nodes.live.textContent = spoken(state);
  }
  drawPlay(state);
}

function walkOn(state, time) {
  state.walk = setTimeout(() => {
    // A slow page is waited for, so that every stop is seen.
    if (state.clock) return walkOn(state, PACE);
    goTo(state, state.at + 1);
    if (state.at === state.view.stops.length - 1) return play(state, false);
    return walkOn(state, WALK);
  }, time);
}
