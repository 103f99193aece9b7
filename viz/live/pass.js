// A pass that was computed here, as the picture of the whole model wants it: viz/whole/whole.py.

import { percentWords } from "../component/text.js";

const LARGEST = 65535;
const CERTAIN = 0.5; // from this probability on, nothing is said of a word
const MARKS = { special: 1, unknown: 2, continues: 4 };

/**
 * What the picture draws. `like`: the header of another pass of the same model, which holds what
 * does not depend on the sentence; `forced`: the pass on a text that is given, or null.
 */
export function pictured(pass, forced, { tokenizer, known, pronouns }, like, silenced) {
  const source = tokenizer.describe(pass.sourceIds);
  const focus = source.findIndex(({ wordText }) => pronouns.includes(wordText.toLowerCase()));
  const ofFree = partOf(pass, tokenizer, like.sublayers);
  const target = like.sublayers.filter(({ side }) => side === "target");
  const ofForced = forced && partOf(forced, tokenizer, target);
  const header = {
    ...like,
    ...ofFree.header,
    truth: [],
    source: labels(source, known),
    forced: ofForced && ofForced.header,
    focus: focus < 0 ? null : focus,
    focus_step: focus < 0 ? null : lookingStep(pass, focus),
    silenced,
    open: null,
    content: crypto.getRandomValues(new Uint32Array(2)).join("-"),
  };
  header.step = header.focus_step ?? usualStep(pass);
  return { header, arrays: [...ofFree.arrays, ...(ofForced?.arrays ?? [])] };
}

function partOf(pass, tokenizer, like) {
  const { encoder, decoder, fed, best, next } = pass;
  const seen = new Map([...encoder.sublayers, ...decoder.sublayers].map((each) => [each.site, each]));
  const named = (guesses) => {
    const texts = tokenizer.alone(guesses.map(([id]) => id));
    return guesses.map(([, share], i) => [texts[i], share]);
  };
  const header = {
    fed: labels(tokenizer.describe(fed), new Set()),
    sublayers: like.map((each) => ({ ...each, added: seen.get(each.site).added })),
    norms: { source: encoder.norms, target: decoder.norms },
    guesses: decoder.guesses.map(named),
    best: best.map(named),
    // Each is called as among the most probable ones of its step.
    truth: next.map(([id, share], step) => [tokenizer.alone([id, ...best[step].map(([other]) => other)])[0], share]),
  };
  return { header, arrays: like.filter(({ heads }) => heads).map(({ site }) => packed(seen.get(site).weights)) };
}

/** Weights of each query and head as 16-bit numbers, heads first; later words have none. */
function packed(weights_QHK) {
  const [queries, heads] = [weights_QHK.length, weights_QHK[0].length];
  const keys = weights_QHK[queries - 1][0].length;
  const array = new Uint16Array(heads * queries * keys);
  weights_QHK.forEach((row, query) => row.forEach((weights, head) => weights.forEach((weight, key) => {
    array[(head * queries + query) * keys + key] = Math.min(LARGEST, Math.round(weight * LARGEST));
  })));
  return array;
}

/** Whether training never saw a word; without words that are known, none counts as unknown. */
export const isUnknown = ({ special, wordText }, known) => known.size > 0 && !special && !known.has(wordText);

/** Tokens with their flags. */
function labels(tokens, known) {
  return tokens.map((token, at) => {
    const continues = tokens[at - 1]?.word === token.word;
    return [token.text, token.special * MARKS.special + isUnknown(token, known) * MARKS.unknown + continues * MARKS.continues];
  });
}

/** The step, from 1, whose last cross-attention looks most at a word of the source. */
function lookingStep({ decoder }, focus) {
  const crossing = decoder.sublayers.findLast(({ name }) => name.endsWith("cross_attention"));
  return 1 + largestAt(crossing.weights.map((heads) => Math.max(...heads.map((weights) => weights[focus]))));
}

/** The step at which the model is least sure; the one in the middle where it is sure of all. */
function usualStep({ best }) {
  const doubts = best.map(([[, share]]) => -share);
  return -Math.max(...doubts) >= CERTAIN ? Math.floor((best.length + 1) / 2) : 1 + largestAt(doubts);
}

const largestAt = (values) => values.indexOf(Math.max(...values));

/** The first step at which another word is written without some heads, or else the largest change. */
export function whatIsLost(usual, without, tokenizer) {
  const [before, after] = [usual, without].map(({ best }) => best.map(([first]) => first));
  const at = after.findIndex(([id], step) => id !== before[step]?.[0]);
  if (at >= 0) {
    const [word, old] = tokenizer.alone([after[at][0], before[at]?.[0] ?? tokenizer.end]);
    return { changes: true, step: at + 1, new: word, old };
  }
  const most = largestAt(before.map(([, share], step) => Math.abs(share - after[step][1])));
  const [[id, share], [other, rest]] = without.best[most];
  const [word, second] = tokenizer.alone([id, other]);
  return {
    changes: false, step: most + 1, word, other: second,
    before: percentWords(before[most][1]), after: percentWords(share), rest: percentWords(rest),
  };
}
