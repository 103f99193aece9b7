// Mounting: what a component keeps while its page runs again, and when it is drawn.

const SERVER_ANSWERS_WITHIN = 3000; // milliseconds
const states = new WeakMap();

/**
 * Take over new data and draw it in place, never rebuilt. `create` adds to the state what is kept;
 * `resize` draws for another width, which without it is `draw`.
 */
function mount({ data, parentElement, setTriggerValue }, selector, parts) {
  const root = parentElement.querySelector(selector);
  const state = states.get(root) ?? newState(root, parts);
  state.send = setTriggerValue;
  state.observer.observe(root);
  parts.receive(state, data);
  if (state.width) parts.draw(state);
  return () => {
    state.observer.disconnect();
    parts.leave?.(state);
  };
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
