// What the steps of a decoding say, in numbers and in words.

import assert from "node:assert/strict";
import test from "node:test";

import { percentWords } from "../../../viz/component/text.js";
import { folded, readSteps, weightsOf } from "../../../viz/stepper/payload.js";

const CASES = ["known", "sentence", "cross_only", "prompt", "many"];
const viewOf = (name) => readSteps(payload(`stepper.${name}`));

test("the rows of a step sum to 1 and hold what is chosen and what is true", () => {
  for (const name of CASES) {
    for (const { steps } of viewOf(name).sides) {
      for (const { rows, chosen, true: truth } of steps) {
        const total = rows.reduce((sum, { probability }) => sum + probability, 0);
        assert.ok(Math.abs(total - 1) < 1e-3, `${name} ${total}`);
        assert.equal(rows.filter((row) => row.chosen).length, 1);
        assert.deepEqual(rows.find((row) => row.chosen).label, chosen.label);
        if (truth) assert.deepEqual(rows.find((row) => row.true).label, truth.label);
        assert.ok(rows.at(-1).others);
      }
    }
  }
});

test("a few rows hold the most probable, what is chosen and what is true, and sum to 1", () => {
  const row = (probability, marks = {}) => ({ probability, ...marks });
  const rows = [
    row(0.4), row(0.2), row(0.1), row(0.1), row(0.08), row(0.05, { chosen: true }),
    row(0.07, { others: true }),
  ];
  const few = folded(rows);
  assert.deepEqual(few.slice(0, -1), [...rows.slice(0, 4), rows[5]]);
  assert.ok(few.at(-1).others);
  assert.ok(Math.abs(few.at(-1).probability - 0.15) < 1e-9);
});

test("a step's weights of a head sum to 1, and none goes to a later token", () => {
  for (const name of CASES) {
    const view = viewOf(name);
    for (const side of view.sides) {
      const count = side.steps.length;
      for (const [kind, there] of [["source", !view.selfOnly], ["target", !view.crossOnly]]) {
        const weights = [...weightsOf(side[kind], view, view.layers - 1, view.heads - 1, 1, count)];
        if (!there) {
          assert.equal(weights.length, 0);
          continue;
        }
        const total = weights.reduce((sum, weight) => sum + weight, 0) / 65535;
        assert.ok(Math.abs(total - 1) < 0.01, `${name} ${kind} ${total}`);
        const later = kind === "target" ? weights.slice(2 + view.before) : [];
        assert.ok(later.every((weight) => weight === 0));
      }
    }
  }
});

test("a prompt is fed before the first step, and each step is fed one token more", () => {
  const view = viewOf("prompt");
  assert.equal(view.before, 2);
  assert.equal(view.sides[0].fed.length, view.sides[0].steps.length + 2);
  assert.equal(viewOf("known").before, 0);
});

test("only what is exactly so is 0 % or 100 %", () => {
  viewOf("known");
  for (const [p, words] of [
    [0, "0"], [1, "100"], [0.5, "50.0"], [0.12345, "12.3"], [0.9996, "99.96"], [0.0004, "0.04"],
    [1e-9, "<\u00a00.001"], [1 - 1e-9, ">\u00a099.999"],
  ]) assert.equal(percentWords(p), `${words}\u00a0%`);
});
