// The component: panels of cells in one of three layouts. Drawn anew in place, never rebuilt.

import { markDrawn, mount } from "../component/mount.js";
import { measured, roomNow } from "../component/pixels.js";
import { LABEL } from "../component/plot.js";
import { answerKeys, answerPointer, placeChosen, refresh } from "./events.js";
import { maps } from "./maps.js";
import { matrices } from "./matrices.js";
import { addFigure, drawLegends, drawPanel, placeFigures, placePanel, placeView } from "./panel.js";
import { readPlane } from "./payload.js";
import { strips } from "./strips.js";

export default function (component) {
  const leave = ({ reportTimer, part }) => {
    clearTimeout(reportTimer);
    part?.leave();
  };
  return mount(component, ".plane", { create, receive, draw, leave });
}

function create(state, find) {
  const nodes = {
    remark: find(".remark"), figures: find(".figures"),
    grid: find(".grid"), sheet: find(".sheet"), sheetCanvas: find(".sheet canvas"),
    tiles: find(".tiles"), frame: find(".frame"), panels: find(".panels"), hint: find(".hint"),
    legends: find(".legends"), patches: find(".patches"), tools: find(".tools.whole"), tooltip: find(".tooltip"),
    live: find(".live"),
  };
  Object.assign(state, {
    nodes, find, prototype: find(".panel").cloneNode(true), figures: [], marked: [], cursor: null, hover: null, pending: null, zoomFromPage: "null",
  });
  // The first is there from the beginning: fonts are measured in it.
  addFigure(state, find(".panel"));
  state.measure = measured(state, draw, state.figures[0].rows, LABEL.size);
  answerPointer(state);
  answerKeys(state);
}

function receive(state, frame) {
  const view = readPlane(frame);
  state.root.classList.add(view.layout);
  state.kind = { maps, matrices, strips }[view.layout];
  (state.kind.receive ?? accept)(state, view, frame);
}

/** Take over other panels; the keyboard stays at its cell if that still has the same labels. */
export function accept(state, view) {
  const labels = (of, place) => of?.panels[place?.panel]?.labels;
  for (const name of ["cursor", "hover"]) {
    if (labels(state.view, state[name]) !== labels(view, state[name])) state[name] = null;
  }
  state.figures.forEach((figure, i) => {
    const before = state.view?.panels[i]?.tokens;
    const same = before === undefined || view.panels[i]?.tokens === before;
    if (same) return;
    figure.lastCursor = null;
    if (view.layout !== "maps") figure.zoom = null;
  });
  state.view = view;
}

export function draw(state) {
  const { view, root, width } = state;
  if (!view) return;
  const { kind } = state;
  const placed = `${width} ${roomNow()} ${view.words}`;
  if (placed !== state.placed) {
    state.placed = placed;
    state.layout = kind.layout(state);
    state.sheet = null;
    placeFigures(state);
    for (const i of view.panels.keys()) placePanel(state, i);
    kind.place(state);
    placeHint(state);
  }
  root.classList.toggle("picks", Boolean(view.picks));
  state.figures.forEach((figure, i) => {
    const moved = figure.shown !== JSON.stringify(figure.zoom);
    if (moved) placeView(state, i);
    if (moved || view.panels[i].content !== figure.content) drawPanel(state, i);
  });
  kind.draw(state);
  drawLegends(state);
  placeChosen(state);
  refresh(state);
  markDrawn(state, kind.mark);
}

/** The hint on zooming, where something can be zoomed. */
function placeHint({ nodes: { hint }, layout, view: { texts } }) {
  hint.hidden = !layout.panels.some(({ zoomable }) => zoomable);
  hint.textContent = texts["zoom.hint"] ?? "";
}
