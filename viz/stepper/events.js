// Pointer, keyboard and the clock. Handlers are properties: setting them again replaces them.

import { ended, fill, fillParts, isolated, joined, labelled } from "../component/text.js";
import { element, spokenOf, word } from "../component/tokens.js";
import { besides, hideTooltip, showTooltip } from "../component/tooltip.js";
import { answerWalk, goTo, MOVES, play } from "../component/walk.js";
import { chartUnder, chartWords } from "./chart.js";
import { percentWords, weightsOf, weightWords } from "./payload.js";
import { stepUnder } from "./scrubber.js";
import { drawStep } from "./stepper.js";

const STOP = 900; // milliseconds at each step, when they go by
const RESTS = 500; // milliseconds at a step until the server is told, so that a link opens on it

export function answerPointer(state) {
  const { root, nodes } = state;
  root.onclick = (event) => {
    const at = (selector) => event.target.closest(selector);
    if (at(".previous")) goTo(state, state.step - 1);
    if (at(".following")) goTo(state, state.step + 1);
    if (at(".play")) play(state, !state.playing);
    if (at("button.difference")) goTo(state, state.view.difference);
    if (at("tbody tr")) goTo(state, Number(at("tbody tr").dataset.step));
    const charted = chartUnder(state, event);
    if (charted) goTo(state, charted.step);
    const token = at(".option")?.dataset.token;
    if (token) ask(state, "force", { token: Number(token) });
    if (at("button.corrupt")) ask(state, "corrupt");
    if (at("button.undo")) ask(state, "undo");
  };
  answerWalk(state, {
    slider: nodes.scrubber, pace: STOP, last: () => state.view.count - 1, at: () => state.step,
    under: (event) => stepUnder(state, event), show: (step) => show(state, step),
    drawPlay: () => {
      drawPlaying(state);
      tellStep(state);
    },
  });
  root.onpointermove = (event) => showUnder(state, event);
  root.onpointerleave = () => rest(state);
}

export function answerKeys(state) {
  const { root, nodes } = state;
  nodes.layer.onchange = nodes.head.onchange = () => {
    [state.layer, state.head] = [Number(nodes.layer.value), Number(nodes.head.value)];
    drawStep(state);
  };
  root.onkeydown = (event) => {
    if (event.key === "Escape") rest(state);
    const strip = event.target.closest(".strip");
    const option = event.target.closest(".option");
    if (strip) moveInStrip(state, strip, event);
    if (option) moveInBars(option, event);
  };
  // Chromium knows it as an event only; a root is given its listeners once.
  root.addEventListener("focusout", (event) => event.target.closest(".strip") && rest(state));
}

/** Ask the server for a decoding that goes on differently from this step. */
function ask(state, what, how = {}) {
  state.asked = true;
  clearTimeout(state.telling);
  state.told = state.columns[0].at;
  state.send(what, { step: state.columns[0].at, ...how });
}

function show(state, step) {
  state.step = step;
  rest(state);
  drawStep(state);
  state.nodes.live.textContent = spoken(state);
  tellStep(state);
}

/** Tell the server at which step the visitor rests; not while they go by. */
function tellStep(state) {
  clearTimeout(state.telling);
  if (state.playing || state.step === state.told) return;
  state.telling = setTimeout(() => {
    state.told = state.step;
    state.send("step", { step: state.step });
  }, RESTS);
}

/** The step in a sentence, for those who do not see it. */
function spoken({ view, step, columns }) {
  const { texts, count } = view;
  const said = columns.filter(({ side }) => side?.steps[step]).map(({ side, name }) => {
    const { label, probability } = side.steps[step].chosen;
    return fill(texts.now, {
      side: texts[`side.${name}`], token: label[0], probability: percentWords(probability),
    });
  });
  return joined(ended(fill(texts.step, { number: step, last: count - 1 })), ...said);
}

export function drawPlaying({ nodes, view, playing }) {
  nodes.play.classList.toggle("on", Boolean(playing));
  nodes.play.lastElementChild.textContent = view.texts[playing ? "pause" : "play"];
}

/** Show what is under the pointer: a weight, a step, what a click does, a token's other places. */
function showUnder(state, event) {
  const look = event.target.closest(".look");
  const token = event.target.closest("[data-side]");
  const dot = event.target.closest(".dot");
  const option = event.target.closest(".option[aria-disabled=false]");
  const charted = chartUnder(state, event);
  rest(state);
  if (look) showLook(state, look, event);
  else if (charted) showTooltip(state, asLines(chartWords(charted.panel, state.view, charted.step)), event);
  else if (dot) showDot(state, Number(dot.dataset.step), event);
  else if (option) showOption(state, option, event);
  else if (token) markToken(state, token);
}

export function rest(state) {
  for (const node of state.marked) node.classList.remove("marked");
  state.marked = [];
  hideTooltip(state);
}

/** Mark a source token in both columns, a target token within its own. */
function markToken(state, node) {
  const { side, index } = node.dataset;
  const within = side === "source" ? state.root : node.closest(".column");
  state.marked = [...within.querySelectorAll(`[data-side="${side}"][data-index="${index}"]`)];
  for (const each of state.marked) each.classList.add("marked");
}

const asLines = (lines) => lines.map((line) => element("span", "line", line));

/** From which token to which, and the weight. */
function showLook(state, look, point) {
  markToken(state, look);
  const { view, layer, head } = state;
  const column = state.columns.find(({ node }) => node.contains(look));
  const { side: kind, index } = look.dataset;
  const { side, at } = column;
  const last = at + view.before;
  const hidden = kind === "target" && Number(index) > last;
  const weights = weightsOf(side[kind], view, layer, head, at, side.steps.length);
  const line = element("span", "line");
  line.append(...fillParts(view.texts.look, {
    query: word(side.fed[last][0]),
    key: word((kind === "source" ? view.source : side.fed)[index][0]),
    weight: element("b", "", hidden ? view.texts.hidden : weightWords(weights[index])),
  }));
  showTooltip(state, [line], point);
}

function showDot(state, step, point) {
  const { view } = state;
  const lines = [fill(view.texts.step, { number: step, last: view.count - 1 })];
  for (const { side, name } of state.columns) {
    const chosen = side?.steps[step]?.chosen;
    if (!chosen) continue;
    const { label, probability } = chosen;
    lines.push(labelled(view.texts[`side.${name}`], `${isolated(label[0])} ${percentWords(probability)}`));
  }
  if (step === view.difference) lines.push(view.texts["difference.mark"]);
  if (view.sides[0].steps[step]?.overridden) lines.push(view.texts.overridden);
  showTooltip(state, asLines(lines), point);
}

function showOption({ root, nodes, view, columns }, option, point) {
  const row = columns[0].side.steps[columns[0].at].rows[[...option.parentElement.children].indexOf(option)];
  const line = element("span", "line");
  line.append(...fillParts(view.texts.force, { token: word(row.label[0]) }));
  showTooltip({ root, nodes }, [line], point);
}

/** Arrow keys read one weight after the other. */
function moveInStrip(state, strip, event) {
  const move = MOVES[event.key];
  // Up and down go on scrolling the page.
  if (!move || ["ArrowUp", "ArrowDown"].includes(event.key)) return;
  event.preventDefault();
  const looks = [...strip.children].filter((look) => !look.classList.contains("later"));
  const from = looks.findIndex((look) => look.classList.contains("marked"));
  const to = from < 0 && move > 0 && move < Infinity ? 0 : from + move;
  const look = looks[Math.min(looks.length - 1, Math.max(0, to))];
  rest(state);
  showLook(state, look, besides(look));
  state.nodes.live.textContent = spokenOf(state.nodes.tooltip.firstElementChild);
}

/** Up and down lead from bar to bar; the tab key goes past all of them. */
function moveInBars(option, event) {
  const move = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!move) return;
  event.preventDefault();
  const all = [...option.parentElement.querySelectorAll(".option:not(.absent)")];
  all[all.indexOf(option) + move]?.focus();
}
