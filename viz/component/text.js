// What every payload begins with, and writing numbers and sentences in the reader's language.

const ARRAYS = { f4: Float32Array, u2: Uint16Array, u1: Uint8Array };
let locale = "en";
export let signs = {};

const aligned = (offset) => Math.ceil(offset / 4) * 4;

/** The header of a payload, and the arrays that it names. What is read already stays as it is. */
export function readFrame(data) {
  if (data.header) return data;
  // A copy begins at offset 0; what arrives may begin anywhere, where floats cannot be read.
  const { buffer } = data.slice();
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  locale = header.locale ?? locale;
  signs = header.texts ?? signs;
  let at = aligned(4 + length);
  const arrays = header.arrays.map(([type, count]) => {
    const array = new ARRAYS[type](buffer, at, count);
    at = aligned(at + array.byteLength);
    return array;
  });
  return { header, arrays };
}

const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The characters that a reader sees, which no cut divides: an accent belongs to its letter. */
export const lettersOf = (text) => Array.from(characters.segment(text), ({ segment }) => segment);

/** A text of at most `longest` letters; what is cut is its middle. */
export function middle(text, longest) {
  const letters = lettersOf(text);
  if (letters.length <= longest) return text;
  const head = Math.ceil((longest - 1) / 2);
  return `${letters.slice(0, head).join("")}…${letters.slice(head + 1 - longest).join("")}`;
}

// As viz/direction.py has them.
const BEGINNINGS = /[\u2066-\u2068]/;
const TURNING = new RegExp(
  "[\\u0590-\\u08ff\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufb1d-\\ufdff\\ufe70-\\ufefc"
  + "\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]", "u");

/** A text as it stands in a sentence: whichever way it runs, what is around it keeps its place. */
export function isolated(text) {
  if (!TURNING.test(text)) return text;
  let [result, depth, bare] = ["", 0, false];
  for (const sign of text) {
    const ends = sign === "\u2069";
    if (!ends || depth) result += sign;
    bare ||= !depth && !BEGINNINGS.test(sign) && TURNING.test(sign);
    depth = Math.max(0, depth + BEGINNINGS.test(sign) - ends);
  }
  return bare || depth ? `\u2068${result}${"\u2069".repeat(depth + 1)}` : text;
}

/** Fill a template's {names} in one pass, so that a token reading "{key}" stays what it is. */
export function fillParts(template, values) {
  const written = (value = "") => {
    if (typeof value === "number") return localNumber(value);
    return typeof value === "string" ? isolated(value) : value;
  };
  return template.split(/\{(\w+)\}/).map((part, i) => (i % 2 ? written(values[part]) : part));
}

export const fill = (template, values) => fillParts(template, values).join("");

/** Texts put together with the signs of the reader's language: Chinese has its own. */
export const ended = (text) => fill(signs["sign.ended"], { text });
export const labelled = (label, text) => fill(signs["sign.labelled"], { label, text });
export const listed = (texts) => texts.map(isolated).join(signs["sign.listed"]);
export const joined = (...sentences) => sentences.filter(Boolean)
  .reduce((said, more) => (said ? fill(signs["sign.joined"], { said, more }) : more), "");
/** Several titles as one: a stop after each but the last. */
export const joinedTitles = (titles) => joined(...titles.slice(0, -1).map(ended), titles.at(-1));

// Making one takes longer than drawing a map.
const [pluralRules, formats] = [new Map(), new Map()];

/** The form of a text that a count asks for: "name.one", "name.few" …, else "name" itself. */
export function counted(texts, name, count, type = "cardinal") {
  const key = `${locale} ${type}`;
  if (!pluralRules.has(key)) pluralRules.set(key, new Intl.PluralRules(locale, { type }));
  const form = pluralRules.get(key).select(count);
  return fill(texts[`${name}.${form}`] ?? texts[`${name}.other`] ?? texts[name], { n: count });
}

/** A number with a number of decimals, as the reader writes it. */
export function localNumber(x, decimals = 0, useGrouping = false) {
  const key = `${locale} ${decimals} ${useGrouping}`;
  if (!formats.has(key)) {
    formats.set(key, new Intl.NumberFormat(locale, {
      minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping,
    }));
  }
  return formats.get(key).format(x);
}

/** Digits as JavaScript writes them, "1.50e-7", as the reader writes them. */
export function localDigits(written) {
  const [mantissa, exponent] = written.split("e");
  const decimals = mantissa.split(".")[1]?.length ?? 0;
  const digits = localNumber(Number(mantissa), decimals).replace("-", "−");
  return exponent ? `${digits}e${exponent.replace("-", "−")}` : digits;
}

export const threeDigits = (x) => (x === 0 ? "0" : localDigits(x.toPrecision(3)));

/** A probability in per cent, as the text above has it; only what is exactly so is none or all. */
export function percentWords(p) {
  const words = (value, decimals) => fill(signs.percent, { n: localNumber(value, decimals) });
  if (p <= 0 || p >= 1) return words(p <= 0 ? 0 : 100, 0);
  const value = 100 * p;
  for (const decimals of [1, 2, 3]) {
    const rounded = Number(value.toFixed(decimals));
    if (rounded > 0 && rounded < 100) return words(value, decimals);
  }
  return value < 1 ? `<\u00a0${words(0.001, 3)}` : `>\u00a0${words(99.999, 3)}`;
}
