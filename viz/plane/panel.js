// One panel with its legend, and the sentences above. Elements stay while values change.

import { nameTools } from "../component/figure.js";
import {
  axisToken, drawLabels, LARGEST_CELL, setPixels, shortened, skippedText,
} from "../component/plot.js";
import { drawLegend } from "../component/scale.js";
import { fill, lettersOf, listed } from "../component/text.js";
import { bringIntoView, element, inWords, tokenElement } from "../component/tokens.js";
import { drawPixels, drawWords, PIXELS } from "./cells.js";
import { answerFocus } from "./events.js";
import { linkOf, tickDigits } from "./payload.js";
import { CHIP, viewOf } from "./sizes.js";
import { partSaid, sizeShown } from "./zoom.js";
import { answerZoom } from "./zooming.js";

function newPanel(figure, index) {
  figure.dataset.panel = index;
  const find = (selector) => figure.querySelector(selector);
  return {
    figure, caption: find("figcaption"), plot: find(".plot"), box: find(".box"), cells: find(".cells"),
    colours: find(".colours"), rows: find(".labels.rows"), columns: find(".labels.columns"),
    across: find(".axis.across"), down: find(".axis.down"), names: find(".names"), tops: find(".tops"),
    rowBand: find(".band.row"), columnBand: find(".band.column"), chosen: find(".chosen"),
    cursor: find(".cursor"), note: find(".note"), pooled: find(".note.pooled"),
    zooming: find(".zooming"), where: find(".where"), tools: find(".tools"),
    buttons: [...figure.querySelectorAll("[data-zoom]")], content: null, drawn: 0,
    zoom: null, shown: null, view: null, lastCursor: null, turned: 0,
  };
}

/** As many figures as panels; those that are there already stay where they are. */
export function placeFigures(state) {
  const { nodes, figures, prototype, view } = state;
  while (figures.length > view.panels.length) figures.pop().figure.remove();
  while (figures.length < view.panels.length) {
    const node = prototype.cloneNode(true);
    nodes.panels.append(node);
    addFigure(state, node);
  }
}

export function addFigure(state, node) {
  const index = state.figures.length;
  state.figures.push(newPanel(node, index));
  answerFocus(state, index, state.figures[index].cells);
  answerZoom(state, index, state.figures[index]);
}

/** Words around the cells, and what is as large at every zoom. */
export function placePanel(state, index) {
  const panel = state.view.panels[index];
  const figure = state.figures[index];
  const layout = state.layout.panels[index];
  for (const [node, { name }] of [[figure.across, panel.columnAxis], [figure.down, panel.rowAxis]]) {
    [node.textContent, node.title] = [name, name];
  }
  setPixels(figure.figure, {
    "--figure": layout.figure, "--plot": layout.plot, "--left": layout.left, "--top": layout.top,
    "--overhang": layout.overhang, "--where": layout.zoomable ? heightOfPart(state, index) : 0,
    ...layout.pixels,
  });
  figure.zooming.hidden = !layout.zoomable;
  if (!layout.zoomable) figure.zoom = null;
  placeView(state, index);
  figure.content = null;
}

/** The labels of what is shown, and its size. */
export function placeView(state, index) {
  const figure = state.figures[index];
  const view = figure.view = viewOf(state, index);
  figure.shown = JSON.stringify(figure.zoom);
  figure.plot.dataset.angle = view.angle;
  figure.plot.classList.toggle("fine", Math.min(view.cellWidth, view.cellHeight) < 7);
  setPixels(figure.figure, {
    "--width": view.width, "--height": view.height, "--cell-width": view.cellWidth,
    "--cell-height": view.cellHeight, "--row-step": view.rowStep, "--column-step": view.columnStep,
    "--label-size": view.labelSize, "--row-label-size": view.rowLabelSize ?? view.labelSize,
  });
  const label = (which) => (i) => axisLabel(state, index, which, i);
  // Where rows have names of their own they have no labels.
  const rows = state.view.panels[index].heads ? 0 : view.rows;
  figure.rowLabels = drawLabels(figure.rows, rows, view.rowEvery, label("rowAxis"), view.row);
  figure.columnLabels = drawLabels(
    figure.columns, view.columns, view.columnEvery, label("columnAxis"), view.column);
  placeZoom(state, index);
}

export function axisLabel({ view, layout, measure, figures }, index, which, i) {
  const panel = view.panels[index];
  const axis = panel[which];
  const { labels, side, id, then } = axis;
  const longest = layout.sizes[index].longest - (side && panel.chips ? CHIP : 0);
  const token = (label, at) => axisToken(label, side, at, view.texts, measure.textWidth, longest);
  const own = token(labels[i], i);
  Object.assign(own.dataset, { axis: id, which, link: linkOf(axis, i), at: i });
  own.classList.toggle("differs", axis.differs.includes(i));
  const node = element("div", "label");
  // One letter needs no turn, and a patch of an image would become another.
  node.classList.toggle("upright", lettersOf(labels[i][0]).length === 1);
  const shown = figures[index].view;
  node.style.setProperty("--at", i - (which === "rowAxis" ? shown.row : shown.column));
  node.append(own);
  if (then.length) {
    const predicted = token(then[i], i + 1);
    predicted.classList.add("predicted");
    node.append(element("span", "arrow", "→"), predicted);
  }
  return node;
}

/** What the buttons that zoom are called. */
function nameZoom({ zooming, buttons }, title, texts) {
  zooming.firstElementChild.setAttribute("aria-label", fill(texts.zoom, { title }));
  for (const button of buttons) {
    const name = texts[`zoom.${button.dataset.zoom}`];
    Object.assign(button, { ariaLabel: name, title: name });
  }
  buttons.at(-1).textContent = texts["zoom.all.short"];
}

/** Title, notes, names, and what is shown. */
export function drawPanel(state, index) {
  const { view, layout } = state;
  const panel = view.panels[index];
  const figure = state.figures[index];
  figure.caption.textContent = panel.title;
  figure.note.textContent = panel.note;
  if (layout.panels[index].zoomable) nameZoom(figure, panel.title, view.texts);
  const [picture, help] = state.kind.names(state, index);
  figure.colours.setAttribute("aria-label", picture);
  figure.cells.setAttribute("aria-label", help);
  nameTools(figure.tools, panel.title, view.texts);
  state.kind.drawPanel?.(state, index);
  drawView(state, index);
  figure.content = panel.content;
  figure.figure.dataset.drawn = figure.drawn += 1;
}

/** The pixels of what is shown, and what there was no room for. */
export function drawView(state, index) {
  const { view: { panels, texts }, layout, figures, measure, root } = state;
  const figure = figures[index];
  const { view } = figure;
  const panel = panels[index];
  drawPixels(figure.colours, panel, view);
  drawWords(figure, panel, view, root, measure.textWidth);
  // Zoomed, the note keeps its place, lest what is below jump.
  const [now, whole] = [view, layout.panels[index]].map((each) => leftOutText(panel, each, texts));
  figure.pooled.textContent = now || whole;
  figure.pooled.style.visibility = now ? "" : "hidden";
  state.kind.drawView?.(state, index);
}

/** What there was no room for: cells of their own, or labels. Numbers count on by themselves. */
export function leftOutText(panel, { pool, rowEvery, columnEvery }, texts) {
  const { scale, rowAxis, columnAxis, heads } = panel;
  const template = texts[`pooled.${scale}`] ?? texts.pooled;
  const pooled = pool > 1 ? fill(template, { n: pool }) : "";
  if (heads) return pooled;
  const skipped = skippedText(texts, rowAxis.side ? rowEvery : 1, columnAxis.side ? columnEvery : 1);
  return [pooled, skipped].filter(Boolean).join(" · ");
}

/** What part is shown, in words, and which buttons lead on. */
function placeZoom({ view: { panels, texts }, layout, figures }, index) {
  const { zoom, view, where, buttons, figure } = figures[index];
  figure.classList.toggle("zoomed", Boolean(zoom));
  if (!layout.panels[index].zoomable) return;
  where.textContent = partSaid(texts, { ...panels[index], view });
  const able = { in: sizeShown(view) < LARGEST_CELL, out: zoom, all: zoom };
  for (const button of buttons) button.ariaDisabled = !able[button.dataset.zoom];
}

const PART_LINE = 16; // pixels

/** As high at every zoom: the text of the last cell is the longest. */
function heightOfPart({ view: { panels, texts }, layout, measure }, index) {
  const { rows, columns } = panels[index];
  const last = { row: rows - 1, column: columns - 1, rows: 1, columns: 1 };
  const wide = measure.nameWidth(partSaid(texts, { rows, columns, view: last }));
  return PART_LINE * Math.ceil(wide / layout.panels[index].figure);
}

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
    const nameOf = (all) => (name ? fill(legend, { name, title: listed(all) }) : listed(all));
    const short = titles.map((title) => shortened(title, LONGEST_TITLE, ([text]) => nameWidth(text)));
    return { ...named, name: nameOf(short), whole: nameOf(titles) };
  });
}

export function drawLegends({ view, nodes: { legends: node }, measure }) {
  const legends = legendsOf(view.panels);
  const { hidden } = legends;
  const scales = namedScales(legends.scales, view.texts, measure.nameWidth);
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

const SEEN_AT_ONCE = 160; // words; more than the lines shown of a long sentence can hold

/** Chips of both sentences; they stay until other words come. */
export function drawSentences(state) {
  const { view, find } = state;
  const { texts, picks } = view;
  const key = JSON.stringify([view.source, view.target, texts, picks]);
  if (state.sentences === key) return;
  state.sentences = key;
  state.chips = {};
  for (const side of ["source", "target"]) {
    const node = find(`.chips.${side}`);
    find(`.side.${side}`).textContent = texts[side];
    const chips = view[side].map((label, i) => tokenElement(label, side, i, "chip", texts));
    if (texts["words.help"]) {
      node.setAttribute("role", "group");
      node.setAttribute("aria-label", fill(texts["words.help"], { side: texts[side] }));
    }
    if (picks) chips.forEach((chip, i) => makeButton(chip, i >= view.fed[side], texts));
    addChips(node, chips);
    state.chips[side] = chips;
  }
}

function addChips(node, chips) {
  const parts = inWords(chips);
  node.replaceChildren(...parts.slice(0, SEEN_AT_ONCE));
  // The rest lies below the edge of the scrolled box: it comes after the picture is on the screen.
  const late = parts.slice(SEEN_AT_ONCE);
  const add = () => {
    if (parts[0].parentNode !== node) return;
    node.append(...late);
    bringIntoView(node.querySelector('[aria-pressed="true"], [aria-current="true"]'));
  };
  if (late.length) requestAnimationFrame(() => setTimeout(add));
  node.parentElement.hidden = !chips.length;
}

function makeButton(chip, isLast, texts) {
  chip.setAttribute("role", "button");
  if (!isLast) return;
  chip.setAttribute("aria-disabled", "true");
  chip.title = texts.last;
}
