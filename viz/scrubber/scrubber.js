// The component: a training's curves, and a handle on them. Drawn anew in place, never rebuilt.

import { mount } from "../component/mount.js";
import { readFrame } from "../component/text.js";
import { drawAxis, drawCurves, drawHandle, drawKeys, drawPlay } from "./drawing.js";
import { answer, followPage } from "./events.js";
import { layoutOf, nearest } from "./layout.js";

export default function (component) {
  const leave = ({ clock, playing }) => [clock, playing].forEach(clearTimeout);
  return mount(component, ".course", { create, receive, draw, leave });
}

function create(state, find) {
  const nodes = {
    grid: find(".grid"), curves: find(".curves"), axis: find(".axis"), later: find(".later"),
    keys: find(".keys"), words: find(".words"), play: find(".play"), slider: find(".slider"),
    tooltip: find(".tooltip"), live: find(".live"),
  };
  Object.assign(state, {
    nodes, at: 0, told: null, answered: false, clock: 0,
  });
  answer(state);
}

/** Take over other curves and stops; the handle stays while what it reached is being answered. */
function receive(state, data) {
  const stop = state.view?.stops[state.at];
  const view = readFrame(data).header;
  const ours = state.view && (state.dragging || state.clock);
  state.view = view;
  state.answered = true;
  if (ours) state.at = nearest(view.stops, stop);
  else followPage(state);
}

function draw(state) {
  const { view, nodes, root, width } = state;
  state.layout = layoutOf(view, width);
  root.classList.remove("glides");
  root.style.setProperty("--height", `${state.layout.height}px`);
  root.style.setProperty("--track", `${state.layout.track}px`);
  drawCurves(state);
  drawAxis(state);
  drawKeys(state);
  nodes.slider.setAttribute("aria-label", view.texts.name);
  nodes.slider.setAttribute("aria-description", view.texts.help);
  nodes.slider.setAttribute("aria-valuemin", view.stops[0]);
  nodes.slider.setAttribute("aria-valuemax", view.stops.at(-1));
  drawPlay(state);
  drawHandle(state);
}
