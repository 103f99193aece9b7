// The component: one step of gradient descent in four stages, in the picture of the whole model.

import { answerTools, nameTools } from "../component/figure.js";
import { answerWalk, drawPlay, goTo, play } from "../component/keys.js";
import { markDrawn, mount } from "../component/mount.js";
import { cleared, setPixels } from "../component/plot.js";
import { fillParts, threeDigits } from "../component/text.js";
import { element, word } from "../component/tokens.js";
import { inkOf } from "../whole/painting.js";
import { drawWalk, foldButtons, nameWalk, placeNames, placeWords, put } from "../whole/parts.js";
import { readWhole } from "../whole/payload.js";
import { BACKWARD, boxesOf, descentLayout, drawDescent, FORWARD, labelsOf, lossOf, STAGES } from "./drawing.js";
import { descentSvg, drawModel } from "./picture.js";

const PACE = { stage: 2400, block: 90 }; // milliseconds
const LAST = STAGES.length - 1;

export default function (component) {
  return mount(component, ".descent", { create, receive, draw, leave });
}

function create(state, find) {
  state.nodes = {
    previous: find(".previous"), following: find(".following"), play: find(".play"), walk: find(".walk"),
    slider: find(".slider"), said: find(".said"), stage: find(".stage"), still: find("canvas.still"),
    moving: find("canvas.moving"), names: find(".names"), words: find(".words"), labels: find(".labels"),
    blocks: find(".blocks"), note: find(".note"), live: find(".live"),
  };
  // `step` and `focus` are those of the picture of the model: no word stands out.
  Object.assign(state, { at: LAST, reached: Infinity, step: 0, focus: null, first: {} });
  answerDescent(state);
  answerTools(state, find, ({ view }) => view.title, descentSvg);
}

function leave(state) {
  play(state, false);
  clearTimeout(state.reaching);
}

function receive(state, data) {
  const view = readWhole(data);
  if (view.content === state.view?.content) return;
  state.view = { ...view, changed: { source: new Set(), target: new Set() } };
  Object.assign(state, { placed: null, reached: Infinity });
}

function draw(state) {
  const { nodes, view, width } = state;
  const { texts } = view;
  const placed = `${width} ${JSON.stringify(state.first)}`;
  if (placed !== state.placed) {
    state.placed = placed;
    state.layout = descentLayout(width, view, state.first);
    state.root.classList.toggle("narrow", state.layout.narrow);
    setPixels(nodes.stage, { "--height": state.layout.height });
    placeNames(state);
    placeWords(state);
    nodes.blocks.replaceChildren(...foldButtons(state));
    const attends = view.stacks.some(({ blocks }) => blocks.some(({ heads }) => heads));
    const legend = texts[state.layout.flips ? "legend.down" : "legend"];
    const notes = [texts.gradients, ...(attends ? [legend] : []), texts.special];
    nodes.note.replaceChildren(...notes.map((text) => element("span", "", text)));
  }
  nameWalk(state);
  nodes.still.setAttribute("aria-label", view.title);
  nameTools(state.root.querySelector(".tools"), view.title, texts);
  drawPlay(state);
  drawModel(cleared(nodes.still, state.layout), state, inkOf(state.root));
  drawStage(state);
  markDrawn(state, "descent-drawn");
}

/** Draw the stage over the model. */
function drawStage(state) {
  const { nodes, view, at, layout } = state;
  drawDescent(cleared(nodes.moving, { ...layout, flips: false }), state, inkOf(state.root));
  nodes.labels.replaceChildren(...labelsOf(state).map(({ kind, x, y, text, number }) => {
    const node = element("span", kind, number ? "" : text);
    if (number) node.append(word(text), ` ${number}`);
    return put(node, x, y);
  }));
  drawWalk(state, sayStage(view, STAGES[at]));
}

function sayStage({ descent, texts }, stage) {
  const { before, after, truth, rate } = descent;
  const worst = before.indexOf(Math.min(...before));
  const [loss, updated, most] = [lossOf(before), lossOf(after), -before[worst]].map(threeDigits);
  return fillParts(texts[`at.${stage}`], { loss, updated, most, rate, word: word(truth[worst]) });
}

/** Go to a stage; forward and backward, the pass goes from block to block. */
function show(state, at) {
  clearTimeout(state.reaching);
  Object.assign(state, { at, reached: at === FORWARD || at === BACKWARD ? 0 : Infinity });
  if (!state.reached) state.reaching = setTimeout(() => reachNext(state), PACE.block);
  drawStage(state);
  state.nodes.live.textContent = state.nodes.said.textContent;
}

function reachNext(state) {
  state.reached += 1;
  if (state.reached >= boxesOf(state).length) state.reached = Infinity;
  else state.reaching = setTimeout(() => reachNext(state), PACE.block);
  drawStage(state);
}

function answerDescent(state) {
  const { root, nodes } = state;
  answerWalk(state, {
    slider: nodes.slider, pace: PACE.stage, last: () => LAST, at: () => state.at,
    show: (at) => show(state, at),
    waits: () => state.reached !== Infinity,
  });
  root.onclick = ({ target }) => {
    if (target.closest(".previous")) goTo(state, state.at - 1);
    if (target.closest(".following")) goTo(state, state.at + 1);
    if (target.closest(".play")) play(state, !state.playing);
    const fold = target.closest(".fold")?.dataset;
    if (fold) {
      state.first = { ...state.first, [fold.side]: Number(fold.opens) };
      draw(state);
    }
  };
}
