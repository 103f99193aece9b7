// Which lines there are, how large what stands beside them is, and what is said of them.

import assert from "node:assert/strict";
import test from "node:test";

import { linesLayout, rowsInView } from "../../../viz/lines/layout.js";
import {
  countLines, endsOf, largestOf, linesInView, linesOfToken, lineWeight, readLines,
} from "../../../viz/lines/payload.js";
import { weightBars } from "../../../viz/lines/drawing.js";
import { measure } from "../plane/planes.js";

function stateOf(name, changes = {}) {
  const view = readLines(payload(`lines.${name}`));
  const layout = linesLayout(900, view, ([text]) => 7 * text.length, measure.nameWidth);
  return { view, layout, threshold: 0.05, hidden: new Set(), pinned: null, ...changes };
}

/** All lines of a state, found one by one. */
function expected({ view, threshold, hidden }, kept = () => true) {
  const places = [];
  for (const [at, weight] of view.weights.entries()) {
    const { slot, query, key } = endsOf(view, at);
    const shown = view.visible[at % view.cells] && !hidden.has(view.heads[slot]);
    if (shown && weight > 0 && weight * view.unit >= threshold && kept({ query, key })) places.push(at);
  }
  return places;
}

const sorted = (places) => [...places].sort((a, b) => a - b);

test("there is a line for each visible weight from the threshold on, thick ones first", () => {
  for (const name of ["known", "several", "back", "sentence"]) {
    for (const changes of [{}, { threshold: 0.3 }, { threshold: 0 }, { threshold: 1 }]) {
      const state = stateOf(name, changes);
      const found = linesInView(state, [0, Infinity]);
      assert.deepEqual(sorted(found), expected(state));
      const weights = [...found].map((at) => state.view.weights[at]);
      assert.deepEqual(weights, [...weights].sort((a, b) => b - a));
    }
  }
});

test("a token has its own lines alone", () => {
  const state = stateOf("known");
  for (const [column, index] of [["query", 3], ["query", 0], ["key", 4], ["key", 6]]) {
    const own = linesOfToken(state, { column, index });
    assert.deepEqual(sorted(own), expected(state, (ends) => ends[column] === index));
  }
});

test("lines with an end in view are drawn, and no others", () => {
  const state = stateOf("back", { threshold: 0.02 });
  const found = linesInView(state, [3, 5]);
  const inView = (row) => row >= 3 && row <= 5;
  assert.deepEqual(
    sorted(found), expected(state, ({ query, key }) => inView(query) || inView(key)));
  assert.deepEqual(rowsInView({ step: 16, height: 480 }, 3200), [200, 229]);
});

test("it counts what is left out, of all lines or of those of a kept token", () => {
  const state = stateOf("several", { threshold: 0.2 });
  const { total, n } = countLines(state);
  const pairs = state.view.visible.reduce((sum, seen) => sum + seen, 0);
  assert.equal(total, 3 * pairs);
  assert.equal(total - n, expected(state).length);
  const kept = countLines({ ...state, pinned: { column: "query", index: 3 } });
  assert.equal(kept.total - kept.n, expected(state, ({ query }) => query === 3).length);
});

test("the largest weights come first and are written in three digits", () => {
  const { view } = stateOf("known");
  const [first, second] = largestOf(view, 0, { column: "query", index: 3 }, 5);
  assert.equal(first.index, 4);
  assert.ok(first.weight > second.weight);
  assert.equal(lineWeight(view, first.weight), "0.973");
  assert.equal(lineWeight(view, 1e-5), "< 0.001");
  assert.equal(lineWeight({ ...view, exact: false }, 0.5), "≈ 0.50");
  assert.deepEqual(largestOf(view, 0, { column: "key", index: 6 }, 5), []);
});

test("bars are as long as their weights, and stay beside the columns", () => {
  for (const name of ["known", "several"]) {
    const state = stateOf(name);
    const { layout: { right, key, gutter, bar, width } } = state;
    const { bars, numbers } = weightBars(state, { column: "query", index: 3 });
    for (const one of bars) {
      if (name === "known") assert.ok(Math.abs(one.width - one.weight * bar) < 1e-9);
      assert.ok(one.x >= right + key && one.x + one.width <= right + key + gutter);
    }
    assert.ok(numbers.length && numbers.every(({ x }) => x < width));
  }
});

test("both columns fit their width, whatever the words", () => {
  for (const name of ["known", "several", "sentence", "back", "odd"]) {
    const { view } = stateOf(name);
    for (const width of [390, 700, 900, 1200]) {
      const layout = linesLayout(width, view, ([text]) => 7 * text.length, measure.nameWidth);
      assert.ok(layout.width <= width + 1, `${name} ${width} ${layout.width}`);
      assert.ok(layout.left < layout.right);
    }
  }
});
