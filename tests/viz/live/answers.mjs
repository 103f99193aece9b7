// What the scripts of the live page make of questions: node answers.mjs MODEL QUESTIONS ANSWERS.

import { readFileSync, writeFileSync } from "node:fs";

import { readModel } from "../../../viz/live/loading.js";
import { Decoder, encode, follow } from "../../../viz/live/model.js";
import { pictured } from "../../../viz/live/pass.js";

const [, , modelFile, questionsFile, answersFile] = process.argv;
const loaded = readModel(new Uint8Array(readFileSync(modelFile)));
const { model, tokenizer } = loaded;
const questions = JSON.parse(readFileSync(questionsFile, "utf-8"));

const answers = {
  tokens(text) {
    const ids = tokenizer.encode(text);
    return { ids, text: tokenizer.decode(ids), words: tokenizer.describe(ids).map(({ word, wordText, text: shown }) => [word, wordText, shown]) };
  },
  logits({ source, fed }) {
    const decoder = new Decoder(model, encode(model, source).memory_KD);
    return fed.map((id) => Array.from(decoder.feed(id)).filter(Number.isFinite));
  },
  frame({ sentence, reference, silenced, pronouns, like }) {
    const ids = tokenizer.encode(sentence);
    const given = tokenizer.encode(reference).slice(0, -1);
    const forced = given.length ? follow(model, ids, { silenced, given }) : null;
    const { header, arrays } = pictured(follow(model, ids, { silenced }), forced, { ...loaded, pronouns }, like, silenced);
    return { header, arrays: arrays.map((array) => Array.from(array)) };
  },
};
writeFileSync(answersFile, JSON.stringify(questions.map(([name, question]) => answers[name](question))));
