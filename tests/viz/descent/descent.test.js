// What a training step adds to the picture of the model.

import assert from "node:assert/strict";
import test from "node:test";

import { barsOf, boxesOf, descentLayout, drawDescent, labelsOf, lossOf, STAGES } from "../../../viz/descent/drawing.js";
import { readWhole } from "../../../viz/whole/payload.js";

const [FORWARD, LOSS, BACKWARD, UPDATE] = STAGES.keys();

function stateOf(name, at, { width = 1200, reached = Infinity } = {}) {
  const view = readWhole(payload(`descent.${name}`));
  return { view, at, reached, layout: descentLayout(width, view) };
}

/** The opacity of each box that is drawn, in their order, from calls of a canvas. */
function shadesOf(state) {
  const shades = [];
  const context = { globalAlpha: 1, fillRect: (_x, _y, width, height) => shades.push([context.globalAlpha, width, height]) };
  drawDescent(context, state, {});
  return shades.slice(0, boxesOf(state).length).map(([alpha]) => alpha);
}

test("a bar is as high as the probability, or as its loss is to the largest", () => {
  const { descent } = stateOf("known", FORWARD).view;
  const shares = (at) => barsOf(stateOf("known", at)).map(({ share }) => share);
  const near = (one, other) => one.forEach((each, i) => assert.ok(Math.abs(each - other[i]) < 1e-4));
  const before = descent.before.map(Math.exp);
  near(shares(FORWARD), before);
  near(shares(LOSS), before.map((p) => Math.log(p) / Math.log(0.01)));
  near(shares(UPDATE), before.flatMap((p, i) => [p, Math.exp(descent.after[i])]));
  assert.ok(Math.abs(lossOf(descent.before) - -before.reduce((sum, p) => sum + Math.log(p), 0) / before.length) < 1e-4);
});

test("bars stand over the positions that predict, not over a prompt", () => {
  for (const [name, first] of [["known", 0], ["prompted", 3]]) {
    const state = stateOf(name, FORWARD);
    const [bar] = barsOf(state);
    assert.ok(Math.abs(bar.x + bar.width / 2 - state.layout.stacks[1].centre(first)) < 1e-6);
  }
});

test("the gradient goes from the output down to the words, and the longest is the darkest", () => {
  const count = boxesOf(stateOf("known", BACKWARD)).length;
  const none = shadesOf(stateOf("known", LOSS));
  assert.ok(none.every((alpha) => alpha === 0));
  const half = shadesOf(stateOf("known", BACKWARD, { reached: 3 }));
  assert.deepEqual(half.map((alpha) => alpha > 0), half.map((_, order) => order >= count - 3));
  const all = shadesOf(stateOf("known", UPDATE));
  assert.equal(all.indexOf(Math.max(...all)), boxesOf(stateOf("known", UPDATE)).findIndex(({ name }) => name === "output"));
});

test("the probabilities come when the forward pass has come to the output", () => {
  const words = (reached) => labelsOf(stateOf("known", FORWARD, { reached })).filter(({ kind }) => kind === "true");
  assert.equal(words(2).length, 0);
  assert.equal(words(Infinity).length, stateOf("known", FORWARD).view.descent.truth.length);
});

test("everything that is written stands inside the picture, also on a phone", () => {
  for (const width of [360, 1200]) {
    const state = stateOf("known", BACKWARD, { width });
    for (const { x, y } of labelsOf(state)) {
      assert.ok(x >= 0 && x <= width && y >= 0 && y <= state.layout.height, `${width} ${x} ${y}`);
    }
  }
});

test("on a phone the blocks are read from the first layer down to the output, and the bars stand below", () => {
  const state = stateOf("known", BACKWARD, { width: 360 });
  const boxes = boxesOf(state);
  assert.deepEqual(boxes.toSorted((one, other) => one.upper - other.upper), boxes);
  assert.ok(labelsOf(state).filter(({ kind }) => kind === "true").every(({ y }) => y > boxes.at(-1).lower));
});
