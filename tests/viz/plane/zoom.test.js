// Windows of a map: what is shown after a zoom, a move, a wheel's turn or a key.

import assert from "node:assert/strict";
import test from "node:test";

import {
  cellPanned, isInView, largerCells, meansZoom, pointOfCell, pressed, released,
  SQUARE, smallerCells, wheelTurned, windowBeside, windowCells, windowDragged, windowMoved,
  windowOfSize, zoomAsked,
} from "../../../viz/plane/zoom.js";

/** A plane of 512 × 500 tokens in a box of 500 × 480 pixels, of which a window is shown. */
function planeWith(zoom = null, ratio = 1) {
  const [rows, columns] = [512, 500];
  const box = { width: 500, height: 480 };
  const plane = { rows, columns, box, ratio, least: SQUARE, smallest: 0.9, readable: 24, zoom };
  const shown = zoom ?? { row: 0, column: 0, rows, columns };
  return { ...plane, view: { ...shown, ...windowCells(plane, shown), ...shown } };
}

const WINDOWS = [null, { row: 100, column: 100, rows: 20, columns: 30 },
  { row: 0, column: 440, rows: 90, columns: 60 }, { row: 511, column: 0, rows: 1, columns: 1 }];

/** Cells of a window: its corners and its middle. */
const cellsOf = ({ row, column, rows, columns }) =>
  [[row, column], [row + rows - 1, column + columns - 1], [row + (rows >> 1), column + (columns >> 1)]];

test("the token under the pointer stays under it at every size", () => {
  for (const zoom of WINDOWS) {
    for (const ratio of [1, 1.5]) {
      const plane = planeWith(zoom, ratio);
      for (const cell of cellsOf(plane.view)) {
        for (const size of [2, 5, 12, 24, 44]) {
          const point = pointOfCell(plane.view, cell);
          const found = windowOfSize(plane, size, point);
          if (!found) continue;
          assert.ok(isInView(found, cell), JSON.stringify([zoom, cell, size, found]));
          const { view } = planeWith(found, ratio);
          const [before, after] = [point, pointOfCell(view, cell)];
          const inside = found.row > 0 && found.row + found.rows < 512;
          if (inside) assert.ok(Math.abs(after.down - before.down) <= 1.5 * view.rowStep);
        }
      }
    }
  }
});

test("larger and smaller undo each other, and the smallest shows all", () => {
  let plane = planeWith();
  const sizes = [];
  while (true) {
    const size = largerCells(plane);
    const zoom = windowBeside(plane, size, [300, 250]);
    if (zoom.rows === plane.zoom?.rows) break;
    assert.ok(isInView(zoom, [300, 250]));
    plane = planeWith(zoom);
    sizes.push(plane.view.rowStep);
  }
  assert.ok(Math.abs(sizes.at(-1) - 44) < 5);
  assert.deepEqual([...sizes].sort((a, b) => a - b), sizes);
  for (let i = 0; plane.zoom && i < 20; i += 1) {
    plane = planeWith(windowBeside(plane, smallerCells(plane), [300, 250]));
  }
  assert.equal(plane.zoom, null);
});

test("a window moves as far as there are tokens", () => {
  const plane = planeWith(WINDOWS[1]);
  assert.deepEqual(windowMoved(plane, 20, -30), { row: 120, column: 70, rows: 20, columns: 30 });
  assert.deepEqual(windowMoved(plane, 1e4, -1e4), { row: 492, column: 0, rows: 20, columns: 30 });
  assert.equal(windowMoved(planeWith(), 1, 1), null);
});

test("keys zoom, and move only a part of a map", () => {
  const asked = (key, zoom = WINDOWS[1], more = {}) => zoomAsked({ key, ...more }, zoom);
  assert.deepEqual("+=-_0".split("").map((key) => asked(key).step), ["in", "in", "out", "out", "all"]);
  assert.deepEqual(asked("PageDown").by, [1, 0]);
  assert.deepEqual(asked("ArrowLeft", WINDOWS[1], { shiftKey: true }).by, [0, -1]);
  assert.equal(asked("ArrowLeft").by, undefined);
  assert.equal(asked("PageDown", null).by, undefined);
  assert.deepEqual(asked("+", null, { ctrlKey: true }), {});
  assert.deepEqual(cellPanned(planeWith(WINDOWS[1]), [500, 3], [1, -1]), [511, 0]);
});

test("a wheel means the map with Ctrl or the focus, and goes on once all is shown", () => {
  const cells = (focus) => ({ matches: () => focus });
  assert.equal(meansZoom({ deltaY: -1 }, cells(false), null), false);
  assert.equal(meansZoom({ deltaY: -1, ctrlKey: true }, cells(false), null), true);
  assert.equal(meansZoom({ deltaY: 1 }, cells(true), null), false);
  assert.equal(meansZoom({ deltaY: 1 }, cells(true), WINDOWS[1]), true);
  assert.equal(wheelTurned(30, { deltaY: 30 }), 60);
  assert.equal(wheelTurned(30, { deltaY: -20 }), -20);
  assert.equal(wheelTurned(0, { deltaY: -3, ctrlKey: true }), -24);
});

test("a drag moves the window by whole tokens, and a small one is a click", () => {
  const plane = planeWith(WINDOWS[1]);
  const { rowStep, columnStep } = plane.view;
  const held = pressed({ clientX: 0, clientY: 0, button: 0 }, plane.zoom);
  const cells = { setPointerCapture() {} };
  const drag = (x, y) => windowDragged(held, plane, { clientX: x, clientY: y, buttons: 1 }, cells);
  assert.equal(drag(1, 1), null);
  assert.equal(released(held), null);
  const moved = drag(-13 * columnStep, -6 * rowStep);
  assert.deepEqual([moved.row, moved.column], [106, 113]);
  assert.deepEqual(released(held), { ended: true });
  assert.equal(pressed({ clientX: 0, clientY: 0, button: 0 }, null), null);
});
