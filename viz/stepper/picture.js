// The step that is shown as a picture to take away: both sides, with what the layer and head look at.

import {
  brokenLines, chipWidth, FIGURE, figureStyle, figureSvg, figureTextWidth, svgChip, svgHatch,
  svgMoved, svgNode, svgText,
} from "../component/figure.js";
import { CSS_COLOURS } from "../component/scale.js";
import { fill, labelled, middle, percentWords } from "../component/text.js";
import { nextLabel } from "./column.js";
import { rowsOf, weightsOf } from "./payload.js";

const STEP_PICTURE = {
  side: 510, apart: 40, names: 116, row: 12, line: 24, chip: 4, bar: 18, signs: 26, name: 112,
  number: 70, cell: 15, look: 36, narrowest: 22,
};

export const stepTitle = ({ view: { texts, count }, step, layer, head }) =>
  fill(texts.picture, { number: step + 1, n: count, layer, head });

export function stepSvg(state) {
  const style = figureStyle(state.root);
  const { side, apart, row, line } = STEP_PICTURE;
  const sides = state.columns.filter((column) => column.side)
    .map((column) => svgSide(column, state, style));
  const width = sides.length * (side + apart) - apart;
  const about = brokenLines(state.view.about, width, (text) =>
    figureTextWidth(text, FIGURE.text, style.font));
  const top = about.length * line + row;
  const height = top + Math.max(...sides.map((drawn) => drawn.height)) + row;
  const body = [
    about.map((text, i) => svgText(0, i * line + 12, text, { fill: style.quiet })),
    sides.map((drawn, i) => svgMoved(i * (side + apart), top, 0, drawn.body)),
    svgMoved(STEP_PICTURE.names, height, 0, svgReading(state.view, style)),
  ];
  return figureSvg({ title: stepTitle(state), width, height: height + 20, body }, style);
}

/** A side as far as it has come at this step: its rows, each below its name. */
function svgSide({ side, name, at }, { view, layer, head }, style) {
  const { texts } = view;
  const { names, row } = STEP_PICTURE;
  const last = at + view.before;
  const later = name === "free" || view.crossOnly;
  const shown = (labels) => (later ? labels.slice(0, last + 1) : labels);
  const step = side.steps[at];
  const strip = (kind, labels) => svgLooks(
    labels, weightsOf(side[kind], view, layer, head, at, side.steps.length), kind,
    kind === "target" ? last : Infinity, style);
  const rows = [
    ["fed", svgChips(shown(side.fed).map((label, i) => ({
      label, strong: i === last, hidden: i > last,
    })), style)],
    ["next", svgBars(step, view, style)],
    view.selfOnly ? null : ["looks.source", strip("source", view.source)],
    view.crossOnly ? null : ["looks.prefix", strip("target", shown(side.fed))],
    ["appended", svgChips([{ label: nextLabel(name, side, step, last + 1) }], style)],
  ].filter(Boolean);
  const quiet = (text) => brokenLines(text, names - 8, (part) =>
    figureTextWidth(part, FIGURE.text, style.font));
  const body = [svgText(0, 12, texts[name], { "font-weight": 600, fill: style.ink })];
  let height = 28;
  for (const [key, drawn] of rows) {
    const lines = quiet(texts[key]);
    body.push(svgMoved(0, height, 0, lines.map((line, i) =>
      svgText(0, 14 * i + 14, line, { fill: style.quiet }))));
    body.push(svgMoved(names, height, 0, drawn.body));
    height += Math.max(drawn.height, 14 * lines.length + 4) + row;
  }
  return { body, height };
}

/** Boxes of some widths one after the other, in lines of a side's width. */
function placedInLines(widths, gap, line) {
  let [x, y] = [0, 0];
  const room = STEP_PICTURE.side - STEP_PICTURE.names;
  const positions = widths.map((width) => {
    if (x && x + width > room) [x, y] = [0, y + line];
    const place = { x, y };
    x += width + gap;
    return place;
  });
  return { positions, height: y + line };
}

function svgChips(chips, style) {
  const drawn = chips.map(({ label: [text, flags], ...look }) =>
    ({ text: middle(text, 40), flags, side: "target", ...look }));
  const { chip, line } = STEP_PICTURE;
  const { positions, height } = placedInLines(drawn.map((each) => chipWidth(each, style)), chip, line);
  const body = drawn.map((each, i) =>
    svgChip({ ...each, x: positions[i].x, y: positions[i].y + 10 }, style));
  return { body, height };
}

/** What is looked at, the colour above each token its weight; what the mask hides has none. */
function svgLooks(labels, weights, side, last, style) {
  const { narrowest, cell, look } = STEP_PICTURE;
  const chips = labels.map(([text, flags]) => ({ text: middle(text, 16), flags, side }));
  const widths = chips.map((chip) => Math.max(narrowest, chipWidth(chip, style)));
  const { positions, height } = placedInLines(widths, 2, look);
  const body = chips.map((chip, i) => {
    const { x, y } = positions[i];
    const box = { x, y, width: widths[i], height: cell, fill: CSS_COLOURS[Math.round(weights[i] / 257)] };
    return [
      i > last ? svgHidden(x, y, widths[i], cell, style) : svgNode("rect", box),
      svgChip({ ...chip, side: "", x: x + widths[i] / 2, y: y + cell + 9, align: "center" }, style),
    ];
  });
  return { body, height };
}

/** The distribution as on the screen, and below it its numbers. */
function svgBars(step, view, style) {
  const { texts } = view;
  const { side, names, bar, signs, name, number } = STEP_PICTURE;
  const start = signs + name + number;
  const most = side - names - start;
  const rows = rowsOf(step, view).map((row, i) => {
    const y = i * bar;
    const text = row.others ? texts.others : middle(row.label[0], 12);
    const fillOf = row.chosen ? style.accent : row.true ? style.true : style.rule;
    const bold = (row.chosen || row.true) && 600;
    return [
      row.true ? svgSign("true", signs - 20, y + 7, style) : [],
      row.chosen ? svgSign("chosen", signs - 8, y + 7, style) : [],
      svgText(signs, y + 11, text, {
        fill: style.ink, "font-family": row.others ? style.font : style.codeFont, "font-weight": bold,
      }),
      svgText(start - 10, y + 11, percentWords(row.probability),
        { fill: style.ink, "text-anchor": "end" }),
      svgNode("rect", { x: start, y: y + 1, width: most * Math.min(1, row.probability), height: 11,
        fill: fillOf }),
    ];
  });
  const rank = step.true ? fill(texts.rank, { rank: step.true.rank + 1 }) : "";
  const text = rank && labelled(texts.true, rank);
  const below = rows.length * bar;
  return {
    body: [rows, svgText(signs, below + 12, text, { fill: style.quiet })], height: below + 16,
  };
}

const svgSign = (kind, x, y, style) => (kind === "true"
  ? svgMoved(x, y, 45, svgNode("rect", { x: -3.8, y: -3.8, width: 7.6, height: 7.6, fill: style.true }))
  : svgNode("circle", { cx: x, cy: y, r: 4.5, fill: style.accent }));

/** A box of what the mask hides. */
const svgHidden = (x, y, width, height, style) => svgMoved(x, y, 0,
  svgHatch(width, height, style),
  svgNode("rect", { width, height, fill: "none", stroke: style.rule }));

/** How the colours of weights are read, and what is hatched and marked. */
function svgReading({ texts, sides, crossOnly }, style) {
  const textWidth = (text) => figureTextWidth(text, FIGURE.text, style.font);
  const start = textWidth(texts.weight) + 10;
  const colours = CSS_COLOURS.filter((_, i) => i % 8 === 0);
  const keys = [[svgSign("chosen", 9, 7, style), texts.chosen]];
  if (sides.length > 1) keys.push([svgSign("true", 9, 7, style), texts.true]);
  if (sides.length > 1 && !crossOnly) keys.push([svgHidden(0, 2, 18, 10, style), texts.hidden]);
  let x = start + 160;
  return [
    svgText(0, 11, texts.weight, { fill: style.quiet }),
    colours.map((colour, i) => svgNode("rect", { x: start + 4 * i, y: 2, width: 4.5, height: 10, fill: colour })),
    [0, 0.5, 1].map((weight) => svgText(start + 128 * weight, 24, String(weight), {
      fill: style.quiet, "text-anchor": "middle",
    })),
    keys.map(([sign, text]) => {
      const key = svgMoved(x, 0, 0, sign, svgText(24, 11, text, { fill: style.quiet }));
      x += 44 + textWidth(text);
      return key;
    }),
  ];
}
