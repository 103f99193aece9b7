// The component: one picture of the model, drawn anew in place when the model or the choice changes.

const states = new WeakMap();
const WIDEST = 700;
const NARROWEST = 340;

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".architecture");
  const state = states.get(root) ?? newState(root);
  state.send = setTriggerValue;
  state.view = readFrame(data).header;
  state.observer.observe(root);
  if (state.width) draw(state);
  return () => state.observer.disconnect();
}

function newState(root) {
  const find = (selector) => root.querySelector(selector);
  const state = {
    root, width: root.clientWidth, parts: new Map(), drawn: 0,
    nodes: { picture: find(".picture"), save: find(".save"), tooltip: find(".tooltip") },
  };
  states.set(root, state);
  state.observer = new ResizeObserver(() => {
    const width = root.clientWidth;
    if (!width || width === state.width) return;
    state.width = width;
    draw(state);
  });
  // Words were measured in another font if the page's own comes later.
  if (document.fonts.status !== "loaded") {
    document.fonts.ready.then(() => root.isConnected && state.width && draw(state));
  }
  answer(state);
  return state;
}

function draw(state) {
  const { root, view, nodes: { picture, save } } = state;
  state.font = getComputedStyle(picture).fontFamily;
  hideTooltip(state);
  save.textContent = view.texts.save;
  save.title = view.texts["save.help"];
  const width = Math.min(WIDEST, Math.max(NARROWEST, state.width));
  drawPicture(state, layoutOf(view, width, state.font));
  root.dataset.drawn = state.drawn += 1;
  performance.clearMarks("architecture-drawn");
  performance.mark("architecture-drawn");
}
