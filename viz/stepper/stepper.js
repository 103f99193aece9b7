// The component: what it shows of which step. All steps are here: moving needs no server.

import { answerTools, nameTools } from "../component/figure.js";
import { markDrawn, mount } from "../component/mount.js";
import { drawLegend } from "../component/scale.js";
import { play } from "../component/walk.js";
import { drawChart, drawChartStep } from "./chart.js";
import { drawColumn, drawColumnStep, newColumn, SIDES } from "./column.js";
import { answerKeys, answerPointer, drawPlaying, rest } from "./events.js";
import { readSteps } from "./payload.js";
import { stepSvg, stepTitle } from "./picture.js";
import { drawChoice, drawControls, drawScrubber, drawScrubberStep } from "./scrubber.js";
import { drawTable, drawTableStep } from "./table.js";

export default function (component) {
  const leave = ({ playing, telling }) => [playing, telling].forEach(clearTimeout);
  return mount(component, ".decoding", { create, receive, draw, resize, leave });
}

function create(state, find) {
  const nodes = {
    previous: find(".previous"), following: find(".following"), count: find(".count"),
    play: find(".play"), difference: find(".difference"), byHand: find(".by-hand-name"),
    layer: find("select.layer"), head: find("select.head"), scrubber: find(".scrubber"),
    table: find("details.table"), chart: find("details.chart"), tooltip: find(".tooltip"),
    live: find(".live"),
  };
  Object.assign(state, {
    nodes, marked: [], panels: [], step: 0, layer: 0, head: 0,
    columns: SIDES.map((name) => newColumn(find(`.column.${name}`), name)),
  });
  answerPointer(state);
  answerKeys(state);
  answerTools(state, find, stepTitle, stepSvg);
  nodes.table.ontoggle = nodes.chart.ontoggle = () => {
    drawTable(state);
    drawChart(state);
    drawTableStep(state);
    drawChartStep(state);
  };
  drawLegend(find(".legend canvas"));
}

/** Take over other steps; what the visitor asked for in this sentence does not move the step. */
function receive(state, data) {
  const view = readSteps(data);
  const before = state.view;
  state.view = view;
  const other = before?.sentence !== view.sentence;
  // The step that was told comes back, when the visitor may have gone on already.
  const moved = before?.start !== view.start && view.start !== state.told && !state.asked;
  const led = other || moved || before.arrival !== view.arrival;
  if (led) {
    state.step = state.told = view.start;
    clearTimeout(state.telling);
  }
  state.asked = false;
  state.step = Math.min(state.step, view.count - 1);
  // Whoever is led to a step is to see it: what plays would go on from there.
  if (led) play(state, false);
  drawPlaying(state);
}

/** Everything, after new steps have come. */
function draw(state) {
  const { view, nodes, root } = state;
  const { texts } = view;
  if (view.content === state.content) return drawStep(state);
  state.content = view.content;
  rest(state);
  drawControls(state);
  state.layer = drawChoice(nodes.layer, texts.layer, view.layers, state.layer);
  state.head = drawChoice(nodes.head, texts.head, view.heads, state.head);
  root.querySelector(".legend .name").textContent = texts.weight;
  root.querySelector(".hidden-name").textContent = texts.hidden;
  root.querySelector(".read").textContent = texts.read;
  root.querySelector(".masked").hidden = view.sides.length < 2 || view.crossOnly;
  root.querySelector(".sides").classList.toggle("alone", view.sides.length < 2);
  drawScrubber(state);
  for (const column of state.columns) drawColumn(column, view);
  drawTable(state);
  drawChart(state);
  drawStep(state);
}

/** What depends on the width. */
function resize(state) {
  drawScrubber(state);
  drawChart(state);
  drawStep(state);
}

/** One step, in place. */
export function drawStep(state) {
  drawScrubberStep(state);
  for (const column of state.columns) drawColumnStep(column, state);
  drawTableStep(state);
  drawChartStep(state);
  nameTools(state.root.querySelector(".tools"), stepTitle(state), state.view.texts);
  state.root.dataset.step = state.step;
  markDrawn(state, "decoding-drawn");
}
