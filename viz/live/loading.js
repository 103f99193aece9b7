// A model as Python packs it: core/runs/browser_model.py.

import { readFrame } from "../component/text.js";
import { Model, widened } from "./model.js";
import { Tokenizer } from "./tokenizer.js";

/** The model, its tokenizer, and the source words that its training saw. */
export function readModel(bytes) {
  const { header, arrays } = readFrame(bytes);
  const { config, names, tokenizer } = header;
  const numbers = names.map((name, i) => [name, arrays[i] instanceof Uint16Array ? widened(arrays[i]) : arrays[i]]);
  const words = new TextDecoder().decode(arrays[names.length]).split("\n").filter(Boolean);
  return { model: new Model(config, new Map(numbers)), tokenizer: new Tokenizer(tokenizer), known: new Set(words) };
}
