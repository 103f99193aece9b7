// Cells and the legend of a picture to take away.

import { pixelHex, svgHatch } from "../component/figure.js";
import { svgMoved, svgNode, svgText } from "../component/svg.js";

export const FIGURE_LEGEND = { width: 180, height: 12, shades: 64, line: 32, swatch: 18 };
const MANY_CELLS = 4096;

/**
 * Coloured cells at 0, 0. `pixels` has one 32-bit pixel per cell, row by row; 0 is hidden, and shows
 * the hatch. Very many are one picture, whose pixels programs enlarge without smoothing.
 */
export function svgCells({ across, down, cellWidth, cellHeight, pixels }, style) {
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
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: across, height: down });
  const image = new ImageData(across, down);
  new Uint32Array(image.data.buffer).set(pixels);
  canvas.getContext("2d").putImageData(image, 0, 0);
  return svgNode("image", {
    class: "cells", href: canvas.toDataURL("image/png"), width, height, preserveAspectRatio: "none",
    style: "image-rendering: pixelated",
  });
}

/**
 * A scale with its ticks and its name, and what the hatch means, at 0, 0. `colours` are pixels as in
 * scale.js, the transparent one first; without ticks it is one colour. `hidden` may be empty.
 */
export function svgLegend({ name, ticks, colours, hidden }, style) {
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
