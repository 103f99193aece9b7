// The component: a training's curves, and a handle on them. Drawn anew in place, never rebuilt.

import { answerWalk, play } from "../component/keys.js";
import { markDrawn, mount, pageIsRunning } from "../component/mount.js";
import { within } from "../component/pixels.js";
import { fill, listed, localDigits, localNumber, readFrame } from "../component/text.js";
import { element, svg } from "../component/tokens.js";
import { hideTooltip, showTooltip } from "../component/tooltip.js";
import { layoutOf, nearest, SIZE } from "./layout.js";

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
    nodes, at: 0, reported: null, answered: false, clock: 0,
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

const DOTS_SHOWN = 60; // a curve with more points is drawn as a line alone

const stepWords = (step) => localNumber(step, 0, true);

function drawCurves({ view, layout, nodes }) {
  const { x, y } = layout;
  const at = ([step, loss]) => [x.place(step).toFixed(1), y.place(loss).toFixed(1)];
  const shapes = ["training", "held_out"].flatMap((name) => {
    const dotted = name === "held_out" || view[name].length === 1;
    const dots = dotted && view[name].length <= DOTS_SHOWN ? view[name].map(at) : [];
    return [
      svg("path", { class: `line ${name}`, d: pathOf(view[name], at) }),
      ...dots.map(([cx, cy]) => svg("circle", { class: `dot ${name}`, cx, cy, r: 2.25 })),
    ];
  });
  nodes.curves.replaceChildren(...shapes);
}

/** A line through all points; step 0 stands apart, and so is a dot. */
function pathOf(points, at) {
  return points.map((point, i) => {
    const start = !i || points[i - 1][0] === 0;
    return `${start ? "M" : "L"}${at(point).join(" ")}${start ? "h0" : ""}`;
  }).join("");
}

function drawAxis({ view, layout, nodes }) {
  const { x, y, left, right, track } = layout;
  const name = (attributes, text) => svg("text", { class: "name", x: left - 10, ...attributes }, text);
  const grid = y.ticks.flatMap((loss) => [
    svg("line", { class: "rule", x1: left, x2: right, y1: y.place(loss), y2: y.place(loss) }),
    svg("text", { class: "tick y", x: left - 10, y: y.place(loss) + 4 }, lossWords(loss)),
  ]);
  if (y.ticks.length) grid.push(name({ class: "name y", y: 15 }, view.texts.loss));
  nodes.grid.replaceChildren(...grid);
  const rail = (from, to) => svg("line", { class: "rail", x1: from, x2: to, y1: track, y2: track });
  const below = track + SIZE.below;
  nodes.axis.replaceChildren(
    ...(x.zero ? [rail(x.left - 7, x.left + 7)] : []),
    rail(x.start, x.right),
    ...layout.positions.map((place) => svg("line", {
      class: "stop", x1: place, x2: place, y1: track - 4, y2: track + 4 })),
    ...x.ticks.map((step) => svg("text", {
      class: `tick ${endOf(step, x)}`, x: x.place(step), y: below }, stepWords(step))),
    name({ class: "name y", y: below }, view.texts.step),
  );
}

/** The last label ends where the axis does. */
const endOf = (step, x) => (x.place(step) > x.right - 1 ? "last" : "x");

const lossWords = (loss) => localDigits(String(Number(loss.toPrecision(2))));

/** Which curve is which. */
function drawKeys({ view, nodes }) {
  nodes.keys.replaceChildren(...["training", "held_out"].filter((name) => view[name].length).map((name) => {
    const key = element("span", `key ${name}`);
    const sample = svg("svg", { width: 18, height: 8 });
    sample.append(svg("path", { class: `line ${name}`, d: "M1 4H17" }));
    if (name === "held_out") sample.append(svg("circle", { class: `dot ${name}`, cx: 9, cy: 4, r: 2.25 }));
    key.append(sample, view.texts[name]);
    return key;
  }));
}

/** Everything that depends on the stop. */
function drawHandle(state) {
  const { view, layout, nodes, root, at } = state;
  const place = layout.positions[at];
  root.style.setProperty("--at", `${place}px`);
  nodes.words.firstElementChild.textContent = stopName(view, at);
  nodes.words.lastElementChild.textContent = view.labels[at] && ` · ${view.labels[at]}`;
  // Around the handle, but never beyond the picture.
  const room = nodes.words.offsetWidth;
  const from = Math.min(Math.max(layout.left, place - room / 2), layout.width - room);
  root.style.setProperty("--words", `${Math.round(from)}px`);
  [...nodes.axis.querySelectorAll(".stop")].forEach((node, i) => node.classList.toggle("past", i <= at));
  nodes.slider.setAttribute("aria-valuenow", view.stops[at]);
  nodes.slider.setAttribute("aria-valuetext", spoken(state));
  root.dataset.step = view.stops[at];
  markDrawn(state, "scrubber-drawn");
}

function drawPlay({ view, nodes, playing }) {
  nodes.play.disabled = view.stops.length < 2;
  nodes.play.classList.toggle("on", Boolean(playing));
  nodes.play.title = view.texts[playing ? "pause" : "play"];
  nodes.play.setAttribute("aria-label", nodes.play.title);
}

const stopName = ({ texts, stops }, at) => fill(texts.stop, { step: stepWords(stops[at]) });

/** The stop in words, for those who do not see it. */
function spoken({ view, at }) {
  const known = view.labels[at].split(" · ").filter(Boolean);
  return listed([stopName(view, at), ...known]);
}

const PACE = 120; // milliseconds between two reports at least
const PATIENCE = 80; // PACEs that a page may take before it is interrupted
const STOP = 700; // milliseconds at each stop, when they go by

function answer(state) {
  const { nodes: { slider, play: button } } = state;
  answerWalk(state, {
    slider, pace: STOP, last: () => state.view.stops.length - 1, at: () => state.at,
    under: (event) => stopUnder(state, event), hover: (event) => preview(state, event),
    show: (at) => show(state, at), drawPlay: () => drawPlaying(state),
    // A slow page is waited for, so that every stop is seen.
    waits: () => state.clock,
  });
  button.onclick = () => play(state, !state.playing);
}

/** The stop that is nearest to the pointer. */
function stopUnder({ root, layout }, event) {
  return nearest(layout.positions, within(root, event).x);
}

/** Say where a click would lead. */
function preview(state, event) {
  const { view, nodes } = state;
  const at = event && event.pointerType !== "touch" ? stopUnder(state, event) : null;
  [...nodes.axis.querySelectorAll(".stop")].forEach((node, i) => node.classList.toggle("near", i === at));
  if (at === null || at === state.at) return hideTooltip(state);
  const lines = [element("span", "line", stopName(view, at)), element("span", "line quiet", view.labels[at])];
  showTooltip(state, view.labels[at] ? lines : lines.slice(0, 1), event);
}

/** Stand at a stop, and tell the page. */
function show(state, at) {
  state.at = at;
  state.root.classList.toggle("glides", !state.dragging);
  drawHandle(state);
  report(state);
}

/** Report the stop, once the page has drawn the one before. */
function report(state) {
  const step = state.view.stops[state.at];
  if (state.clock || step === state.reported) return;
  state.reported = step;
  state.answered = false;
  state.send("pick", { step });
  waitForPage(state, PATIENCE);
}

function waitForPage(state, patience) {
  state.clock = setTimeout(() => {
    state.clock = 0;
    // Telling a page that still runs would end its run before it has drawn anything.
    if (patience && pageIsRunning()) return waitForPage(state, patience - 1);
    report(state);
    if (!state.clock && state.answered && !state.dragging) {
      followPage(state);
      drawHandle(state);
    }
    return undefined;
  }, PACE);
}

/** Stand where the page says; it may have had a reason to choose another step. */
function followPage(state) {
  const { stops, chosen } = state.view;
  const moved = chosen !== state.reported;
  Object.assign(state, { reported: chosen, at: stops.indexOf(chosen) });
  if (moved) play(state, false);
}

/** Whether the stops go by; a screen reader hears where they end. */
function drawPlaying(state) {
  if (!state.playing) state.nodes.live.textContent = spoken(state);
  drawPlay(state);
}
