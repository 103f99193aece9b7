// Where the parts of a pass stand, and which numbers they are drawn from.

import assert from "node:assert/strict";
import test from "node:test";

import { readFrame } from "../../../viz/component/text.js";
import { crossingPath, NARROW, TALL, tilesOf, titleTop, topOf, wholeLayout } from "../../../viz/whole/layout.js";
import { litOf, shownOf } from "../../../viz/whole/drawing.js";
import {
  changedTokens, largeOfRow, largestOfBlock, largestOfToken, readWhole, weightAt,
} from "../../../viz/whole/payload.js";

const CASES = ["known", "deep", "alone", "encoder", "recurrent", "parallel"];
const viewOf = (name) => readWhole(payload(`whole.${name}`));

test("each row of weights sums to 1", () => {
  for (const name of CASES) {
    for (const { blocks } of viewOf(name).stacks) {
      for (const block of blocks.filter(({ heads }) => heads)) {
        for (let query = 0; query < block.queries; query += 1) {
          let sum = 0;
          for (let key = 0; key < block.keys; key += 1) sum += weightAt(block, block.heads - 1, query, key);
          assert.ok(Math.abs(sum - 1) < 1e-3, `${name} ${block.site} ${sum}`);
        }
      }
    }
  }
});

test("a row's lines are its weights from the threshold on, and the largest is the last", () => {
  for (const least of [0, 0.1, 0.5]) {
    const block = viewOf("known").stacks[1].blocks[1];
    const found = largeOfRow(block, 4, least);
    const all = Array.from({ length: block.heads * block.keys }, (_, i) =>
      weightAt(block, Math.floor(i / block.keys), 4, i % block.keys));
    assert.equal(found.length, all.filter((weight) => weight >= least).length);
    if (found.length) assert.equal(found.at(-1).weight, Math.max(...all));
  }
});

test("the largest weight of a block is looked for in the rows that there are", () => {
  const block = viewOf("known").stacks[1].blocks[0];
  // The first word of a decoder sees itself alone, which says nothing where there are others.
  assert.equal(largestOfBlock(block, 1).weight, 1);
  assert.ok([1, 2].includes(largestOfBlock(block, 3).query));
  const ofHead = largestOfBlock(block, block.queries, 2);
  assert.equal(ofHead.head, 2);
  assert.equal(ofHead.weight, weightAt(block, 2, ofHead.query, ofHead.key));
});

test("blocks rise without gaps or overlaps, and stay in their stack", () => {
  for (const name of CASES) {
    for (const width of [360, NARROW - 1, 1200]) {
      const { stacks, height } = wholeLayout(width, 440, viewOf(name));
      for (const { blocks, top, bottom } of stacks) {
        blocks.forEach((block, i) => {
          assert.ok(block.upper < block.lower, `${name} ${width}`);
          assert.ok(block.upper >= top - 0.01 && block.lower <= bottom + 0.01);
          const below = blocks[i - 1];
          if (!below) return;
          const gap = below.upper - block.lower;
          assert.equal(Math.round(gap), below.layer === block.layer ? 0 : 6);
        });
        assert.ok(top >= 0 && bottom <= height);
      }
    }
  }
});

test("stacks stand beside each other; a narrow picture is read from the source down to the output", () => {
  const [encoder, decoder] = wholeLayout(1200, 440, viewOf("known")).stacks;
  assert.ok(encoder.right < decoder.left);
  for (const name of ["known", "deep", "recurrent", "parallel"]) {
    const layout = wholeLayout(350, TALL, viewOf(name));
    const tops = layout.stacks.flatMap((stack) =>
      [titleTop(stack, layout), ...stack.blocks.map(({ upper, lower }) => topOf(layout, upper, lower))]);
    assert.deepEqual(tops, [...tops].sort((one, other) => one - other), name);
  }
});

test("a finger finds every block and word of a narrow picture, and lines to the decoder run beside all words", () => {
  for (const name of CASES) {
    const { stacks, width } = wholeLayout(350, TALL, viewOf(name));
    for (const { blocks, folds, unit } of stacks) {
      assert.ok(unit >= 25, name);
      for (const { upper, lower } of [...blocks, ...folds]) assert.ok(lower - upper >= 40, name);
    }
    const [encoder, decoder] = stacks;
    for (const block of decoder?.blocks.filter(({ crosses }) => crosses) ?? []) {
      for (const head of [0, block.heads - 1]) {
        const [lane] = crossingPath(encoder, decoder, block, { head, query: 0, key: 0 })[2];
        assert.ok(lane > encoder.right && lane > decoder.right && lane < width, `${name} ${lane}`);
      }
    }
  }
});

test("what is written last has a column of its own", () => {
  for (const width of [350, 1200]) {
    const decoder = wholeLayout(width, 440, viewOf("known")).stacks[1];
    assert.ok(decoder.centre(decoder.tokens.length) < decoder.right);
  }
});

test("the word that a page lets stand out does so at the step that looks at it, a clicked one always", () => {
  const view = { focus: 3, focus_step: 5 };
  const lit = (step, focus) => litOf({ view, step, focus });
  assert.deepEqual([0, 4, 5, 6].map((step) => lit(step)), [3, null, 3, null]);
  assert.deepEqual([lit(4, 1), lit(5, null)], [1, null]);
  assert.equal(litOf({ view: { focus: 3, focus_step: null }, step: 4 }), 3);
});

test("every token and every small map is inside the picture", () => {
  for (const name of CASES) {
    for (const width of [360, 1024, 1400]) {
      const layout = wholeLayout(width, 440, viewOf(name));
      for (const stack of layout.stacks) {
        assert.ok(stack.centre(stack.tokens.length - 1) < layout.width, `${name} ${width}`);
        for (const block of stack.blocks) {
          for (const tile of tilesOf(block, stack)) {
            assert.ok(tile.x + tile.width <= width + 0.01, `${name} ${width}`);
            assert.ok(tile.y + tile.height <= block.lower + 0.01);
          }
        }
      }
    }
  }
});

test("only what differs between two sentences of one form is another token", () => {
  const view = (source, fed = "") => {
    const labels = (text) => text.split(" ").filter(Boolean).map((word) => [word, 0]);
    return { source: labels(source), fed: labels(fed) };
  };
  const before = view("it was too tired .", "il est trop fatigué .");
  const now = view("it was too wide .", "elle est trop large .");
  const changed = (one, other) => {
    const found = changedTokens(one, other);
    return { source: [...found.source], target: [...found.target] };
  };
  assert.deepEqual(changed(before, now), { source: [3], target: [0, 3] });
  assert.deepEqual(changed(before, before), { source: [], target: [] });
  assert.deepEqual(changed(null, now), { source: [], target: [] });
});

test("what a word looks at most is its largest weight in all layers of its side", () => {
  const [encoder] = viewOf("known").stacks;
  const { weight, block, head, key } = largestOfToken(encoder, 4);
  const all = encoder.blocks.filter(({ heads }) => heads).flatMap((each) =>
    Array.from({ length: each.heads * each.keys }, (_, i) =>
      weightAt(each, Math.floor(i / each.keys), 4, i % each.keys)));
  assert.equal(weight, Math.max(...all));
  assert.equal(weightAt(block, head, 4, key), weight);
});

test("only a block or a head that the model has is opened", () => {
  const { header, arrays } = readFrame(payload("whole.known"));
  const opened = (open) => readWhole({ header: { ...header, open }, arrays }).open;
  for (const open of ["encoder.2.self", "encoder.2.self:3", "decoder.0.feed_forward"]) assert.equal(opened(open), open);
  for (const open of [null, "encoder.9.self", "encoder.2.self:4", "encoder.2.self:-1", "encoder.2.self:x", "encoder.2.feed_forward:0"]) {
    assert.equal(opened(open), null, open);
  }
});

test("layers that have no room are folded, and each strip leads to the next ones", () => {
  const view = viewOf("deepest");
  const layersOf = (first) => {
    const [{ blocks, folds, top, bottom }] = wholeLayout(1200, 440, view, { target: first }).stacks;
    const heights = [...blocks, ...folds].map(({ upper, lower }) => [upper, lower]).sort(([one], [other]) => one - other);
    heights.forEach(([upper, lower], i) => {
      assert.ok(upper >= top - 0.01 && lower <= bottom + 0.01);
      assert.ok(i === 0 || upper >= heights[i - 1][1] - 0.01);
    });
    return { layers: [...new Set(blocks.map(({ layer }) => layer))], folds };
  };
  const highest = layersOf();
  assert.equal(highest.layers.at(-1), 29);
  assert.deepEqual(highest.folds.map(({ from, to }) => [from, to]), [[0, highest.layers[0] - 1]]);
  const seen = new Set(highest.layers);
  for (let at = highest; at.folds[0]?.from === 0;) {
    at = layersOf(at.folds[0].opens);
    at.layers.forEach((layer) => seen.add(layer));
  }
  assert.equal(seen.size, 30);
  assert.equal(wholeLayout(1200, 440, viewOf("deep")).stacks[0].folds.length, 0);
});

test("a forced pass has all of its words at once, and marks those that the model did not write", () => {
  const free = viewOf("forced");
  const { forced } = free;
  assert.deepEqual(forced.stacks[0].blocks, free.stacks[0].blocks);
  assert.notEqual(forced.stacks[1].blocks[0].weights, free.stacks[1].blocks[0].weights);
  assert.deepEqual([...changedTokens(free, forced).target], [5]);
  const [, decoder] = forced.stacks;
  assert.equal(shownOf(decoder, { step: 2, focus: null, view: forced }).count, forced.fed.length);
  assert.equal(shownOf(decoder, { step: 2, focus: null, view: free }).count, 2);
  assert.equal(forced.truth.length, forced.last);
});

test("lines from the encoder go around its maps and cross the decoder's names in their own row alone", () => {
  for (const name of ["known", "deep"]) {
    const { stacks: [encoder, decoder] } = wholeLayout(1200, 440, viewOf(name));
    for (const block of decoder.blocks.filter(({ crosses }) => crosses)) {
      for (const head of [0, block.heads - 1]) {
        const path = crossingPath(encoder, decoder, block, { head, query: 2, key: 1 });
        assert.deepEqual([path[0][0], path.at(-1)[0]], [encoder.centre(1), decoder.centre(2)]);
        const lane = path[2][0];
        assert.ok(lane > encoder.end && lane < decoder.left - 132, `${name} ${lane}`);
        assert.ok(path.at(-1)[1] > block.upper && path.at(-1)[1] < block.lower);
        assert.ok(path[1][1] > 0 && path[1][1] < encoder.top);
      }
    }
  }
});
