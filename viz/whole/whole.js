// The component: a sentence on its way through the model, step by step, and what is inside a block.

import { answerTools, nameTools } from "../component/figure.js";
import { answerWalk, drawPlay, goTo, play } from "../component/keys.js";
import { isRecent, markDrawn, mount } from "../component/mount.js";
import { magnified, roomNow, windowRoom } from "../component/pixels.js";
import { cleared, setPixels } from "../component/plot.js";
import { hideTooltip } from "../component/tooltip.js";
import { litOf } from "./drawing.js";
import {
  cellAt, chooseRow, closeInside, refreshInside, showCell, showInside, siteOf,
} from "./inside.js";
import { keepTabStop, moveFocus } from "./keyboard.js";
import { NARROW, TALL, wholeLayout } from "./layout.js";
import { inkOf, paint } from "./painting.js";
import {
  bringStepIntoView, drawOutput, drawWalk, markWords, nameBlocks, nameWalk, placeBlocks, placeNames, placeNote,
  placeWords, sayStep,
} from "./parts.js";
import { changedTokens, readWhole } from "./payload.js";
import { wholeSvg } from "./picture.js";

const PACE = { step: 1000, stage: 420 }; // milliseconds
const WIDE = 1000; // pixels
const RESTS = 500; // milliseconds at a step until the page learns of it
const STORED = ""; // the content of a picture that stands before there is a model

export default function (component) {
  return mount(component, ".whole", { create, receive, draw, leave });
}

function create(state, find) {
  state.nodes = {
    previous: find(".previous"), following: find(".following"),
    play: find(".play"), walk: find(".walk"), slider: find(".slider"), slow: find(".slow input"),
    feeds: find(".feeds"), free: find(".free"), forced: find(".forced"), restore: find(".restore"), said: find(".said"), stage: find(".stage"), columns: find(".columns"), still: find("canvas.still"),
    moving: find("canvas.moving"), names: find(".names"), words: find(".words"),
    output: find(".output"), blocks: find(".blocks"), inside: find(".inside"),
    note: find(".note"), tooltip: find(".tooltip"), live: find(".live"),
  };
  Object.assign(state, { step: 0, stage: Infinity, focus: undefined, open: null, isForced: false, first: {} });
  answerWhole(state);
  answerTools(state, find, ({ view }) => view.title, wholeSvg);
}

function leave(state) {
  play(state, false);
  [state.staging, state.resting].forEach(clearTimeout);
}

/** Take over another pass; where only the step is the page's, the visitor's newer one stays. */
function receive(state, data) {
  const free = readWhole(data);
  const other = free.content !== state.view?.content;
  const sameWords = state.free && ["source", "fed"].every((name) => String(state.free[name]) === String(free[name]));
  free.changed = sameWords ? state.free.changed : changedTokens(state.free, free);
  if (free.forced) free.forced.changed = changedTokens(free, free.forced);
  // The page goes to the step at which a head is missed.
  const silences = other && String(free.silenced) !== String(state.free?.silenced);
  state.free = free;
  state.root.classList.toggle("leads", free.leads);
  if (free.content !== STORED) tellWaiting(state);
  const view = state.view = (state.isForced && free.forced) || free;
  // Without a head it is still the same sentence.
  const same = other && JSON.stringify(view.source) === JSON.stringify(state.source);
  const pageMoves = (!other || silences) && !isRecent(state.moved);
  if ((other && !same) || pageMoves) state.step = view.step;
  state.step = Math.min(state.step, view.last);
  // The page leads here with another block open, or none: a tour, for example.
  if (!other && free.silences && free.open !== state.open && !isRecent(state.touched)) {
    if (state.open) closeInside(state);
    state.reopens = [free.open];
  }
  if (!other) return;
  if (!same) state.focus = undefined;
  [state.source, state.placed, state.still, state.stage] = [view.source, null, null, Infinity];
  if (!same) state.first = firstLayers(view);
  const { open, row } = state;
  if (open) closeInside(state);
  state.reopens = same ? [open, row] : [view.open];
}

/** Whether the block that is open stands in the picture: where there is less room, layers are folded. */
const isPlaced = ({ open, layout }) =>
  layout.stacks.some(({ blocks }) => blocks.some(({ site }) => site === siteOf(open)));

/** How high the picture may be; before a whole room its controls are gone. */
function roomOf(width) {
  if (width < NARROW) return TALL;
  if (magnified() > 1) return Math.max(240, windowRoom() - 135);
  // Above a narrower picture more texts break into lines.
  return Math.min(560, Math.max(360, windowRoom() - (width < WIDE ? 376 : 294)));
}

/** Layers with an open block are not folded. */
function firstLayers({ stacks, open }) {
  const block = stacks.flatMap(({ blocks }) => blocks).find(({ site }) => open && site === siteOf(open));
  return block ? { [block.side]: block.layer } : {};
}

function draw(state) {
  const { nodes, view, width } = state;
  const { texts } = view;
  const placed = `${width} ${roomNow()} ${view.content} ${view.isForced} ${JSON.stringify(state.first)}`;
  if (placed !== state.placed) {
    state.placed = placed;
    state.layout = wholeLayout(width, roomOf(width), view, state.first);
    state.root.classList.toggle("narrow", state.layout.narrow);
    setPixels(nodes.stage, { "--height": state.layout.height, "--width": state.layout.width });
    placeNames(state);
    placeWords(state);
    placeBlocks(state);
    placeNote(state);
    nameBlocks(state);
    if (state.open && !isPlaced(state)) closeInside(state);
  }
  nodes.still.setAttribute("aria-label", view.title);
  nameWalk(state);
  nodes.slow.nextElementSibling.textContent = texts.slow;
  nodes.slow.parentElement.title = texts["slow.help"];
  for (const part of [nodes.walk, nodes.slider, nodes.slow.parentElement]) part.hidden = !view.last;
  nodes.restore.textContent = texts["restore.all"];
  nodes.restore.hidden = !view.silences || !view.silenced.length;
  nameTools(state.root.querySelector(".tools"), view.title, texts);
  drawFeeds(state);
  drawPlay(state);
  drawStep(state);
  bringStepIntoView(state);
  const [open, row] = state.reopens ?? [];
  state.reopens = null;
  if (open) showInside(state, open, row);
  markDrawn(state, "whole-drawn");
}

/** Hide what the page says of a step while the picture plays, and until it is of the step that is shown. */
function markAhead({ root, playing, step, free }) {
  root.getRootNode().host?.toggleAttribute("data-ahead", Boolean(playing) || step !== free.step);
}

/** Draw the step: the decoder moves, the encoder stands still unless another of its words is chosen. */
function drawStep(state) {
  const { nodes, layout } = state;
  markAhead(state);
  const ink = inkOf(state.root);
  const still = `${state.placed} ${litOf(state)} ${ink.active}`;
  if (still !== state.still) {
    state.still = still;
    paint(state, cleared(nodes.still, layout), ink, ["source"]);
  }
  paint(state, cleared(nodes.moving, layout), ink, ["target"]);
  markWords(state);
  drawOutput(state);
  drawWalk(state, sayStep(state));
}

function show(state, step) {
  state.step = step;
  state.saysFocus = false;
  state.moved = performance.now();
  clearTimeout(state.staging);
  state.stage = Infinity;
  if (state.nodes.slow.checked && step > 0) {
    state.stage = 0;
    state.staging = setTimeout(() => nextStage(state), PACE.stage);
  }
  drawStep(state);
  bringStepIntoView(state);
  if (!state.playing) state.nodes.live.textContent = state.nodes.said.textContent;
  if (state.open) refreshInside(state);
  if (!state.playing || step === state.view.last) rest(state);
  if (!state.playing) nameBlocks(state);
}

/** Let the page know of the step and of what is open, once nothing moves: the address holds both. */
function rest(state) {
  clearTimeout(state.resting);
  state.resting = setTimeout(() => tell(state, "step"), RESTS);
}

function answerPlaying(state) {
  drawPlay(state);
  markAhead(state);
  if (state.playing) return;
  rest(state);
  nameBlocks(state);
}

/** Send a click, with what the page may not know yet: it could leave before the next rest. */
function tell(state, name, click = {}) {
  clearTimeout(state.resting);
  const told = [name, { step: state.step, open: state.open, ...click }];
  if (state.free.content !== STORED) return state.send(...told);
  // Nothing answers yet: what was clicked last is kept until the model is there.
  if (name !== "step" || !state.waiting) state.waiting = told;
  state.root.classList.toggle("waits", state.waiting[0] !== "step");
}

/** Send the click that was kept. */
function tellWaiting(state) {
  if (!state.waiting) return;
  state.send(...state.waiting);
  state.waiting = null;
  state.root.classList.remove("waits");
}

function openInside(state, open) {
  state.touched = performance.now();
  play(state, false);
  showInside(state, open);
  rest(state);
}

function close(state) {
  state.touched = performance.now();
  closeInside(state);
  rest(state);
}

/** In slow motion, one sublayer after the other. */
function nextStage(state) {
  const decoder = state.layout.stacks.find(({ side }) => side === "target");
  state.stage += 1;
  if (state.stage > decoder.blocks.length) state.stage = Infinity;
  else state.staging = setTimeout(() => nextStage(state), PACE.stage);
  drawStep(state);
}

/** The choice of what the decoder is fed, where a true translation is known. */
function drawFeeds({ nodes, view, free }) {
  const { feeds } = nodes;
  feeds.hidden = !free.forced;
  feeds.setAttribute("aria-label", view.texts.feeds);
  feeds.firstElementChild.textContent = view.texts.feeds;
  for (const name of ["free", "forced"]) {
    nodes[name].textContent = view.texts[name];
    nodes[name].title = view.texts[`${name}.help`];
    nodes[name].setAttribute("aria-pressed", (name === "forced") === view.isForced);
  }
}

function feed(state, isForced) {
  play(state, false);
  if (state.open) close(state);
  state.isForced = isForced;
  state.view = (isForced && state.free.forced) || state.free;
  [state.placed, state.still, state.stage] = [null, null, Infinity];
  state.step = Math.min(state.step, state.view.last);
  draw(state);
}

function answerWhole(state) {
  const { root, nodes } = state;
  answerWalk(state, {
    slider: nodes.slider, pace: PACE.step, last: () => state.view.last, at: () => state.step,
    drawPlay: () => answerPlaying(state),
    show: (step) => show(state, step),
    waits: () => state.stage !== Infinity,
  });
  root.onclick = (event) => {
    const { target } = event;
    hideTooltip(state);
    const at = (selector) => target.closest?.(selector);
    if (at(".previous")) goTo(state, state.step - 1);
    if (at(".following")) goTo(state, state.step + 1);
    if (at(".play")) playFromStart(state);
    if (at(".close")) close(state);
    const fold = at(".fold")?.dataset;
    if (fold) unfold(state, fold.side, Number(fold.opens));
    const block = at(".blocks button:not(.fold), .kind, .map");
    if (block) openInside(state, block.dataset.head ? `${block.dataset.site}:${block.dataset.head}` : block.dataset.site);
    if (at(".all")) openInside(state, siteOf(state.open));
    const row = at(".row");
    if (row) chooseRow(state, Number(row.dataset.row));
    const way = at(".way")?.dataset;
    if (way) goOn(state, way.way, Number(way.head), { query: Number(way.query), key: way.way === "steps" ? Number(way.key) : null });
    const cell = at(".word-map canvas");
    if (cell && state.view.leads) goOn(state, "steps", cellAt(state, cell, event).head, cellAt(state, cell, event));
    const silence = at(".silence");
    if (silence) changeSilence(state, silence.dataset.name);
    if (at(".free")) feed(state, false);
    if (at(".forced")) feed(state, true);
    if (at(".restore")) tellSilence(state, []);
    const token = at("button.token");
    if (token) chooseToken(state, token);
  };
  root.onpointermove = (event) => {
    // A map that opens under a pointer at rest is not pointed at.
    if (!event.movementX && !event.movementY) return;
    const canvas = event.target.closest?.(".inside canvas");
    if (canvas) showCell(state, canvas, event);
    else hideTooltip(state);
  };
  root.onpointerleave = () => hideTooltip(state);
  root.addEventListener("focusin", (event) => keepTabStop(state, event));
  root.onkeydown = (event) => {
    if (event.key === "Escape" && state.open) close(state);
    moveFocus(state, event);
  };
}

/** Show other layers of a stack; as many are folded. */
function unfold(state, side, layer) {
  if (state.open) close(state);
  state.first = { ...state.first, [side]: layer };
  draw(state);
}

/** Play; the first time from the first step, wherever the page has opened. */
function playFromStart(state) {
  if (!state.playing && state.moved === undefined) goTo(state, 0);
  play(state, !state.playing);
}

/** Go to a head's map on a page of its own, or to a cell of it in numbers. */
function goOn(state, to, head, { query, key = null }) {
  tell(state, "pick", { site: siteOf(state.open), head, to, query, key });
}

/** Silence a head, or switch it on again: the page computes the pass without it. */
function changeSilence(state, name) {
  const { silenced } = state.view;
  state.silencedLast = name;
  tellSilence(state, silenced.includes(name) ? silenced.filter((each) => each !== name) : [...silenced, name]);
}

function tellSilence(state, heads) {
  // Until another step is chosen the page says which one is shown.
  state.moved = -Infinity;
  tell(state, "silence", { heads });
}

/** A word of the source stands out, or no longer; a word of the target is the step that feeds it. */
function chooseToken(state, { dataset }) {
  const index = Number(dataset.index);
  if (dataset.side === "target") {
    goTo(state, index + 1);
    return;
  }
  state.focus = litOf(state) === index ? null : index;
  state.saysFocus = state.focus !== null;
  drawStep(state);
  if (state.open) refreshInside(state);
}
