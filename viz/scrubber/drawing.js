// From places to SVG, and what moves with the handle.

import { markDrawn } from "../component/mount.js";
import { svg } from "../component/shapes.js";
import { fill, listed, localDigits, localNumber } from "../component/text.js";
import { element } from "../component/tokens.js";
import { SIZE } from "./layout.js";

const DOTS_SHOWN = 60; // a curve with more points is drawn as a line alone

const stepWords = (step) => localNumber(step, 0, true);

export function drawCurves({ view, layout, nodes }) {
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

export function drawAxis({ view, layout, nodes }) {
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
    ...layout.places.map((place) => svg("line", {
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
export function drawKeys({ view, nodes }) {
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
export function drawHandle(state) {
  const { view, layout, nodes, root, at } = state;
  const place = layout.places[at];
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

export function drawPlay({ view, nodes, playing }) {
  nodes.play.disabled = view.stops.length < 2;
  nodes.play.classList.toggle("on", Boolean(playing));
  nodes.play.title = view.texts[playing ? "pause" : "play"];
  nodes.play.setAttribute("aria-label", nodes.play.title);
}

export const stopName = ({ texts, stops }, at) => fill(texts.stop, { step: stepWords(stops[at]) });

/** The stop in words, for those who do not see it. */
export function spoken({ view, at }) {
  const known = view.labels[at].split(" · ").filter(Boolean);
  return listed([stopName(view, at), ...known]);
}
