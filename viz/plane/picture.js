// What is shown as pictures to take away: on white, whatever the theme; what is zoomed is what is saved.

import {
  brokenLines, FIGURE, figureStyle, figureSvg, figureTextWidth, pixelHex, savePng, saveSvg, svgChip,
  SvgContext, svgHatch, svgMoved, svgNode, svgText,
} from "../component/figure.js";
import { AXIS, LABEL, putPixels, shortened } from "../component/plot.js";
import { partOf, PIXELS, pixelsOf, wordsOf, writeWords } from "./cells.js";
import { leftOutText, ticksOf } from "./panel.js";
import { ARROW, CHIP, panelLayout, planeOf, sizesOf } from "./sizes.js";
import { lettersOf } from "../component/text.js";
import { partSaid } from "./zoom.js";

export const FIGURE_LEGEND = { width: 180, height: 12, shades: 64, line: 32, swatch: 18 };
const MANY_CELLS = 4096;

/**
 * Coloured cells at 0, 0. `pixels` has one 32-bit pixel per cell, row by row; 0 is hidden, and shows
 * the hatch. Very many are one picture, whose pixels programs enlarge without smoothing.
 */
function svgCells({ across, down, cellWidth, cellHeight, pixels }, style) {
  const [width, height] = [across * cellWidth, down * cellHeight];
  const hatch = pixels.includes(0) ? svgHatch(width, height, style) : "";
  if (pixels.length > MANY_CELLS) return [hatch, manyCells(across, down, width, height, pixels)];
  const lines = Math.min(cellWidth, cellHeight) >= 7
    ? { stroke: style.paper, "stroke-width": 0.5, "stroke-opacity": 0.55 } : {};
  const cells = Array.from(pixels, (pixel, i) => (pixel ? svgNode("rect", {
    x: (i % across) * cellWidth, y: Math.floor(i / across) * cellHeight,
    width: cellWidth, height: cellHeight, fill: pixelHex(pixel),
  }) : ""));
  const edges = lines.stroke ? {} : { "shape-rendering": "crispEdges" };
  return [hatch, svgNode("g", { class: "cells", ...lines, ...edges }, cells)];
}

function manyCells(across, down, width, height, pixels) {
  const canvas = putPixels(document.createElement("canvas"), across, down, (image) => image.set(pixels));
  return svgNode("image", {
    class: "cells", href: canvas.toDataURL("image/png"), width, height, preserveAspectRatio: "none",
    style: "image-rendering: pixelated",
  });
}

/**
 * A scale with its ticks and its name, and what the hatch means, at 0, 0. `colours` are pixels as in
 * scale.js, the transparent one first; without ticks it is one colour. `hidden` may be empty.
 */
function svgLegend({ name, ticks, colours, hidden }, style) {
  const { height, line, swatch } = FIGURE_LEGEND;
  const width = ticks.length ? FIGURE_LEGEND.width : swatch;
  const quiet = { fill: style.quiet };
  const anchors = ["start", ...ticks.slice(2).map(() => "middle"), "end"];
  const parts = [
    scaleBar(colours, width, height),
    ticks.map((tick, i) => svgText((i * width) / Math.max(1, ticks.length - 1), height + 13, tick, {
      "text-anchor": anchors[i], ...quiet,
    })),
    name ? svgText(width + 10, height - 2, name, quiet) : [],
  ];
  if (!hidden) return { body: parts.flat(), height: line };
  const box = { x: 0.5, y: 0.5, width: swatch - 1, height: height - 1, fill: "none", stroke: style.rule };
  parts.push(svgMoved(
    0, line, 0, svgHatch(swatch, height, style), svgNode("rect", box),
    svgText(swatch + 8, height - 2, hidden, quiet)));
  return { body: parts.flat(), height: 2 * line - 12 };
}

/** Each shade goes on below the next one, so that there are no gaps between them. */
function scaleBar(colours, width, height) {
  const last = colours.length - 1;
  const count = Math.min(FIGURE_LEGEND.shades, width < FIGURE_LEGEND.width ? 1 : last);
  return svgNode("g", { "shape-rendering": "crispEdges" }, Array.from({ length: count }, (_, i) => {
    const x = (i * width) / count;
    const at = 1 + Math.round((i * (last - 1)) / Math.max(1, count - 1));
    return svgNode("rect", { x, y: 0, width: width - x, height, fill: pixelHex(colours[at]) });
  }));
}

export const PICTURE = { width: 860, height: 560, sharp: 2, gap: 18, line: 17 };

/** Answer a button that saves a picture. */
export function takeAway(state, tool) {
  const { svg, name } = state.kind.pictures(state, tool);
  (tool.className === "png" ? savePng : saveSvg)(svg, `${name}.${tool.className}`);
}

/** What is shown of a panel as a whole SVG document, of a size of its own. */
export function panelPicture(state, index) {
  const style = figureStyle(state.root);
  return figureSvg(drawnPanel(state, index, style), style);
}

/** What is shown of a panel as `figureSvg` takes it. */
function drawnPanel({ view: { panels, texts }, measure, width, figures, layout }, index, style) {
  const { zoom, view } = figures[index];
  const panel = { ...(zoom ? partOf(panels[index], view) : panels[index]), chips: true };
  // As wide as the screen if words stand in the cells, so that none of them is cut that was not.
  const room = panel.texts ? Math.max(PICTURE.width, width) : PICTURE.width;
  const sizes = sizesOf(panel, measure, room);
  const placed = panelLayout(panel, sizes, { width: room, height: PICTURE.height }, PICTURE.sharp);
  const { left, top, below, figure } = placed;
  const notes = [
    panel.note, zoom && partSaid(texts, planeOf({ view: { panels }, layout, figures }, index)),
    leftOutText(panel, placed, texts),
  ];
  const foot = pictureFoot(panel, notes.filter(Boolean), figure, style);
  const body = [
    svgPanel(panel, placed, sizes, measure.textWidth, style),
    placed.words ? svgMoved(left, top, 0, svgWords(panel, placed, measure.textWidth, style)) : [],
    svgMoved(0, top + below + PICTURE.gap, 0, foot.body),
  ];
  const height = top + below + PICTURE.gap + foot.height;
  return { title: panels[index].title, width: figure, height, body };
}

/** How to read the colours, and what else is to be known, in lines as wide as the picture. */
export function pictureFoot(panel, notes, figure, style) {
  const legend = svgLegend({
    name: panel.value_name, ticks: ticksOf(panel), colours: PIXELS[panel.scale],
    hidden: panel.visible?.includes(0) ? panel.hidden : "",
  }, style);
  const width = (text) => figureTextWidth(text, FIGURE.text, style.font);
  const lines = notes.flatMap((text) => brokenLines(text, Math.max(figure, FIGURE.narrowest), width));
  const written = lines.map((line, i) =>
    svgText(0, legend.height + (i + 1) * PICTURE.line, line, { fill: style.quiet }));
  const height = legend.height + (lines.length ? lines.length * PICTURE.line + 4 : 0);
  return { body: [legend.body, written], height };
}

/** Axes and cells of a panel, whole as it is. */
export function svgPanel(panel, layout, sizes, textWidth, style) {
  const { rows, columns } = panel;
  const cells = svgCells({
    ...layout, pixels: pixelsOf(panel, { ...layout, row: 0, column: 0, rows, columns }),
  }, style);
  return [svgAxes(panel, layout, sizes, textWidth, style), svgMoved(layout.left, layout.top, 0, cells)];
}

function svgWords(panel, layout, textWidth, style) {
  const context = new SvgContext();
  writeWords(context, wordsOf(panel, layout, textWidth), style);
  return context.parts;
}

/** The axes: their names, and their labels as chips. */
function svgAxes({ rowAxis, columnAxis, rows, columns, heads }, layout, sizes, textWidth, style) {
  const { left, top, angle, rowStep, columnStep, rowEvery, columnEvery, labelSize: size } = layout;
  const quiet = { fill: style.quiet };
  const chip = ([text, flags], { side, differs = [] }, i, align, x = 0) => svgChip({
    text: shortened(text, sizes.longest - (side ? CHIP : 0), textWidth), flags,
    side: heads ? "" : side, align, size, x, differs: differs.includes(i),
  }, style);
  // As on the page the same ones have a label, wherever a part of the axis begins.
  const every = (count, step, first) => {
    const begin = Math.ceil(first / step) * step - first;
    return Array.from({ length: Math.ceil((count - begin) / step) }, (_, i) => begin + i * step);
  };
  const rowLabel = (row) => {
    const own = rowAxis.labels[row];
    if (!rowAxis.then.length) return chip(own, rowAxis, row, "right");
    return [
      chip(own, rowAxis, row, "right", -sizes.predicted - ARROW),
      svgText(-sizes.predicted - ARROW / 2, 0.34 * size, "→", {
        "text-anchor": "middle", "font-size": size, ...quiet,
      }),
      chip(rowAxis.then[row], { side: rowAxis.side }, row, "left", -sizes.predicted),
    ];
  };
  const turned = (column) => (lettersOf(columnAxis.labels[column][0]).length === 1 ? 0 : angle);
  const baseline = (column) => top - LABEL.gap - (turned(column) ? 0 : LABEL.size / 2);
  return [
    svgText(left, AXIS / 2 + 2, columnAxis.name, quiet),
    svgMoved(AXIS / 2 + 2, top, -90, svgText(0, 0, rowAxis.name, { "text-anchor": "end", ...quiet })),
    heads ? [] : every(rows, rowEvery, rowAxis.first).map((row) =>
      svgMoved(left - LABEL.gap, top + (row + 0.5) * rowStep, 0, rowLabel(row))),
    every(columns, columnEvery, columnAxis.first).map((column) => svgMoved(
      left + (column + 0.5) * columnStep, baseline(column), -turned(column),
      chip(columnAxis.labels[column], columnAxis, column, turned(column) ? "left" : "center"))),
  ];
}
