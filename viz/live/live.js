// A page that computes the pass itself: an example is drawn as it was stored, then comes the model.

import { bytesOf } from "../component/scale.js";
import { fill, listed, middle, percentWords, readFrame } from "../component/text.js";
import { largestOfToken, readWhole } from "../whole/payload.js";
// Its default export is called mountComponent in the page's script.
import "../whole/whole.js";
import { readModel } from "./loading.js";
import { follow } from "./model.js";
import { isUnknown, pictured, whatIsLost } from "./pass.js";

const NEARLY_ALL = 0.9999;
const [LONGEST_TEXT, LONGEST_WORD] = [400, 24]; // letters
const MOST_NAMED = 2; // silenced heads; of more, the number is given

const about = JSON.parse(document.getElementById("page").textContent);
const form = document.querySelector("form");
const view = document.querySelector(".view");
const stored = about.examples.map((example) => ({ ...example, frame: readFrame(bytesOf(example.payload)) }));
const shown = { sentence: "", reference: "", silenced: [] };
let loaded = null; // the model and its tokenizer, once they have come
let isWaiting = false; // for them
let isMissing = false;
let feedsNext = false; // the decoder with the reference, which was typed

function say(text) {
  document.querySelector(".state").textContent = text;
}

function mounted(frame) {
  mountComponent({
    data: frame,
    parentElement: view.shadowRoot,
    setTriggerValue: (name, { heads }) => {
      if (name === "silence") showSentence({ ...shown, silenced: heads });
    },
    setStateValue() {},
  });
}

/** Show a sentence: an example as it was stored, another one once the model is there. */
function showSentence(wanted) {
  Object.assign(shown, wanted);
  form.sentence.value = shown.sentence;
  form.reference.value = shown.reference;
  for (const [at, button] of [...document.querySelectorAll(".examples button")].entries()) {
    button.setAttribute("aria-pressed", stored[at].sentence === shown.sentence);
  }
  const example = stored.find(({ sentence, reference }) =>
    sentence === shown.sentence && reference === shown.reference);
  isWaiting = !loaded && (!example || shown.silenced.length > 0);
  if (example && !shown.silenced.length) return drawn(example.frame, seenOf(example.frame, example.text));
  if (!loaded) return say(about.texts[isMissing ? "missing" : "waits"]);
  say(about.texts.computes);
  // The browser shows the text before it is busy.
  return setTimeout(compute);
}

function compute() {
  const { model, tokenizer } = loaded;
  const most = model.config.max_positions;
  const cut = (ids) => (ids.length > most ? [...ids.slice(0, most - 1), tokenizer.end] : ids);
  const whole = tokenizer.encode(shown.sentence);
  const ids = cut(whole);
  if (ids.length < 2) return say(about.texts.empty);
  const given = cut(tokenizer.encode(shown.reference)).slice(0, -1);
  const { silenced } = shown;
  const pass = follow(model, ids, { silenced });
  const forced = given.length ? follow(model, ids, { silenced, given }) : null;
  const frame = pictured(pass, forced, { ...loaded, pronouns: about.pronouns }, stored[0].frame.header, silenced);
  const text = tokenizer.decode(pass.fed.slice(1));
  const warnings = [
    ...(whole.length > most ? [[about.texts.cut, { n: String(most - 1) }]] : []),
    ...(model.config.eos_ids.includes(pass.next.at(-1)[0]) ? [] : [[about.texts.stopped, {}]]),
    ...unknownWords(tokenizer.describe(ids)),
  ];
  if (!silenced.length) return drawn(frame, [...seenOf(frame, text), ...warnings]);
  const lost = whatIsLost(follow(model, ids), pass, tokenizer);
  frame.header.step = lost.step;
  const heads = silenced.length > MOST_NAMED ? fill(about.texts.heads, { n: String(silenced.length) })
    : listed(silenced.map((name) => about.heads[name]));
  return drawn(frame, [[about.texts[lost.changes ? "changes" : "loses"], { ...lost, heads, text }], ...warnings]);
}

const seenOf = (frame, text) => [...looking(frame), [about.texts.writes, { text: middle(text, LONGEST_TEXT) }]];

/** The words of a source that training never saw. */
function unknownWords(tokens) {
  const unknown = tokens.filter((token) => isUnknown(token, loaded.known)).map(({ wordText }) => wordText);
  const words = [...new Set(unknown)].map((each) => `“${middle(each, LONGEST_WORD)}”`);
  return words.length ? [[about.texts.unknown, { words: listed(words) }]] : [];
}

function drawn(frame, sentences) {
  mounted(frame);
  document.querySelector(".seen").replaceChildren(...sentences.flatMap(([template, values]) => [...emphasised(template, values), " "]));
  say(about.texts[loaded ? "ready" : isMissing ? "missing" : "loads"]);
  if (feedsNext) view.shadowRoot.querySelector(".forced.control").click();
  feedsNext = false;
}

/** Where the pronoun that stands out looks most: in the head that finds what it stands for, if there is one. */
function looking(frame) {
  const { focus, stacks: [encoder] } = readWhole(frame);
  if (focus === null) return [];
  const [finder, name] = about.finder;
  const { block, head, key, weight } = largestOfToken(encoder, focus, finder);
  if (!block) return [];
  const [[query], [looked]] = [encoder.tokens[focus], encoder.tokens[key]];
  // Weights have 16 bits here: the largest is not exactly 1.
  const share = percentWords(Math.min(weight, NEARLY_ALL));
  return [[about.texts.looks, { query, key: looked, weight: share, where: name || about.heads[`${block.site}:${head}`] }]];
}

/** A template in which ** stands around what is set in bold. */
function emphasised(template, values) {
  return template.split("**").map((part, i) => {
    const node = document.createElement(i % 2 ? "b" : "span");
    node.textContent = fill(part, values);
    return node;
  });
}

/** What the address names, a sentence and what is fed to the decoder; null where that is nothing. */
function ofAddress() {
  const [sentence, reference] = location.hash.slice(1).split("&").map(decodedText);
  if (!sentence) return null;
  const example = stored.find((each) => each.sentence === sentence);
  return { sentence, reference: reference ?? example?.reference ?? "", silenced: [] };
}

/** Links may be cut anywhere on their way. */
function decodedText(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Show a sentence, so that the way back leads to the one before. */
function visit(sentence, reference) {
  const of = stored.find((each) => each.sentence === sentence);
  const parts = reference === (of?.reference ?? "") ? [sentence] : [sentence, reference];
  const hash = `#${parts.map(encodeURIComponent).join("&")}`;
  if (location.hash === hash) showSentence(ofAddress());
  else location.hash = hash;
}

document.querySelector(".examples").append(...stored.map(({ name, sentence, reference }) => {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: name });
  button.onclick = () => visit(sentence, reference);
  return button;
}));
form.onsubmit = (event) => {
  event.preventDefault();
  const [sentence, reference] = [form.sentence.value.trim(), form.reference.value.trim()];
  if (!sentence) return say(about.texts.empty);
  const isNew = reference !== shown.reference;
  feedsNext = isNew && reference !== "";
  // A reference belongs to one sentence.
  return visit(sentence, sentence === shown.sentence || isNew ? reference : "");
};
form.oninput = () => say(about.texts.enter);
window.onhashchange = () => showSentence(ofAddress() ?? first);

/** Called by the script that brings the model. */
globalThis.receiveModel = (base64) => {
  loaded = readModel(bytesOf(base64));
  if (isWaiting) showSentence(shown);
  else say(about.texts.ready);
};

const first = { sentence: stored[0].sentence, reference: stored[0].reference, silenced: [] };
showSentence(first);
if (ofAddress()) showSentence(ofAddress());
window.addEventListener("load", () => {
  const script = Object.assign(document.createElement("script"), { src: about.model });
  script.onerror = () => {
    isMissing = true;
    say(about.texts.missing);
  };
  document.body.append(script);
});
