// Going along a row of stops with keys, with a pointer and by playing.

import assert from "node:assert/strict";
import test from "node:test";

import { answerWalk, goTo, play } from "../../../viz/component/keys.js";

function walking() {
  const state = { at: 0, seen: [], drawn: 0, nodes: { tooltip: {} } };
  answerWalk(state, {
    slider: { setPointerCapture() {} }, pace: 700, last: () => 5, at: () => state.at,
    under: ({ x }) => x, drawPlay: () => { state.drawn += 1; },
    show: (stop) => { state.at = stop; state.seen.push(stop); },
  });
  const { slider } = state.walk;
  state.press = (key) => slider.onkeydown({ key, preventDefault() {} });
  state.slider = slider;
  return state;
}

test("keys go from stop to stop and no farther than the ends", () => {
  const state = walking();
  for (const [key, stop] of [
    ["ArrowRight", 1], ["ArrowUp", 2], ["ArrowLeft", 1], ["End", 5], ["ArrowRight", 5],
    ["PageDown", 0], ["PageUp", 5], ["Home", 0], ["ArrowDown", 0], ["x", 0],
  ]) {
    state.press(key);
    assert.equal(state.at, stop, key);
  }
});

test("it plays to the end and stops there, from the first if it stood at the last", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const state = walking();
  goTo(state, 5);
  play(state, true);
  assert.equal(state.at, 0);
  for (let i = 0; i < 5; i += 1) t.mock.timers.tick(700);
  assert.deepEqual([state.at, state.playing], [5, 0]);
  assert.equal(state.drawn, 2);
});

test("any other move ends the playing", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const state = walking();
  state.press(" ");
  t.mock.timers.tick(700);
  assert.equal(state.at, 1);
  state.press("ArrowRight");
  t.mock.timers.tick(5000);
  assert.deepEqual([state.at, state.playing], [2, 0]);
});
