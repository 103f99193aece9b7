// Values to pixels. Colour 0 of a table is transparent: what is hidden shows the hatch behind.

import { figureStyle } from "../component/figure.js";
import { cleared, LABEL, putPixels, shortened } from "../component/plot.js";
import { bytesOf, COLOURS, pixelColours, SCALE } from "../component/scale.js";
import { DIVERGING_AS_BASE64, MAY_LOOK_AS_BASE64 } from "../component/tables.js";
import { isolated } from "../component/text.js";
import { element } from "../component/tokens.js";

const DIVERGING = bytesOf(DIVERGING_AS_BASE64);
const MAY_LOOK = bytesOf(MAY_LOOK_AS_BASE64);
const TABLES = { weight: SCALE, signed: DIVERGING, mask: MAY_LOOK };
export const PIXELS = {
  weight: COLOURS, signed: pixelColours(DIVERGING), mask: pixelColours(MAY_LOOK),
};

/** A value's place in the table of its scale; beyond the limit it is that of the limit. */
export function colourNumber({ scale, limit }, value) {
  if (scale !== "signed") return Math.round(255 * Math.min(1, Math.max(0, value / limit)));
  return 127 + Math.round(127 * Math.min(1, Math.max(-1, value / limit)));
}

/** The colour of each cell of a panel, 0 where it is hidden; kept until its values change. */
export function numbersOf(panel) {
  if (panel.numbers) return panel.numbers;
  const { rows, columns, values, coarse, visible } = panel;
  const numbers = panel.numbers = new Uint16Array(rows * columns);
  if (coarse && (coarse.scale === 1 || !values)) {
    const { bytes, scale } = coarse;
    const across = Math.ceil(columns / scale);
    for (let row = 0, cell = 0; row < rows; row += 1) {
      const line = Math.floor(row / scale) * across;
      for (let column = 0; column < columns; column += 1, cell += 1) {
        if (!visible || visible[cell]) {
          numbers[cell] = 1 + bytes[line + (scale === 1 ? column : Math.floor(column / scale))];
        }
      }
    }
    return numbers;
  }
  for (let cell = 0; cell < numbers.length; cell += 1) {
    if (!visible || visible[cell]) numbers[cell] = 1 + colourNumber(panel, values[cell]);
  }
  return numbers;
}

/** How many rows, and how many columns, share a pixel. */
export const poolsOf = ({ pool, rowPool = pool }) => [rowPool, pool];

/**
 * Of the cells that share a pixel of what is shown, the one that gives it its colour: that farthest
 * from 0.
 */
export function largestOfBlock(panel, view, down, across) {
  const [rowPool, pool] = poolsOf(view);
  const { columns, values } = panel;
  const numbers = numbersOf(panel);
  const bottom = view.row + Math.min(view.rows, (down + 1) * rowPool);
  const right = view.column + Math.min(view.columns, (across + 1) * pool);
  let [best, largest] = [-2, null];
  for (let row = view.row + down * rowPool; row < bottom; row += 1) {
    for (let column = view.column + across * pool; column < right; column += 1) {
      const cell = row * columns + column;
      const strength = numbers[cell] === 0 ? -1 : Math.abs(values ? values[cell] : numbers[cell]);
      if (strength > best) [best, largest] = [strength, [row, column]];
    }
  }
  return largest;
}

/** Colours of what is shown, one per pixel. */
function pooledNumbers(panel, view) {
  const { row: top, column: left, rows, columns, across, down } = view;
  const [rowPool, pool] = poolsOf(view);
  const numbers = numbersOf(panel);
  const pooled = new Uint16Array(across * down);
  if (pool === 1 && rowPool === 1) {
    for (let row = 0; row < rows; row += 1) {
      const from = (top + row) * panel.columns + left;
      pooled.set(numbers.subarray(from, from + columns), row * columns);
    }
    return pooled;
  }
  if (panel.scale === "signed") {
    return pooled.map((_, i) => {
      const [row, column] = largestOfBlock(panel, view, Math.floor(i / across), i % across);
      return numbers[row * panel.columns + column];
    });
  }
  for (let row = 0; row < rows; row += 1) {
    const line = Math.floor(row / rowPool) * across;
    const first = (top + row) * panel.columns + left;
    for (let column = 0, at = line, more = pool; column < columns; column += 1) {
      const number = numbers[first + column];
      if (number > pooled[at]) pooled[at] = number;
      more -= 1;
      if (more > 0) continue;
      at += 1;
      more = pool;
    }
  }
  return pooled;
}

/** One 32-bit pixel per cell that is shown, or per block of cells; hidden ones stay clear. */
export function pixelsOf(panel, view, into = new Uint32Array(view.across * view.down)) {
  const colours = PIXELS[panel.scale];
  const numbers = pooledNumbers(panel, view);
  for (let i = 0; i < numbers.length; i += 1) into[i] = colours[numbers[i]];
  return into;
}

/** The pixels, which CSS enlarges without smoothing. */
export function drawPixels(canvas, panel, view) {
  putPixels(canvas, view.across, view.down, (pixels) => pixelsOf(panel, view, pixels));
}

/** The panel with nothing but what is in a window; its axes know where they begin. */
export function partOf(panel, { row, column, rows, columns }) {
  const cut = (cells) => {
    const part = new cells.constructor(rows * columns);
    for (let line = 0; line < rows; line += 1) {
      const from = (row + line) * panel.columns + column;
      part.set(cells.subarray(from, from + columns), line * columns);
    }
    return part;
  };
  const axis = (of, first, count) => ({
    ...of, first, labels: of.labels.slice(first, first + count),
    then: of.then.slice(first, first + count),
    differs: of.differs.map((at) => at - first), links: of.links.slice(first, first + count),
  });
  return {
    ...panel, rows, columns, values: panel.values && cut(panel.values),
    numbers: cut(numbersOf(panel)), visible: panel.visible && cut(panel.visible),
    texts: panel.texts?.slice(row, row + rows).map((line) => line.slice(column, column + columns)),
    rowAxis: axis(panel.rowAxis, row, rows), columnAxis: axis(panel.columnAxis, column, columns),
  };
}

// The luminance against which white and the ink have the same contrast.
const EQUAL_CONTRAST = 0.2;

function luminance([red, green, blue]) {
  const linear = (part) => (part / 255) ** 2.2;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

const SMALLEST_DIGITS = 8; // pixels
export const NUMBER = /^[≈<>]? ?[−+-]?\d[\d.,]*(e[−+-]?\d+)? ?%?$/;

/** How large the numbers of a panel are written: all as large as the longest that fits at all. */
function digitsSize(panel, room, textWidth) {
  const words = [...new Set(panel.texts.flat())].filter((word) => NUMBER.test(word));
  const sizes = words.map((word) => (LABEL.size * room) / textWidth([word]));
  return Math.min(
    LABEL.size, ...sizes.map((size) => Math.floor(2 * size) / 2).filter((size) => size >= SMALLEST_DIGITS));
}

/**
 * The words in the middle of their cells, dark on light colours and light on dark ones. Words may be
 * shortened, numbers not: without their middle they would be others. Those without room are left out,
 * and so are those of hidden cells, unless the panel has them, too.
 */
export function wordsOf(panel, { cellWidth, cellHeight }, textWidth) {
  const room = cellWidth - 2; // a text's width has its own margin
  const digits = digitsSize(panel, room, textWidth);
  const numbers = numbersOf(panel);
  return panel.texts.flatMap((line, row) => line.flatMap((written, column) => {
    // Spaces around a word keep its cell wide; they are none of its letters.
    const word = written.trim();
    const number = numbers[row * panel.columns + column];
    if (!number && !panel.grey_words) return [];
    const [text, size] = NUMBER.test(word)
      ? [word, digits] : [shortened(word, room, textWidth), LABEL.size];
    if (text === word && textWidth([text]) * size > room * LABEL.size) return [];
    const colour = number && TABLES[panel.scale].subarray(3 * (number - 1), 3 * number);
    return [{
      text, size, ink: !number ? "quiet" : luminance(colour) > EQUAL_CONTRAST ? "ink" : "white",
      x: (column + 0.5) * cellWidth, y: (row + 0.5) * cellHeight,
    }];
  }));
}

/** Words have a canvas of their own, made when there are some first. */
export function drawWords(figure, panel, view, root, textWidth) {
  const { cells, colours } = figure;
  let canvas = cells.querySelector("canvas.words");
  if (canvas) canvas.hidden = !view.words;
  if (!view.words) return;
  if (!canvas) {
    canvas = element("canvas", "words");
    canvas.ariaHidden = "true";
    colours.after(canvas);
  }
  const style = figureStyle(root);
  const context = cleared(canvas, view);
  context.translate(0, 0.5);
  // Other than in a file, the hatch behind a hidden cell's word is as dark as the theme.
  const inks = { ...style, quiet: getComputedStyle(root).color };
  writeWords(context, wordsOf(partOf(panel, view), view, textWidth), inks);
}

/** Words in the middle of their cells, on a canvas or in a picture. */
export function writeWords(context, words, style) {
  Object.assign(context, { textAlign: "center", textBaseline: "middle" });
  for (const { x, y, text, size, ink } of words) {
    context.font = `${size}px ${style.codeFont}`;
    context.fillStyle = style[ink];
    context.fillText(isolated(text), x, y);
  }
}
