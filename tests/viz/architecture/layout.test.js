// Where the parts of a model stand, and which way its arrows go.

import assert from "node:assert/strict";
import test from "node:test";

import { indexed, layoutOf } from "../../../viz/architecture/layout.js";
import { readFrame } from "../../../viz/component/text.js";

const MODELS = ["post", "pre", "encoder", "decoder", "untied", "gated"];
const WIDTHS = [340, 392, 592, 700];
const written = (name) => readFrame(payload(`architecture.${name}`)).header;

const layout = (name, width = 592) => layoutOf(indexed(written(name)), width, "x");

const all = (check) => MODELS.forEach((name) => WIDTHS.forEach((width) => check(name, width)));
const partIds = (name) => written(name).nodes.filter(({ shape }) => shape === "part").map(({ id }) => id);
const ends = ({ arrows }) => arrows.map(({ kind, from, to }) => [kind, from, to]);

test("every part has a box", () => {
  for (const name of MODELS) {
    assert.deepEqual(layout(name).parts.map(({ id }) => id).sort(), partIds(name).sort());
  }
});

test("the picture fits its width and the screen", () => all((name, width) => {
  const { parts, frames, height, top } = layout(name, width);
  assert.ok(height <= 700);
  for (const { x, y, width: wide } of [...parts, ...frames]) {
    assert.ok(x >= 0 && x + wide <= width && y >= top, `${name} ${width}`);
  }
}));

test("boxes do not overlap, and data flows upward", () => all((name, width) => {
  const { parts } = layout(name, width);
  parts.forEach((a, i) => parts.slice(i + 1).forEach((b) => {
    const apart = a.x + a.width <= b.x || b.x + b.width <= a.x
      || a.y + a.height <= b.y || b.y + b.height <= a.y;
    assert.ok(apart, `${name}: ${a.id} on ${b.id}`);
  }));
  for (const stack of ["encoder", "decoder"]) {
    const heights = parts.filter(({ node }) => node.stack === stack).map(({ y }) => y);
    assert.deepEqual([...heights].sort((a, b) => b - a), heights);
  }
}));

test("no arrow runs through a box", () => all((name, width) => {
  const { parts, arrows } = layout(name, width);
  const between = (a, b, from, to) => Math.max(a, b) > from + 1.5 && Math.min(a, b) < to - 1.5;
  for (const { from, to, lines } of arrows) {
    for (const line of lines) {
      line.slice(1).forEach(([x, y], i) => {
        const [x0, y0] = line[i];
        for (const box of parts) {
          const hit = between(x, x0, box.x, box.x + box.width) && between(y, y0, box.y, box.y + box.height);
          assert.ok(!hit, `${name} ${width}: ${from} to ${to} through ${box.id}`);
        }
      });
    }
  }
}));

test("an arrow ends at the edge of what it leads to", () => all((name, width) => {
  const { parts, arrows } = layout(name, width);
  const boxes = new Map(parts.map((part) => [part.id, part]));
  for (const { kind, to, lines } of arrows) {
    const box = boxes.get(to);
    if (!box) continue;
    for (const line of lines) {
      const [x, y] = line.at(-1);
      const [left, down] = [x - box.x, y - box.y];
      if (["flow", "query", "key", "value"].includes(kind)) assert.equal(down, box.height);
      else assert.ok([0, box.width].some((edge) => Math.abs(left - edge) < 1e-6), `${kind} ${to}`);
    }
  }
}));

test("arrows are what the model computes", () => {
  for (const name of MODELS) {
    const wanted = written(name).arrows.map(({ kind, start, end }) => String([kind, start, end]));
    assert.deepEqual(ends(layout(name)).map(String).sort(), wanted.sort());
  }
});

test("one matrix is drawn as such only if it is one", () => {
  const tied = (name) => ends(layout(name)).filter(([kind]) => kind === "tied").length;
  assert.deepEqual([tied("post"), tied("untied")], [2, 0]);
});
