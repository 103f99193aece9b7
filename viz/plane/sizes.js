// Sizes of one panel: how large its cells get, how its labels turn, and which have room.

import { smallestText } from "../component/pixels.js";
import {
  AXIS, cellLayout, LABEL, LARGEST_CELL, plotHeight, SLANT, windowHeight,
} from "../component/plot.js";
import { SQUARE, windowCells } from "./zoom.js";

export const NARROW = 480; // on a phone, in pixels
const NARROWEST = 220; // so that titles do not break after every word
export const CHIP = 8; // around the words of an axis
const TWO_WORDS = 136; // a label that names two words may be longer than others
export const ARROW = 22; // between what is fed and what is predicted
const WORDS = { height: 24, narrowest: 34, widest: 96, tallest: 6000, padding: 12 };
const MUCH_LONGER = 3; // times as many: cells need not be square
const LABELLED = { row: 16, column: 24 }; // pixels from label to label
export const SLANTED = 17; // so large at least are cells below slanted labels; smaller ones can be zoomed
const READABLE_ZOOMED = 24; // cells to which Enter zooms
const FEW = 3; // large cells that have room, however thin a panel is

/** Numbers may be left out, so that rows of numbers fit the window unless they had to be pooled. */
export function panelHeight(panel) {
  const left = windowHeight(panel.rows);
  return panel.rowAxis.side || panel.rows > left ? plotHeight(panel) : left;
}

/** Square cells, or wider ones that hold words where there is room for words. */
function cellsOf(panel, sizes, room, ratio) {
  const { width } = room;
  const { rows, columns } = panel;
  const cellWidth = Math.floor(Math.min(sizes.words, width / columns) * ratio) / ratio;
  const words = panel.texts && cellWidth >= WORDS.narrowest && rows * WORDS.height < WORDS.tallest;
  if (!words) return plainCells(panel, room, ratio);
  const cellHeight = Math.round(WORDS.height * ratio) / ratio;
  return {
    pool: 1, down: rows, across: columns, cellWidth, cellHeight, words,
    rowStep: cellHeight, columnStep: cellWidth, width: columns * cellWidth, height: rows * cellHeight,
    square: rows * cellHeight,
  };
}

/**
 * Square cells; beside a much longer axis words get longer ones, so that each of them is read. On a
 * phone rows do, whatever they stand for: words that would be tiny, and numbers of a thin stripe.
 */
function plainCells(panel, { width, height, tallest, narrow }, ratio) {
  const cells = cellLayout(width, height, panel, ratio);
  const { size, perToken: step, pool } = cells;
  const longer = ({ side, labels: { length } }, across, needed, room) =>
    (pool > 1 || !side || panel.squares || across.labels.length < MUCH_LONGER * length
      ? size : Math.max(size, Math.floor(Math.min(needed, room / length) * ratio) / ratio));
  const cellWidth = longer(panel.columnAxis, panel.rowAxis, LABELLED.column, width);
  const cellHeight = narrow && pool === 1 && !panel.squares
    ? Math.max(size, Math.floor(Math.min(rowWanted(panel, size), tallest / panel.rows) * ratio) / ratio)
    : longer(panel.rowAxis, panel.columnAxis, LABELLED.row, tallest);
  return {
    ...cells, cellWidth, cellHeight, words: false,
    rowStep: pool > 1 ? step : cellHeight, columnStep: pool > 1 ? step : cellWidth,
    width: cells.across * cellWidth, height: cells.down * cellHeight, square: cells.height,
  };
}

/** How high a row should be on a phone. */
const rowWanted = ({ rows, columns, rowAxis, columnAxis }, size) => {
  if (rowAxis.side) return LABELLED.row;
  return columnAxis.side || columns < MUCH_LONGER * rows ? size : MUCH_LONGER * size;
};

/** Widths of everything written around a panel. `longest` is that of one label. */
export function sizesOf(panel, { textWidth, nameWidth }, width) {
  const { rowAxis, columnAxis } = panel;
  const most = rowAxis.links.length ? TWO_WORDS : LABEL.longest;
  const narrow = width < NARROW;
  const longest = Math.min(most, Math.max(40, width * (narrow ? 0.24 : 0.2)));
  const chip = ({ side }) => (side && panel.chips ? CHIP : 0);
  const widest = (axis, labels = axis.labels) =>
    Math.min(longest, Math.max(...labels.map(textWidth)) + chip(axis));
  const words = [...new Set((panel.texts ?? []).flat())];
  const fed = widest(rowAxis);
  const predicted = rowAxis.then.length ? widest(rowAxis, rowAxis.then) : 0;
  return {
    narrow, longest, fed, predicted, rows: predicted ? fed + ARROW + predicted : fed,
    columns: widest(columnAxis), last: widest(columnAxis, columnAxis.labels.slice(-1)),
    rowName: nameWidth(rowAxis.name), columnName: nameWidth(columnAxis.name),
    words: Math.min(WORDS.widest, Math.max(
      WORDS.narrowest, ...words.map((word) => textWidth([word]) + WORDS.padding))),
  };
}

/** One panel: its cells, how its labels turn, and which of them there is room for. */
export function panelLayout(panel, sizes, { width, height, tallest = height }, ratio) {
  const left = AXIS + sizes.rows + LABEL.gap;
  const { narrow } = sizes;
  const room = (overhang) =>
    cellsOf(panel, sizes, { width: width - left - overhang, height, tallest, narrow }, ratio);
  const { angle, cells, every, overhang } = columnLayout(panel, sizes, room);
  const turned = heightsOfLabels(sizes.columns);
  const rowEvery = thinned(panel.rowAxis, lineOf(sizes), cells.rowStep);
  const zoomable = isZoomable(panel, cells);
  const few = zoomable ? fewCells(panel, sizes, width - left, height, narrow) : { width: 0, height: 0 };
  const inside = Math.max(cells.width + overhang, few.width, sizes.columnName);
  const figure = Math.min(width, Math.ceil(Math.max(left + inside, NARROWEST)));
  const box = zoomable
    ? boxOf(panel, cells, few, sizes, (panel.squares ? width : figure) - left) : null;
  const labels = Math.max(turned[angle], box?.slants ? turned[45] : 0);
  return {
    ...cells, angle, left, overhang, rowEvery, columnEvery: every, figure, zoomable, box,
    top: AXIS + Math.ceil(labels) + LABEL.gap,
    ...labelSizes(angle, { ...cells, rowEvery, columnEvery: every, narrow }),
    below: Math.max(cells.height, few.height, sizes.rowName),
  };
}

export const heightsOfLabels = (widest) =>
  ({ 0: LABEL.size + 4, 45: (widest + LABEL.size) * SLANT, 90: widest });

/** Columns are written as large as rows, but on a phone for which rows have more room. */
function labelSizes(angle, steps) {
  const size = labelSize(angle, steps);
  return { labelSize: size, rowLabelSize: steps.narrow ? labelSize(0, steps) : size };
}

/** From label to label at least: on a phone rather small ones than half of them. */
const lineOf = ({ narrow }) => Math.max(LABEL.size - (narrow ? 2 : 1), smallestText());

/** How large labels are written that stand so far apart; on a phone as close as can be read. */
function labelSize(angle, { rowEvery, rowStep, columnEvery, columnStep, narrow }) {
  const space = Math.min(rowEvery * rowStep, angle ? columnEvery * columnStep : Infinity);
  return Math.max(9, smallestText(), Math.min(LABEL.size, Math.floor(space / (narrow ? 1.08 : 1.2))));
}

/** Whether columns are numbers so short that they stand upright, and some of them can be left out. */
const isCounted = ({ columnAxis }, sizes) => !columnAxis.side && sizes.columns <= 40;

/** So wide are cells at least below slanted labels. */
const slantedFrom = ({ columnAxis, chips }) => (columnAxis.side && chips ? 24 : SLANTED);

/** Column labels: upright where all have room, or where numbers may be left out; else turned. */
function columnLayout(panel, sizes, room) {
  const upright = room(0);
  if (sizes.columns + 4 <= upright.columnStep) {
    return { angle: 0, cells: upright, every: 1, overhang: 0 };
  }
  if (isCounted(panel, sizes)) {
    const overhang = Math.ceil(sizes.columns / 2);
    const cells = room(overhang);
    const every = thinned(panel.columnAxis, sizes.columns + 8, cells.columnStep);
    return { angle: 0, cells, every, overhang };
  }
  // Slanted labels read best, need a line's height between them, and hang over on the right.
  const overhang = Math.ceil(sizes.last * SLANT);
  const slanted = room(overhang);
  if (slanted.columnStep >= slantedFrom(panel)) {
    return { angle: 45, cells: slanted, every: 1, overhang };
  }
  const every = thinned(panel.columnAxis, lineOf(sizes), upright.columnStep);
  return { angle: 90, cells: upright, every, overhang: 0 };
}

/** Every how many there is room for a label; numbers in steps that people count in. */
function thinned({ side }, needed, step) {
  const every = Math.max(1, Math.ceil(needed / step));
  if (side) return every;
  const power = 10 ** Math.floor(Math.log10(every));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= every);
}

/** Whether cells are too small for labels, or for the words that they hold. */
const isZoomable = ({ texts }, { words, rowStep, columnStep }) =>
  !words && (Boolean(texts) || Math.min(rowStep, columnStep) < SLANTED);

/** So much place a panel takes at least that can be zoomed: one that stands alone, a square. */
function fewCells({ rows, columns, squares }, sizes, width, height, narrow) {
  const few = (count) => LARGEST_CELL * Math.min(count, FEW);
  if (!squares) return { width: few(columns), height: few(rows) };
  const square = Math.min(width - sizes.columns * SLANT, height);
  return {
    width: Math.min(square, columns * LARGEST_CELL),
    height: Math.min(narrow ? square : height, rows * LARGEST_CELL),
  };
}

/** Where zoomed cells go: where all of them are, or beside what hangs over of slanted labels. */
function boxOf(panel, cells, few, sizes, room) {
  const width = Math.min(room, Math.max(cells.width, few.width));
  const overhang = Math.ceil(sizes.columns * SLANT);
  const slants = !isCounted(panel, sizes) && width - overhang >= 0.75 * cells.width;
  return {
    slants, height: Math.max(cells.height, few.height),
    width: slants ? Math.min(width, Math.max(few.width, room - overhang)) : width,
  };
}

/** A panel as a plane of zoom.js. */
export function planeOf({ view, layout, figures }, index) {
  const { rows, columns, texts } = view.panels[index];
  const { box, rowStep, columnStep, pool } = layout.panels[index];
  const square = pool > 1 || rowStep === columnStep;
  return {
    rows, columns, box, ratio: layout.ratio, smallest: Math.min(rowStep, columnStep),
    readable: texts ? LARGEST_CELL : READABLE_ZOOMED,
    least: square ? SQUARE : { down: rowStep, across: columnStep },
    zoom: figures[index].zoom, view: figures[index].view,
  };
}

/** What is drawn where: the window's positions, the size of their cells, and how labels turn. */
export function viewOf(state, index) {
  const panel = state.view.panels[index];
  const layout = state.layout.panels[index];
  const { zoom } = state.figures[index];
  if (!zoom) return { ...layout, row: 0, column: 0, rows: panel.rows, columns: panel.columns };
  const cells = windowCells(planeOf(state, index), zoom);
  const labels = zoomedLabels(panel, state.layout.sizes[index], cells, layout.box);
  const words = Boolean(panel.texts) && cells.cellWidth >= WORDS.narrowest;
  return { ...layout, ...cells, ...labels, ...zoom, words };
}

/** How the labels of a window turn, and which of them there is room for. */
function zoomedLabels(panel, sizes, { rowStep, columnStep }, { slants }) {
  const labels = (angle, needed) => {
    const rowEvery = thinned(panel.rowAxis, lineOf(sizes), rowStep);
    const columnEvery = needed ? thinned(panel.columnAxis, needed, columnStep) : 1;
    const steps = { rowEvery, columnEvery, rowStep, columnStep, narrow: sizes.narrow };
    return { angle, rowEvery, columnEvery, ...labelSizes(angle, steps) };
  };
  if (sizes.columns + 4 <= columnStep) return labels(0, 0);
  if (isCounted(panel, sizes)) return labels(0, sizes.columns + 8);
  return slants && columnStep >= slantedFrom(panel) ? labels(45, 0) : labels(90, lineOf(sizes));
}
