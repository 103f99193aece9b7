// Mounting: what a component keeps while its page runs again, and when it is drawn.

import { readFrame } from "./text.js";

const SERVER_ANSWERS_WITHIN = 3000; // milliseconds
const states = new WeakMap();
// Of all components of the page: each has a module of its own.
const page = (globalThis.pageOfComponents ??= { components: new Map(), runs: 0 });

/**
 * Take over new data and draw it in place, never rebuilt. `create` adds to the state what is kept;
 * `resize` draws for another width, which without it is `draw`.
 */
export function mount({ data, parentElement, setTriggerValue }, selector, parts) {
  const frame = readFrame(data);
  const element = parentElement.querySelector(selector);
  const { key } = frame.header;
  const state = states.get(element) ?? movedHere(element, key) ?? newState(element, parts);
  const mounting = state.mounting = {};
  if (key) keep(key, state);
  state.send = setTriggerValue;
  state.observer.observe(state.root);
  parts.receive(state, frame);
  if (state.width) parts.draw(state);
  return () => {
    // An element above it may have come: then it stands elsewhere already.
    if (state.mounting !== mounting) return;
    Object.assign(state, { mounting: null, leftIn: page.runs });
    state.observer.disconnect();
    parts.leave?.(state);
  };
}

/** Remember a component by its name, and count the page's runs. */
function keep(key, state) {
  page.components.set(key, state);
  const app = document.querySelector("[data-test-script-state]");
  if (!app || page.app === app) return;
  page.app = app;
  const count = () => {
    if (app.dataset.testScriptState === "running") page.runs += 1;
  };
  new MutationObserver(count).observe(app, { attributeFilter: ["data-test-script-state"] });
}

/** A component that the page takes out of its place in the run that puts it in again elsewhere. */
function movedHere(element, key) {
  const state = page.components.get(key);
  const kind = ({ classList: [, name] }) => name;
  if (!state || kind(state.root) !== kind(element)) return null;
  if (!state.mounting && state.leftIn !== page.runs) return null;
  element.replaceWith(state.root);
  states.set(state.root, state);
  return state;
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
export const isRecent = (since = -Infinity) => performance.now() - since < SERVER_ANSWERS_WITHIN;

/** Leave a mark for tests and measurements. */
export function markDrawn(state, name) {
  state.root.dataset.drawn = state.drawn += 1;
  performance.clearMarks(name);
  performance.mark(name);
}
