// What colour a cell has, and what is written in it.

import assert from "node:assert/strict";
import test from "node:test";

import { colourNumber, partOf, PIXELS, pixelsOf, wordsOf } from "../../../viz/plane/cells.js";
import { planeOf, whole } from "./planes.js";

const CASES = ["known", "sentence", "lens", "odd", "large", "vast"];
const table = (scale) => PIXELS[scale];

test("every cell has the colour of its value, and a hidden one none", () => {
  for (const panel of CASES.flatMap((name) => planeOf(`matrices.${name}`).panels)) {
    const { scale, limit, values, visible } = panel;
    const pixels = pixelsOf(panel, whole(panel));
    values.forEach((value, i) => {
      const share = Math.min(1, Math.max(scale === "signed" ? -1 : 0, value / limit));
      const number = scale === "signed" ? 127 + Math.round(127 * share) : Math.round(255 * share);
      const expected = visible && !visible[i] ? 0 : table(scale)[1 + number];
      assert.equal(pixels[i], expected, `${panel.title} ${i}`);
    });
  }
});

test("zero is the middle of a scale with signs, and beyond the limit nothing changes", () => {
  const signed = { scale: "signed", limit: 2 };
  assert.deepEqual([0, 2, 9, -2, -9].map((x) => colourNumber(signed, x)), [127, 254, 254, 0, 0]);
  const weight = { scale: "weight", limit: 1 };
  assert.deepEqual([0, 1, 1.5, -1].map((x) => colourNumber(weight, x)), [0, 255, 255, 0]);
});

test("cells that share a pixel show the largest, or with signs the one farthest from 0", () => {
  const [panel] = planeOf("matrices.large").panels;
  const [pool, across] = [3, Math.ceil(512 / 3)];
  const view = { ...whole(panel), pool, across, down: across };
  const at = Math.floor(100 / pool) * across + Math.floor(300 / pool);
  assert.equal(pixelsOf(panel, view)[at], table("signed")[1]);
  const weights = { ...panel, scale: "weight", numbers: null, values: panel.values.map(Math.abs) };
  const pixels = pixelsOf(weights, view);
  assert.equal(pixels[at], table("weight")[256]);
  assert.equal(pixels.filter((pixel) => pixel !== table("weight")[1]).length, 1);
});

test("a part of a panel has the cells and the labels of its window", () => {
  const [, panel] = planeOf("matrices.vast").panels;
  const window = { row: 120, column: 300, rows: 60, columns: 40 };
  const part = partOf(panel, window);
  const own = pixelsOf(part, whole(part));
  const shown = pixelsOf(panel, { ...window, pool: 1, across: 40, down: 60 });
  assert.deepEqual(own, shown);
  assert.equal(part.values[41], panel.values[121 * panel.columns + 301]);
  assert.deepEqual([part.rowAxis.labels[0][0], part.columnAxis.labels[39][0]], ["t120", "s339"]);
});

test("a number is written whole or not at all, and a word is shortened", () => {
  const width = ([text]) => 7 * text.length;
  const [panel] = planeOf("matrices.numbers").panels;
  const roomy = wordsOf(panel, { cellWidth: 60, cellHeight: 24 }, width).map(({ text }) => text);
  assert.deepEqual(roomy, panel.texts.flat());
  const tight = wordsOf(panel, { cellWidth: 38, cellHeight: 24 }, width).map(({ text }) => text);
  assert.deepEqual(tight, panel.texts.flat().filter((text) => text !== "1.01e−06"));
  const [lens] = planeOf("matrices.lens").panels;
  const words = wordsOf(lens, { cellWidth: 96, cellHeight: 24 }, width);
  assert.equal(words.length, 42);
  assert.ok(words.some(({ text }) => /^Str\S*…\S*elle$/.test(text)));
});
