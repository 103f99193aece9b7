// The component: one step of a decoding, the row of dots, and the answers to pointer, keyboard and clock.
// All steps are here: moving needs no server.

import { answerTools, nameTools } from "../component/figure.js";
import { answerWalk, drawPlay, goTo, MOVES, play } from "../component/keys.js";
import { markDrawn, mount } from "../component/mount.js";
import { drawLegend } from "../component/scale.js";
import {
  ended, fill, fillParts, isolated, joined, labelled, lettersOf, middle, percentWords,
} from "../component/text.js";
import { element, spokenOf, tokenElement, word } from "../component/tokens.js";
import { besides, hideTooltip, showTooltip } from "../component/tooltip.js";
import { drawColumn, drawColumnStep, foldWords, newColumn, SIDES } from "./column.js";
import { readSteps, rowsOf, sameLabel, weightsOf, weightWords } from "./payload.js";
import { stepSvg, stepTitle } from "./picture.js";

export default function (component) {
  const leave = ({ playing, reportTimer }) => [playing, reportTimer].forEach(clearTimeout);
  return mount(component, ".decoding", { create, receive, draw, resize, leave });
}

function create(state, find) {
  const nodes = {
    previous: find(".previous"), following: find(".following"), count: find(".count"),
    play: find(".play"), difference: find(".difference"), byHand: find(".by-hand-name"),
    layer: find("select.layer"), head: find("select.head"), scrubber: find(".scrubber"),
    tooltip: find(".tooltip"), live: find(".live"),
  };
  Object.assign(state, {
    nodes, marked: [], step: 0, layer: 0, head: 0,
    columns: SIDES.map((name) => newColumn(find(`.column.${name}`), name)),
  });
  answerPointer(state);
  answerKeys(state);
  answerTools(state, find, stepTitle, stepSvg);
  drawLegend(find(".legend canvas"));
}

/** Take over other steps; what the visitor asked for in this sentence does not move the step. */
function receive(state, data) {
  const view = readSteps(data);
  view.unfolded = state.view?.unfolded ?? false;
  const before = state.view;
  state.view = view;
  if (!before) [state.layer, state.head] = view.look;
  const other = before?.sentence !== view.sentence;
  // The step that was reported comes back when the visitor may have gone on already.
  const moved = before?.start !== view.start && view.start !== state.reported && !state.asked;
  const led = other || moved || before.arrival !== view.arrival;
  if (led) {
    state.step = state.reported = view.start;
    clearTimeout(state.reportTimer);
  }
  state.asked = false;
  state.step = Math.min(state.step, view.count - 1);
  // A visitor led to a step should see it: playback would move on from there.
  if (led) play(state, false);
  drawPlay(state);
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
  root.querySelector(".read").textContent = view.spaced ? joined(texts.read, texts.space) : texts.read;
  root.querySelector(".legend .masked").hidden = view.sides.length < 2 || view.crossOnly;
  root.querySelector(".sides").classList.toggle("alone", view.sides.length < 2);
  drawScrubber(state);
  for (const column of state.columns) drawColumn(column, view);
  drawStep(state);
}

/** What depends on the width. */
function resize(state) {
  drawScrubber(state);
  drawStep(state);
}

/** One step, in place. */
function drawStep(state) {
  drawScrubberStep(state);
  for (const column of state.columns) drawColumnStep(column, state);
  nameTools(state.root.querySelector(".tools"), stepTitle(state), state.view.texts);
  state.root.dataset.step = state.step;
  markDrawn(state, "decoding-drawn");
}

const LETTER = 6.7; // width of one letter below a dot, in pixels

function drawScrubber(state) {
  const { view, nodes, width } = state;
  const [free, forced] = view.sides;
  const room = Math.floor((width / view.count - 3) / LETTER);
  const written = Array.from({ length: view.count },
    (_, i) => (free.steps[i] ?? forced?.steps[i])?.chosen.label);
  const dots = Array.from({ length: view.count }, (_, i) => {
    const dot = element("span", "dot");
    dot.dataset.step = i;
    dot.append(element("i", "sign"));
    if (room >= 3 && i < free.steps.length) {
      const [text, flags] = written[i];
      dot.append(tokenElement([middle(text, roomAt(written, i, room)), flags], "target", i + 1 + view.before, "under", view.texts));
    }
    dot.classList.toggle("difference", i === view.difference);
    dot.classList.toggle("after", view.difference !== null && i > view.difference);
    const truth = (free.steps[i] ?? forced?.steps[i])?.true?.label;
    // After a difference the decoder is fed other words, and yet may write the same.
    dot.classList.toggle("other", Boolean(truth && !sameLabel(written[i], truth)));
    dot.classList.toggle("by-hand", Boolean(free.steps[i]?.overridden));
    return dot;
  });
  nodes.scrubber.style.setProperty("--count", view.count);
  nodes.scrubber.classList.toggle("named", room >= 3);
  nodes.scrubber.setAttribute("aria-valuemax", view.count);
  nodes.scrubber.setAttribute("aria-label", view.texts["step.name"]);
  nodes.scrubber.setAttribute("aria-description", view.texts["step.help"]);
  nodes.scrubber.replaceChildren(element("i", "rail"), element("i", "rail done"), ...dots);
  state.dots = dots;
}

/** Letters below a dot: a long word takes what the words beside it leave. */
export function roomAt(written, i, room) {
  const lengths = [written[i - 1], written[i + 1]].map(
    (label) => (label ? Math.min(room, lettersOf(label[0]).length) : room));
  return 2 * room - Math.max(...lengths);
}

function drawScrubberStep(state) {
  const { view, nodes, step, dots } = state;
  nodes.scrubber.style.setProperty("--at", step);
  state.dotNow?.classList.remove("now");
  state.dotNow = dots[step];
  state.dotNow.classList.add("now");
  const words = fill(view.texts.step, { number: step + 1, n: lengthAt(view, step) });
  nodes.count.textContent = words;
  nodes.scrubber.setAttribute("aria-valuenow", step + 1);
  nodes.scrubber.setAttribute("aria-valuetext", words);
  nodes.previous.setAttribute("aria-disabled", step === 0);
  nodes.following.setAttribute("aria-disabled", step === view.count - 1);
}

function drawControls({ view, nodes }) {
  const { texts, difference } = view;
  nodes.previous.setAttribute("aria-label", texts["step.previous"]);
  nodes.following.setAttribute("aria-label", texts["step.next"]);
  // Where a word was put in that makes the sides part, its own mark says so.
  const putIn = Boolean(view.sides[0].steps[difference]?.overridden);
  nodes.difference.hidden = view.sides.length < 2 || putIn;
  nodes.difference.disabled = difference === null;
  nodes.difference.lastElementChild.textContent = difference === null
    ? texts["difference.none"] : fill(texts.difference, { number: difference + 1 });
  nodes.byHand.hidden = !view.sides[0].steps.some(({ overridden }) => overridden);
  nodes.byHand.lastElementChild.textContent = texts.overridden;
}

/** Steps of the sentence that is written; beyond its end, those of the true one. */
function lengthAt(view, step) {
  const [{ steps: { length } }] = view.sides;
  return step < length ? length : view.count;
}

/** The step under the pointer. */
function stepUnder({ nodes, view }, { clientX }) {
  const box = nodes.scrubber.getBoundingClientRect();
  const at = Math.floor(((clientX - box.left) / box.width) * view.count);
  return Math.min(view.count - 1, Math.max(0, at));
}

/** Numbers 0 … count - 1 to choose from; what was chosen stays chosen where it still exists. */
function drawChoice(select, name, count, chosen) {
  select.previousElementSibling.textContent = name;
  if (select.options.length !== count) {
    select.replaceChildren(...Array.from({ length: count }, (_, i) => new Option(i, i)));
  }
  select.value = Math.min(chosen, count - 1);
  return Number(select.value);
}

const STOP = 900; // milliseconds at each step, when they go by
const RESTS = 500; // milliseconds at a step until a step is reported to the server, so that a link opens on it

function answerPointer(state) {
  const { root, nodes } = state;
  root.onclick = (event) => {
    const at = (selector) => event.target.closest(selector);
    if (at(".previous")) goTo(state, state.step - 1);
    if (at(".following")) goTo(state, state.step + 1);
    if (at(".play")) play(state, !state.playing);
    if (at("button.difference")) goTo(state, state.view.difference);
    const token = at(".option")?.dataset.token;
    if (token) force(state, Number(token));
    if (at(".option.others") && state.view.most > state.view.few) unfold(state);
  };
  answerWalk(state, {
    slider: nodes.scrubber, pace: STOP, last: () => state.view.count - 1, at: () => state.step,
    under: (event) => stepUnder(state, event), show: (step) => show(state, step),
    drawPlay: () => {
      drawPlay(state);
      tellStep(state);
    },
  });
  root.onpointermove = (event) => showUnder(state, event);
  root.onpointerleave = () => rest(state);
}

function answerKeys(state) {
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

/** Ask the server for a decoding that goes on with another token from this step. */
function force(state, token) {
  state.asked = true;
  clearTimeout(state.reportTimer);
  state.reported = state.columns[0].at;
  state.send("force", { step: state.columns[0].at, token });
}

/** Show more or fewer of the probable tokens. */
function unfold(state) {
  state.view.unfolded = !state.view.unfolded;
  rest(state);
  for (const column of state.columns) drawColumn(column, state.view);
  drawStep(state);
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
  clearTimeout(state.reportTimer);
  if (state.playing || state.step === state.reported) return;
  state.reportTimer = setTimeout(() => {
    state.reported = state.step;
    state.send("step", { step: state.step });
  }, RESTS);
}

/** The step in a sentence, for those who do not see it. */
function spoken({ view, step, columns }) {
  const { texts } = view;
  const sentences = columns.filter(({ side }) => side?.steps[step]).map(({ side, name }) => {
    const { label, probability } = side.steps[step].chosen;
    return fill(texts.now, {
      side: texts[`side.${name}`], token: label[0], probability: percentWords(probability),
    });
  });
  return joined(ended(fill(texts.step, { number: step + 1, n: lengthAt(view, step) })), ...sentences);
}

/** Show what is under the pointer: a weight, a step, what a click does, a token's other places. */
function showUnder(state, event) {
  const look = event.target.closest(".look");
  const token = event.target.closest("[data-side]");
  const dot = event.target.closest(".dot");
  const option = event.target.closest(".option[aria-disabled=false]");
  rest(state);
  if (look) showLook(state, look, event);
  else if (dot) showDot(state, Number(dot.dataset.step), event);
  else if (option) showOption(state, option, event);
  else if (token) markToken(state, token);
}

function rest(state) {
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
  const lines = [fill(view.texts.step, { number: step + 1, n: lengthAt(view, step) })];
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
  const rows = rowsOf(columns[0].side.steps[columns[0].at], view);
  const row = rows[[...option.parentElement.children].indexOf(option)];
  const line = element("span", "line", row.others ? foldWords(view) : "");
  if (!row.others) line.append(...fillParts(view.texts.force, { token: word(row.label[0]) }));
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
