// How to read the colours: each scale once, and what the hatch means.

import { shortened } from "../component/plot.js";
import { drawLegend } from "../component/scale.js";
import { fill, listed } from "../component/text.js";
import { element } from "../component/tokens.js";
import { PIXELS } from "./cells.js";
import { tickDigits } from "./payload.js";

const LONGEST_TITLE = 220; // pixels

/** The ends of a scale and its middle; a mask has one colour, and so none. */
export function ticksOf({ scale, limit }) {
  if (scale === "mask") return [];
  return (scale === "signed" ? [-limit, 0, limit] : [0, limit / 2, limit]).map(tickDigits);
}

/** Distinct scales with the titles of their panels, and distinct names of what is hidden. */
export function legendsOf(panels) {
  const scales = new Map();
  for (const panel of panels) {
    const { scale, title, value_name: name } = panel;
    const ticks = ticksOf(panel);
    const which = JSON.stringify([scale, name, ticks]);
    if (!scales.has(which)) scales.set(which, { scale, name, ticks, titles: [] });
    scales.get(which).titles.push(title);
  }
  const hidden = panels.filter(({ visible }) => visible?.includes(0)).map((panel) => panel.hidden);
  return { scales: [...scales.values()], hidden: [...new Set(hidden)] };
}

/** What stands beside each scale: the name, and whose it is where others have the same name. */
export function namedScales(scales, { legend }, nameWidth) {
  return scales.map((one) => {
    const { scale, name, ticks, titles } = one;
    const named = { scale, ticks, name, whole: name };
    if (scales.filter((other) => other.name === name).length < 2) return named;
    const said = (all) => (name ? fill(legend, { name, title: listed(all) }) : listed(all));
    const short = titles.map((title) => shortened(title, LONGEST_TITLE, ([text]) => nameWidth(text)));
    return { ...named, name: said(short), whole: said(titles) };
  });
}

export function drawLegends({ view, nodes: { legends: node }, measure }) {
  const found = legendsOf(view.panels);
  const { hidden } = found;
  const scales = namedScales(found.scales, view.texts, measure.nameWidth);
  const shown = JSON.stringify([scales, hidden]);
  if (node.dataset.shown === shown) return;
  node.dataset.shown = shown;
  node.replaceChildren(...scales.map(scaleLegend), ...hidden.map(hatchLegend));
}

function scaleLegend({ scale, name, whole, ticks }) {
  const legend = element("div", "legend");
  const bar = element("span", ticks.length ? "scale" : "swatch");
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { height: 1, ariaHidden: "true" });
  drawLegend(canvas, PIXELS[scale]);
  const marks = element("span", "ticks");
  marks.append(...ticks.map((tick) => element("i", "", tick)));
  bar.append(canvas, marks);
  if (name) legend.append(element("span", "name", name));
  if (name !== whole) legend.firstChild.title = whole;
  legend.append(bar);
  return legend;
}

function hatchLegend(hidden) {
  const legend = element("div", "legend hatched");
  const masked = element("span", "masked");
  masked.append(element("span", "swatch"), element("span", "hidden-name", hidden));
  legend.append(masked);
  return legend;
}
