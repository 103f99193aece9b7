// What is marked together, what legends and notes say, and what a table holds.

import assert from "node:assert/strict";
import test from "node:test";

import { marksOfCell, marksOfToken } from "../../../viz/plane/events.js";
import { leftOutText, legendsOf, namedScales } from "../../../viz/plane/panel.js";
import { valueText } from "../../../viz/plane/payload.js";
import { planeOf } from "./planes.js";

const axisOf = (id, side, labels, links = []) => ({ id, side, labels, links, then: [] });

test("a cell is marked in every panel with the same labels, words on both axes", () => {
  const { panels } = planeOf("matrices.sentence");
  const { panels: places } = marksOfCell({ panels }, { panel: 0, row: 3, column: 1 });
  assert.deepEqual(places.map(({ row, column }) => [row, column]), [[3, 1], [3, 1]]);
  const token = { axis: panels[0].rowAxis.id, side: "target", link: 2, which: "rowAxis" };
  assert.deepEqual(
    marksOfToken({ panels }, token).panels.map(({ row, column }) => [row, column]), [[2, 2], [2, 2]]);
});

test("linked positions are marked together, whatever their labels", () => {
  const panel = (...links) => {
    const axis = axisOf("0", "source", links.map(String), links);
    return { rowAxis: axis, columnAxis: axis };
  };
  const view = { panels: [panel(0, 1, 2), panel(0, 100, 1, 2)] };
  const { panels: [first, second] } = marksOfCell(view, { panel: 1, row: 2, column: 3 });
  assert.deepEqual([first.row, first.column, second.row, second.column], [1, 2, 2, 3]);
  const alone = marksOfCell(view, { panel: 1, row: 1, column: 1 });
  assert.deepEqual(alone.panels.map(({ row }) => row), [null, 1]);
});

test("scales of the same name say whose they are, and each is there once", () => {
  const panel = (title, limit) => ({ title, limit, scale: "signed", value_name: "value" });
  const long = `With the norm, ${"Donaudampfschifffahrt".repeat(3)}`;
  const { scales, hidden } = legendsOf([panel("Before", 1), panel("After", 1), panel(long, 2)]);
  assert.deepEqual(hidden, []);
  planeOf("matrices.known");
  const named = namedScales(scales, { legend: "{name}: {title}" }, (text) => 7 * text.length);
  assert.equal(named[0].name, "value: Before, After");
  assert.match(named[1].name, /^value: With the norm\b.*…/);
  assert.equal(named[1].whole, `value: ${long}`);
  assert.deepEqual(named.map(({ ticks }) => ticks), [["−1", "0", "1"], ["−2", "0", "2"]]);
  const [only] = namedScales(scales.slice(0, 1), {}, () => 0);
  assert.equal(only.name, "value");
});

test("it says which labels and which cells there was no room for", () => {
  const { panels: [panel], texts } = planeOf("matrices.sentence");
  const said = (pool, rowEvery, columnEvery) =>
    leftOutText(panel, { pool, rowEvery, columnEvery }, texts);
  assert.equal(said(1, 1, 1), "");
  assert.equal(said(1, 2, 2), "labels: every 2nd");
  assert.equal(said(1, 1, 3), "column labels: every 3rd");
  assert.match(said(4, 1, 1), /^each pixel shows, of 4 × 4 values, the one farthest from 0$/);
});

test("a value has three digits and a true minus, or says that it is hidden", () => {
  const { panels: [signed, hidden], texts } = planeOf("matrices.known");
  assert.equal(valueText(signed, texts, 1, 3), "−3.00");
  assert.equal(valueText(signed, texts, 2, 1), "0.0313");
  assert.equal(valueText(hidden, texts, 0, 3), "−∞: hidden by the mask");
  const rounded = { ...signed, values: null, numbers: new Uint16Array(12).fill(128), coarse: { scale: 1 } };
  const said = { about: "≈ {weight}", most: "at most {weight}" };
  assert.equal(valueText(rounded, said, 0, 0), "≈ 0.50");
  assert.equal(valueText({ ...rounded, coarse: { scale: 2 } }, said, 0, 0), "at most 0.50");
  const exactPart = { row: 1, column: 1, rows: 2, columns: 2, values: new Float32Array([0.501, 0.502, 0.503, 0.504]) };
  assert.equal(valueText({ ...rounded, exactPart }, said, 2, 1), "0.503");
  for (const outside of [[0, 1], [1, 3], [1, 0]]) assert.equal(valueText({ ...rounded, exactPart }, said, ...outside), "≈ 0.50");
});
