// Mounting: what a component keeps while its page runs again, and when it is drawn.

const SERVER_ANSWERS_WITHIN = 3000; // milliseconds
const REST = 20; // milliseconds between two looks whether the page still runs
const states = new WeakMap();
// Of all components of the page: each has a module of its own.
const kept = (globalThis.keptComponents ??= new Map());

/**
 * Take over new data and draw it in place, never rebuilt. `create` adds to the state what is kept;
 * `resize` draws for another width, which without it is `draw`.
 */
function mount({ data, parentElement, setTriggerValue }, selector, parts) {
  const frame = readFrame(data);
  const found = parentElement.querySelector(selector);
  const state = states.get(found) ?? movedHere(found, frame.header.key) ?? newState(found, parts);
  const mounting = state.mounting = {};
  if (frame.header.key) kept.set(frame.header.key, state);
  state.send = setTriggerValue;
  state.observer.observe(state.root);
  parts.receive(state, frame);
  if (state.width) parts.draw(state);
  return () => {
    // An element above it may have come: then it stands elsewhere already.
    if (state.mounting !== mounting) return;
    state.mounting = null;
    state.observer.disconnect();
    parts.leave?.(state);
    forgetAtRest(state, frame.header.key);
  };
}

/** A component that the page took out of its place within the run that puts it in again. */
function movedHere(found, key) {
  const state = kept.get(key);
  if (!state || !found || state.root.className.split(" ")[1] !== found.className.split(" ")[1]) return null;
  found.replaceWith(state.root);
  states.set(state.root, state);
  return state;
}

function forgetAtRest(state, key) {
  if (state.mounting || kept.get(key) !== state) return;
  if (pageIsRunning()) setTimeout(() => forgetAtRest(state, key), REST);
  else kept.delete(key);
}

/** Whether Streamlit's script runs, and may still bring or take elements. */
function pageIsRunning() {
  const app = document.querySelector("[data-test-script-state]");
  return ["running", "rerunRequested"].includes(app?.dataset.testScriptState);
}

function newState(root, { create, draw, resize = draw }) {
  const state = { root, width: root.clientWidth, drawn: 0 };
  states.set(root, state);
  state.observer = new ResizeObserver(() => {
    const width = root.clientWidth;
    if (!width || width === state.width) return;
    const first = !state.width;
    state.width = width;
    (first ? draw : resize)(state);
  });
  create(state, (selector) => root.querySelector(selector));
  return state;
}

/** Whether a change is so new that what the server sends now may be older than it. */
const isRecent = (since = -Infinity) => performance.now() - since < SERVER_ANSWERS_WITHIN;

/** Leave a mark for whoever waits or measures. */
function markDrawn(state, name) {
  state.root.dataset.drawn = state.drawn += 1;
  performance.clearMarks(name);
  performance.mark(name);
}
