// Where the parts of a model stand, and which way its arrows go.

import assert from "node:assert/strict";
import test from "node:test";

import { indexed, layoutOf } from "../../../viz/architecture/layout.js";
import { readFrame } from "../../../viz/component/text.js";

const MODELS = ["post", "pre", "one", "many", "unlike", "encoder", "decoder", "untied", "mixed", "gated"];
const WIDTHS = [340, 392, 592, 700];
const written = (name) => readFrame(payload(`architecture.${name}`)).header;

function layout(name, { width = 592, selected } = {}) {
  const view = written(name);
  return layoutOf(indexed({ ...view, selected: selected ?? view.selected }), width, "x");
}

const all = (check) => MODELS.forEach((name) => WIDTHS.forEach((width) => check(name, width)));
const partIds = (name) => written(name).nodes.filter(({ shape }) => shape === "part").map(({ id }) => id);
const ends = ({ arrows }) => arrows.map(({ kind, from, to }) => [kind, from, to]);

test("every part has a box, and of a high stack each is reached through its layer", () => {
  for (const name of ["post", "one", "encoder", "decoder", "untied", "gated"]) {
    assert.deepEqual(layout(name).parts.map(({ id }) => id).sort(), partIds(name).sort());
  }
  for (const name of ["pre", "many"]) {
    const reached = new Set();
    const heights = new Set();
    for (const selected of partIds(name)) {
      const { parts, height } = layout(name, { selected });
      assert.ok(parts.some(({ id }) => id === selected));
      heights.add(height);
      parts.forEach(({ id }) => reached.add(id));
    }
    assert.deepEqual([...reached].sort(), partIds(name).sort());
    assert.equal(heights.size, 1, "nothing below moves");
  }
});

test("the picture fits its width and the screen", () => all((name, width) => {
  const { parts, frames, height, top } = layout(name, { width });
  // Very many layers stay high: even folded, each has its name.
  if (["post", "pre", "one"].includes(name)) assert.ok(height <= 700);
  for (const { x, y, width: wide } of [...parts, ...frames]) {
    assert.ok(x >= 0 && x + wide <= width && y >= top, `${name} ${width}`);
  }
}));

test("boxes do not overlap, and data flows upward", () => all((name, width) => {
  const { parts } = layout(name, { width });
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
  const { parts, arrows } = layout(name, { width });
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
  const { parts, arrows } = layout(name, { width });
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
    const { arrows, nodes } = written(name);
    const shown = layout(name, { selected: "softmax" });
    const folded = shown.parts.some(({ layer }) => layer);
    const kept = new Set(ends(shown).map(String));
    const wanted = arrows.map(({ kind, start, end }) => String([kind, start, end]));
    if (folded) for (const kind of ["memory", "positions", "tied"]) {
      assert.ok([...kept].some((each) => each.startsWith(kind)));
    } else assert.deepEqual([...kept].sort(), wanted.sort());
    assert.equal(kept.size, shown.arrows.length);
    assert.ok(nodes.length);
  }
});

test("one matrix is drawn as such only if it is one", () => {
  const tied = (name) => ends(layout(name)).filter(([kind]) => kind === "tied").length;
  assert.deepEqual([tied("post"), tied("untied")], [2, 0]);
});
