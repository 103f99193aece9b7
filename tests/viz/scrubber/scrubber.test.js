// Where the stops and the curves of a training go.

import assert from "node:assert/strict";
import test from "node:test";

import { readFrame } from "../../../viz/component/text.js";
import { layoutOf, nearest } from "../../../viz/scrubber/layout.js";

const CASES = ["known", "learning", "exact", "single", "bare", "fresh"];
const viewOf = (name) => readFrame(payload(`scrubber.${name}`)).header;

test("stops rise from left to right within the picture, whatever the training", () => {
  for (const name of CASES) {
    for (const width of [340, 900]) {
      const view = viewOf(name);
      const { positions, left, right, y } = layoutOf(view, width);
      assert.equal(positions.length, view.stops.length);
      assert.deepEqual([...positions].sort((a, b) => a - b), positions);
      assert.ok(positions[0] >= left && positions.at(-1) <= right);
      for (const [, loss] of [...view.training, ...view.held_out]) {
        assert.ok(Number.isFinite(y.place(loss)), name);
      }
    }
  }
});

test("labels of an axis stay apart", () => {
  for (const name of CASES) {
    const { x, y } = layoutOf(viewOf(name), 900);
    for (const [axis, room] of [[x, 54], [y, 13]]) {
      const positions = axis.ticks.filter((tick) => tick > 0).map(axis.place).sort((a, b) => a - b);
      positions.slice(1).forEach((place, i) => assert.ok(place - positions[i] >= room));
    }
  }
});

test("step 0 and a loss of 0 have positions of their own", () => {
  const { x, y, bottom } = layoutOf(viewOf("exact"), 900);
  assert.equal(x.ticks[0], 0);
  assert.equal(y.ticks[0], 0);
  assert.equal(y.place(0), bottom);
  assert.ok(x.place(0) < x.place(10) && x.place(10) < x.place(60));
});

test("a click goes to the nearest stop", () => {
  const { positions } = layoutOf(viewOf("known"), 900);
  positions.forEach((place, i) => assert.equal(nearest(positions, place + 1), i));
  assert.equal(nearest(positions, -100), 0);
  assert.equal(nearest(positions, 1e6), positions.length - 1);
});
