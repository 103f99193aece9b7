// What is shown as a picture to take away, with the tokens that are scrolled out of view too.

import {
  brokenLines, FIGURE, figureStyle, figureSvg, figureTextWidth, svgChip, SvgContext, svgMoved,
  svgNode, svgText,
} from "../component/figure.js";
import { shortened } from "../component/plot.js";
import { fill } from "../component/text.js";
import { axisNames, drawToken, strokeAll } from "./drawing.js";
import { LINES_ARROW } from "./layout.js";
import { sameToken } from "./lines.js";
import { linesInView, shownSlots } from "./payload.js";

const LEGEND_LINE = { height: 22, gap: 18, swatch: 16, wedge: 110 };

/** The whole picture: heads, columns, lines of all tokens or of the one that is kept, legend. */
export function linesSvg(state) {
  const { view, layout, pinned } = state;
  const style = figureStyle(state.root);
  const names = axisNames(view);
  const written = (text) => figureTextWidth(text, FIGURE.text, style.font);
  const outside = (column) => Math.max(
    pinned && pinned.column !== column ? layout.gutter : 0,
    written(names[column]) - layout[column]);
  const start = layout.left - layout.query - Math.max(0, outside("query"));
  const width = layout.right + layout.key + Math.max(0, outside("key")) - start;
  const heads = svgHeads(state, width, style);
  const top = heads.height + LEGEND_LINE.height;
  const legend = svgReading(state, width, style);
  const quiet = { fill: style.quiet };
  const body = [
    heads.body,
    svgMoved(-start, top, 0,
      svgText(layout.left, -8, names.query, { ...quiet, "text-anchor": "end" }),
      svgText(layout.right, -8, names.key, quiet),
      drawnLines(state, style), svgTokens(state, style)),
    svgMoved(0, top + layout.content + LEGEND_LINE.gap, 0, legend.body),
  ];
  const height = top + layout.content + LEGEND_LINE.gap + legend.height;
  return figureSvg({ title: view.title, width, height, body }, style);
}

/** The lines of all tokens, or those of the one that is kept with its weights. */
function drawnLines(state, style) {
  const { view, layout, pinned } = state;
  const whole = {
    ...state, scrolled: 0, layout: { ...layout, height: layout.content },
    colours: view.heads.map((head) => style.heads[head % 16]),
    ink: { text: style.ink, rule: style.rule, font: style.font },
  };
  const context = new SvgContext();
  if (pinned) drawToken(whole, context, pinned);
  else strokeAll(whole, context, linesInView(state, [0, Infinity]));
  return context.parts;
}

function svgTokens({ view, layout, pinned, textWidth }, style) {
  const { left, right, step, out, longest, small } = layout;
  const size = small ? 11 : 13;
  const chip = (label, side, x, align, index, look) => svgChip({
    text: shortened(label[0], longest, textWidth), flags: label[1], side, x, align, size,
    y: (index + 0.5) * step, ...look,
  }, style);
  const strongIfPinned = (column, index) => ({ strong: sameToken(pinned, { column, index }) });
  const queryEnd = left - (out && out + LINES_ARROW);
  return [
    view.queries.map((label, i) =>
      chip(label, view.sides[0], queryEnd, "right", i, strongIfPinned("query", i))),
    view.predicted.map((label, i) => [
      svgText(left - out - LINES_ARROW / 2, (i + 0.5) * step + 4, "→",
        { fill: style.quiet, "text-anchor": "middle" }),
      chip(label, "target", left - out, "left", i, { tint: style.paper }),
    ]),
    view.keys.map((label, i) => chip(label, view.sides[1], right, "left", i, strongIfPinned("key", i))),
  ];
}

/** The names of the heads that are shown, in lines of at most this width. */
function svgHeads(state, width, style) {
  const { view } = state;
  const { height, swatch, gap } = LEGEND_LINE;
  let [x, y] = [0, height / 2];
  const body = shownSlots(state).map((slot) => {
    const name = fill(view.texts.head, { head: view.heads[slot] });
    const wide = swatch + 6 + figureTextWidth(name, FIGURE.text, style.font);
    if (x && x + wide > width) [x, y] = [0, y + height];
    const entry = [
      svgNode("rect", {
        x, y: y - 2.5, width: swatch, height: 5, rx: 2, fill: style.heads[view.heads[slot] % 16],
      }),
      svgText(x + swatch + 6, y + 4, name, { fill: style.ink }),
    ];
    x += wide + gap;
    return entry;
  });
  return { body, height: y + height };
}

/** What a line's width says, and which lines are left out. */
function svgReading({ view, layout, leftOut }, width, style) {
  const { texts } = view;
  const { height, wedge } = LEGEND_LINE;
  const look = { fill: style.quiet };
  const start = figureTextWidth(texts.width, FIGURE.text, style.font) + 12;
  const [half, end] = [layout.thickest / 2, start + wedge];
  const notes = [leftOut, view.masked && texts.mask, !view.exact && texts.rounded]
    .filter(Boolean).flatMap((text) => brokenLines(
      text, Math.max(width, FIGURE.narrowest), (part) => figureTextWidth(part, FIGURE.text, style.font)));
  const body = [
    svgText(0, 9, texts.width, look),
    svgNode("path", { d: `M${start} 5L${end} ${5 - half}L${end} ${5 + half}Z`, fill: style.quiet }),
    [0, 0.5, 1].map((weight) => svgText(start + weight * wedge, 24, weight,
      { ...look, "text-anchor": { 0: "start", 0.5: "middle", 1: "end" }[weight] })),
    notes.map((text, i) => svgText(0, 50 + i * height, text, look)),
  ];
  return { body, height: 52 + (notes.length - 1) * height };
}
