// The component: what it shows and what it answers to. Drawn anew in place, never rebuilt.

export default function (component) {
  return mount(component, ".matrices", { create, receive, draw });
}

function create(state, find) {
  const nodes = {
    panels: find(".panels"), legends: find(".legends"), tooltip: find(".tooltip"), live: find(".live"),
    // A hidden copy of what labels look like: it says in which font they are written.
    measured: find(".labels.rows"),
  };
  Object.assign(state, {
    nodes, prototype: find(".panel"), figures: [], marked: [], cursor: null, hover: null,
  });
  measureWith(state);
  answerPointer(state);
  answerKeys(state);
}

/** Widths in the fonts that are used; measured again once those have come. */
function measureWith(state) {
  const width = (node) => {
    const context = document.createElement("canvas").getContext("2d");
    context.font = `${LABEL.size}px ${getComputedStyle(node).fontFamily}`;
    if (!document.fonts.check(context.font)) document.fonts.load(context.font).then(again, () => {});
    return (text) => Math.ceil(context.measureText(text).width) + 2;
  };
  const again = () => {
    state.placed = null;
    if (state.width && state.view) draw(state);
  };
  const label = width(state.nodes.measured);
  state.measure = { textWidth: ([text]) => label(text), nameWidth: width(state.root) };
}

/** Take over other matrices; the keyboard stays at its cell if that still has the same labels. */
function receive(state, data) {
  const view = readMatrices(data);
  const labels = (of, place) => of?.panels[place?.panel]?.labels;
  for (const name of ["cursor", "hover"]) {
    if (labels(state.view, state[name]) !== labels(view, state[name])) state[name] = null;
  }
  state.view = view;
}

function draw(state) {
  const { view, root, width } = state;
  const placed = `${width} ${window.devicePixelRatio} ${window.innerHeight} ${view.words}`;
  if (placed !== state.placed) {
    state.placed = placed;
    state.layout = layoutOf(width, view.panels, state.measure);
    placeFigures(state);
    for (const i of view.panels.keys()) placePanel(state, i);
  }
  root.classList.toggle("picks", view.picks);
  view.panels.forEach((panel, i) => {
    if (panel.content !== state.figures[i].content) drawPanel(state, i);
  });
  alignCaptions(state);
  drawLegends(state);
  const [panel, row, column] = view.selected ?? [];
  placeFrame(state, "chosen", view.selected && { panel, row, column });
  refresh(state);
  markDrawn(state, "matrices-drawn");
}
