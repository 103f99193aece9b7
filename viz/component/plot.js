// Cells with an axis on two sides: how large they get, and their labels.

import { deviceRatio, magnified, windowRoom } from "./pixels.js";
import { counted, fill, lettersOf, listed } from "./text.js";
import { tokenElement } from "./tokens.js";

export const AXIS = 20; // room for an axis name
export const LABEL = { size: 12, gap: 6, longest: 104 };
export const LARGEST_CELL = 44; // cell
export const SLANT = Math.SQRT1_2; // sine and cosine of 45°

const FROM_AFAR = { row: 12.4, rows: 17, height: 152 }; // rows that all have labels; else

/** What a window leaves for cells below controls, sentences and titles. */
export function windowHeight(rows = 0) {
  const { row, rows: most, height } = FROM_AFAR;
  const least = rows && rows <= most ? rows * row : height;
  return magnified() > 1 ? Math.min(560, Math.max(least, windowRoom() - 270))
    : Math.min(560, Math.max(300, windowRoom() * 0.41));
}

/** The same, but more where there are many labels. */
export function plotHeight({ rows, columns }) {
  const left = windowHeight(rows);
  return Math.max(rows, columns) > 48 ? Math.max(left, 528) : left;
}

/** Square cells of whole device pixels; several weights share one where there are too many. */
export function cellLayout(width, height, { rows, columns }, ratio) {
  const room = Math.min(width / columns, height / rows, LARGEST_CELL) * ratio;
  const pool = room >= 1 ? 1 : Math.ceil(1 / Math.max(room, 0.01));
  const size = Math.max(1, Math.floor(room * pool)) / ratio;
  const [down, across] = [Math.ceil(rows / pool), Math.ceil(columns / pool)];
  return {
    pool, size, down, across, perToken: size / pool,
    width: across * size, height: down * size,
  };
}

/** Cut the middle out of a text until it fits; `textWidth` is that of one label. */
export function shortened(text, longest, textWidth) {
  if (textWidth([text]) <= longest) return text;
  const letters = lettersOf(text);
  for (let keep = letters.length - 1; keep > 1; keep -= 1) {
    const head = letters.slice(0, Math.ceil(keep / 2)).join("");
    const short = `${head}…${letters.slice(letters.length - Math.floor(keep / 2)).join("")}`;
    if (textWidth([short]) <= longest) return short;
  }
  return "…";
}

export function resized(canvas, width, height) {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  return canvas.getContext("2d");
}

/** Give a canvas so many pixels, of 32 bits each, as `write` writes them. */
export function putPixels(canvas, width, height, write) {
  const image = new ImageData(width, height);
  write(new Uint32Array(image.data.buffer));
  resized(canvas, width, height).putImageData(image, 0, 0);
  return canvas;
}

/** The context of a canvas as large as a picture, empty; upside down for a picture that flips. */
export function cleared(canvas, { width, height, flips = false }) {
  const ratio = deviceRatio();
  const context = resized(canvas, Math.round(width * ratio), Math.round(height * ratio));
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.scale(ratio, ratio);
  if (flips) context.transform(1, 0, 0, -1, 0, height);
  return context;
}

/** One axis label; shortened in the middle if need be, with the whole text in its title. */
export function axisToken(label, side, index, texts, textWidth, longest = LABEL.longest) {
  const node = tokenElement(label, side, index, "name", texts);
  const short = shortened(label[0], longest, textWidth);
  if (short !== label[0]) [node.textContent, node.title] = [short, label[0]];
  return node;
}

/** Labels of an axis, every few where there is no room for all; returned by position. */
export function drawLabels(node, count, every, make, first = 0) {
  const labels = new Map();
  // The same ones wherever a part of the axis begins: they move with it, and do not take turns.
  const begin = Math.ceil(first / every) * every;
  for (let i = begin; i < first + count; i += every) labels.set(i, make(i));
  node.replaceChildren(...labels.values());
  return labels;
}

/** Which labels there was room for; empty where there was for all, so that no one reads past any. */
export function skippedText(texts, rowEvery, columnEvery) {
  const everyText = (name, every) =>
    fill(texts[name], { nth: counted(texts, "nth", every, "ordinal") });
  if (rowEvery === columnEvery) return rowEvery > 1 ? everyText("labels", rowEvery) : "";
  return listed([["labels.rows", rowEvery], ["labels.columns", columnEvery]]
    .filter(([, every]) => every > 1).map(([name, every]) => everyText(name, every)));
}

/** The label at a position; one that there was no room for is put over its neighbours meanwhile. */
export function labelAt(node, labels, position, make) {
  node.querySelector(".spare")?.remove();
  if (position == null) return null;
  if (labels.has(position)) return labels.get(position);
  const spare = make(position);
  spare.classList.add("spare");
  node.append(spare);
  return spare;
}

export function placeBand(node, position, pool) {
  node.hidden = position == null;
  if (position != null) node.style.setProperty("--at", Math.floor(position / pool));
}

export function setPixels(node, sizes) {
  for (const [name, size] of Object.entries(sizes)) node.style.setProperty(name, `${size}px`);
}
