// Texts: cut between the characters that a reader sees, in their direction, with their numbers.

import assert from "node:assert/strict";
import test from "node:test";

import { brokenLines, fileNameOf, svgEscaped, svgNode } from "../../../viz/component/figure.js";
import { movedBy } from "../../../viz/component/keys.js";
import { shortened } from "../../../viz/component/plot.js";
import {
  counted, fill, isolated, lettersOf, localDigits, localNumber, readFrame, threeDigits,
} from "../../../viz/component/text.js";
import { element, FLAGS, inWords, spokenOf, tokenElement, word } from "../../../viz/component/tokens.js";

const [FAMILY, HEART] = ["👩\u200d❤\ufe0f\u200d👨", "❤\ufe0f"];

test("a label is cut between characters", () => {
  const count = ([text]) => lettersOf(text).length;
  for (const [text, short] of [
    [FAMILY.repeat(5), `${FAMILY.repeat(2)}…${FAMILY}`],
    [HEART.repeat(3) + "क\u094d\u200dष".repeat(3), `${HEART.repeat(2)}…क\u094d\u200dष`],
    ["abcdef", "ab…f"], ["abcd", "abcd"],
  ]) assert.equal(shortened(text, 4, count), short);
});

test("the name of a file keeps words whole", () => {
  for (const [title, name] of [
    ["Maps of “می\u200cخواهم”", "maps-of-می-خواهم"], ["हिन्दी में", "हिन्दी-में"],
    [`Maps of ${FAMILY}!`, "maps-of"], ["?", "file"], ["e\u0301".repeat(51), "e\u0301".repeat(50)],
    ["Encoder layer 1, head 3: where each word of a sentence looks",
      "encoder-layer-1-head-3-where-each-word-of-a"],
  ]) assert.equal(fileNameOf(title, "file"), name);
});

test("the pieces of a word stand together, in its direction", () => {
  for (const [pieces, direction] of [
    [["می\u200cخ", "واه", "د"], "rtl"], [["ש", "לום"], "rtl"], [["play", "ed"], undefined],
  ]) {
    const chips = pieces.map((text, i) =>
      tokenElement([text, i ? FLAGS.continues : 0], "source", i, "chip", {}));
    const [found, ...others] = inWords([...chips, tokenElement(["x", 0], "source", 9, "chip", {})]);
    assert.equal(found.dir, direction);
    assert.equal(others.length, 1);
  }
});

test("a text is isolated as Python isolates it, and leaves the signs around it alone", () => {
  for (const [text, expected] of JSON.parse(new TextDecoder().decode(payload("isolated")))) {
    assert.equal(isolated(text), expected);
    assert.equal(fill("{key}: {weight}.", { key: text, weight: "1" }), `${expected}: 1.`);
  }
});

test("a tooltip is told with its words isolated", () => {
  const line = element("p", "");
  line.append(word("ר."), " → ", word("it"));
  assert.deepEqual([line.textContent, spokenOf(line)], ["ר. → it", "\u2068ר.\u2069 → it"]);
});

test("names are filled in once, whatever a token reads", () => {
  assert.equal(fill("{query} → {key}", { query: "{key}", key: "x" }), "{key} → x");
});

test("numbers are written as the reader's language writes them", () => {
  readFrame(payload("maps.known"));
  assert.deepEqual([localNumber(1234.5, 1), localNumber(1234, 0, true)], ["1234.5", "1,234"]);
  assert.deepEqual([0, 0.97265, -0.5, 1.5e-7].map(threeDigits), ["0", "0.973", "−0.500", "1.50e−7"]);
  assert.equal(localDigits("-1.50e-7"), "−1.50e−7");
  const texts = { "nth.one": "{n}st", "nth.two": "{n}nd", "nth.few": "{n}rd", "nth.other": "{n}th" };
  const nth = (n) => counted(texts, "nth", n, "ordinal");
  assert.deepEqual([1, 2, 3, 4, 11, 22].map(nth), ["1st", "2nd", "3rd", "4th", "11th", "22nd"]);
  readFrame(payload("maps.german"));
  assert.deepEqual([localNumber(1234, 0, true), threeDigits(-0.5)], ["1.234", "−0,500"]);
  assert.equal(counted({ "nth.other": "{n}." }, "nth", 2, "ordinal"), "2.");
});

test("what XML cannot say is replaced, and marks are escaped", () => {
  assert.equal(svgEscaped("<a b=\"c\"> & \u0000 \ud800"), "&lt;a b=&quot;c&quot;&gt; &amp; \ufffd \ufffd");
  assert.equal(svgNode("rect", { x: 1 / 3, fill: null, rx: 0 }), '<rect x="0.333" rx="0"/>');
});

test("a long text goes over several lines, and what is isolated stays so in each", () => {
  const width = (text) => text.replaceAll(/[\u2068\u2069]/g, "").length;
  assert.deepEqual(brokenLines("one two three", 7, width), ["one two", "three"]);
  assert.deepEqual(brokenLines("\u2068ab cd\u2069", 2, width), ["\u2068ab\u2069", "\u2068cd\u2069"]);
});

test("arrow keys move from cell to cell and stop at the edges", () => {
  const moved = (key, row, column) => movedBy({ key, preventDefault() {} }, row, column, 3, 5);
  assert.deepEqual(moved("ArrowDown", 2, 1), [2, 1]);
  assert.deepEqual(moved("ArrowUp", 2, 1), [1, 1]);
  assert.deepEqual(moved("ArrowLeft", 2, 0), [2, 0]);
  assert.deepEqual([moved("Home", 1, 3), moved("End", 1, 3)], [[1, 0], [1, 4]]);
  assert.equal(moved("x", 1, 3), null);
});
