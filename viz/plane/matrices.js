// The component: what it shows and what it answers to. Drawn anew in place, never rebuilt.

export default function (component) {
  return mount(component, ".matrices", { create, receive, draw });
}

function create(state, find) {
  const nodes = {
    panels: find(".panels"), hint: find(".hint"), legends: find(".legends"),
    tooltip: find(".tooltip"), live: find(".live"),
    // A hidden copy of what labels look like: it says in which font they are written.
    measured: find(".labels.rows"),
  };
  Object.assign(state, {
    nodes, prototype: find(".panel"), figures: [], marked: [], cursor: null, hover: null,
  });
  state.measure = measured(state, nodes.measured, LABEL.size);
  answerPointer(state);
  answerKeys(state);
}

/** Take over other matrices; the keyboard stays at its cell if that still has the same labels. */
function receive(state, data) {
  const view = readMatrices(data);
  const labels = (of, place) => of?.panels[place?.panel]?.labels;
  for (const name of ["cursor", "hover"]) {
    if (labels(state.view, state[name]) !== labels(view, state[name])) state[name] = null;
  }
  state.figures.forEach((figure, i) => {
    const same = view.panels[i]?.tokens === state.view.panels[i].tokens;
    if (!same) [figure.zoom, figure.lastCursor] = [null, null];
  });
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
  placeChosen(state);
  refresh(state);
  markDrawn(state, "matrices-drawn");
}
