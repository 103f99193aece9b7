// How large the cells of a panel get, and which labels there is room for.

import assert from "node:assert/strict";
import test from "node:test";

import { cellLayout } from "../../../viz/component/plot.js";
import { panelHeight, panelLayout, sizesOf } from "../../../viz/plane/sizes.js";
import { measure, planeOf } from "./planes.js";

const WIDTHS = [340, 500, 860, 1200];
const CASES = ["known", "sentence", "lens", "large", "odd", "numbers", "long", "vast"];
const panels = CASES.flatMap((name) => planeOf(`matrices.${name}`).panels);

const layoutOf = (panel, width, ratio = 1) => {
  const sizes = sizesOf(panel, measure, width);
  const tallest = panelHeight(panel);
  return { sizes, ...panelLayout(panel, sizes, { width, height: tallest, tallest }, ratio) };
};
const first = (name) => planeOf(`matrices.${name}`).panels[0];
const each = (check) => panels.forEach((panel) => WIDTHS.forEach((width) => check(panel, width)));

test("a panel is never wider than its room", () => each((panel, width) => {
  const { left, figure, width: cells, overhang } = layoutOf(panel, width);
  assert.ok(figure <= width, panel.title);
  assert.ok(left + cells + overhang <= width + 1, `${panel.title} ${width}`);
}));

test("a cell has whole pixels of a fine screen", () => {
  for (const ratio of [1, 1.5, 2, 3]) {
    each((panel, width) => {
      const { cellWidth, cellHeight } = layoutOf(panel, width, ratio);
      for (const size of [cellWidth, cellHeight]) {
        assert.ok(Math.abs(size * ratio - Math.round(size * ratio)) < 1e-6);
        assert.ok(size * ratio >= 1);
      }
    });
  }
});

test("labels stay apart, and those of words are left out evenly", () => each((panel, width) => {
  const { angle, rowEvery, rowStep, columnEvery, columnStep, sizes, words } = layoutOf(panel, width);
  const least = sizes.narrow ? 10 : 11;
  assert.ok(rowEvery === 1 ? rowStep >= least || panel.rows === 1 : rowEvery * rowStep >= least);
  const wide = { 0: Math.min(sizes.columns, columnStep), 45: 17, 90: least }[angle];
  assert.ok(columnEvery * columnStep >= wide || panel.columns === 1 || words, panel.title);
}));

test("cells are square where both axes are about as long", () => {
  for (const name of ["sentence", "long"]) {
    const { cellWidth, cellHeight } = layoutOf(first(name), 1200);
    assert.equal(cellWidth, cellHeight);
  }
});

test("too many values share a pixel, and can be zoomed", () => {
  const { pool, down, zoomable } = layoutOf(first("large"), 340);
  assert.ok(pool > 1 && zoomable);
  assert.equal(down, Math.ceil(512 / pool));
  assert.equal(layoutOf(first("known"), 340).zoomable, false);
});

test("a layout of cells fills its room with whole weights or whole blocks of them", () => {
  for (const count of [1, 7, 48, 500, 3000]) {
    const { pool, size, across, width } = cellLayout(400, 400, { rows: count, columns: count }, 2);
    assert.equal(across, Math.ceil(count / pool));
    assert.ok(width <= 400 && size <= 44);
    assert.ok(pool === 1 || size >= 0.5);
  }
});
