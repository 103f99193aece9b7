// Elements of HTML and SVG, and tokens as elements. Text only by textContent.

import { isolated } from "./text.js";

const CHIP_LINE = 28; // pixels
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/; // Hebrew, Arabic and their kin
export const FLAGS = { special: 1, unknown: 2, continues: 4, given: 8 };

export function element(tag, className, text = "") {
  const node = document.createElement(tag);
  node.className = className;
  node.textContent = text;
  return node;
}

/** A token within a sentence, and such a sentence for those who listen. */
export const word = (text) => element("bdi", "", text);
export const spokenOf = (node) => Array.from(node.childNodes, (part) =>
  (part.nodeName === "BDI" ? isolated(part.textContent) : part.textContent)).join("");

/** A token as an element that knows which token it is. */
export function tokenElement([text, flags], side, index, className, texts) {
  const names = Object.keys(FLAGS).filter((name) => flags & FLAGS[name]);
  const node = element("span", [className, "token", side, ...names].join(" "), text);
  node.dir = "auto";
  node.dataset.side = side;
  node.dataset.index = index;
  if (flags & FLAGS.unknown) node.title = texts.unknown;
  return node;
}

/** Chips, those of one word in one element: they stay together when the line breaks. */
export function inWords(chips) {
  const parts = [];
  for (const chip of chips) {
    if (!parts.length || !chip.classList.contains("continues")) {
      parts.push(chip);
    } else if (parts.at(-1).className === "word") {
      parts.at(-1).append(chip);
    } else {
      const word = element("span", "word");
      word.append(parts.pop(), chip);
      parts.push(word);
    }
  }
  for (const part of parts) {
    // Its pieces have directions of their own, which "auto" does not look at.
    if (part.className === "word" && RIGHT_TO_LEFT.test(part.textContent)) part.dir = "rtl";
  }
  return parts;
}

/** Scroll a long sentence, and nothing but the sentence, to one of its chips: below a whole line. */
export function bringIntoView(chip) {
  const box = chip?.closest(".chips");
  if (!box || box.scrollHeight <= box.clientHeight) return;
  const [top, bottom] = [chip.offsetTop, chip.offsetTop + chip.offsetHeight];
  const inView = top >= box.scrollTop && bottom <= box.scrollTop + box.clientHeight;
  if (!inView) box.scrollTop = top - CHIP_LINE;
}
