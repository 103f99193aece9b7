// The component: what it shows and what it answers to. Drawn anew in place, never rebuilt.

export default function (component) {
  return mount(component, ".strips", { create, receive, draw });
}

function create(state, find) {
  const nodes = {
    remark: find(".remark"), groups: find(".groups"), tooltip: find(".tooltip"), live: find(".live"),
    // A hidden copy of what labels look like: it says in which font they are written.
    measured: find(".labels.columns"),
  };
  Object.assign(state, {
    nodes, find, prototype: find(".group"), figures: [], marked: [], cursor: null, pending: null,
  });
  state.measure = measured(state, nodes.measured, LABEL.size);
  answerPointer(state);
  answerKeys(state);
  drawLegend(find(".legend canvas"));
}

/** Take over other strips; what was clicked meanwhile stays chosen. */
function receive(state, data) {
  const view = readStrips(data);
  const { pending } = state;
  const late = pending && view.words === state.view?.words
    && isRecent(pending.since)
    && (view.side !== pending.side || view.index !== pending.index);
  if (!late) state.pending = null;
  state.cursor = view.places === state.view?.places ? state.cursor : null;
  state.view = view;
}

function draw(state) {
  const { view, nodes, width } = state;
  if (view.words !== state.words) {
    state.words = view.words;
    drawSentences(state);
  }
  const placed = `${width} ${window.devicePixelRatio} ${window.innerHeight} ${view.places}`;
  if (placed !== state.placed) {
    state.placed = placed;
    state.layout = layoutOf(width, view, state.measure);
    placeFigures(state);
    for (const i of view.groups.keys()) placeGroup(state, i);
    drawFrame(state);
  }
  nodes.remark.textContent = [view.note, view.picks ? view.texts.hint : ""].join(" ");
  state.root.classList.toggle("picks", view.picks);
  drawTools(state);
  for (const i of view.groups.keys()) drawGroup(state, i);
  const { side, index } = state.pending ?? view;
  markChosen(state, side, index);
  if (state.said != null && state.said !== `${view.side} ${view.index}`) {
    nodes.live.textContent = view.groups.map((group) => titleOf(view, group)).join(". ");
  }
  state.said = `${view.side} ${view.index}`;
  rest(state);
  markDrawn(state, "strips-drawn");
}

/** What takes the picture away is called after what it shows. */
function drawTools({ view, find }) {
  for (const name of ["png", "svg"]) {
    find(`.${name}`).textContent = view.texts[name];
    const help = fill(view.texts[`${name}.help`], { title: pictureTitle(view) });
    find(`.${name}`).setAttribute("aria-label", help);
  }
}

/** The words around the strips. */
function drawFrame({ view, find }) {
  const { texts, groups } = view;
  find(".legend .name").textContent = texts.weight;
  find(".hidden-name").textContent = texts.hidden;
  find(".legend .masked").hidden = groups.every(({ visible }) => !visible.includes(0));
}
