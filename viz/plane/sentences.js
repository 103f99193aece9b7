// The two sentences above: chips, which can be chosen where the page answers.

import { fill } from "../component/text.js";
import { bringIntoView, inWords, tokenElement } from "../component/tokens.js";

const SEEN_AT_ONCE = 160; // words; more than the lines shown of a long sentence can hold

/** Chips of both sentences; they stay until other words come. */
export function drawSentences(state) {
  const { view, find } = state;
  const { texts, picks } = view;
  const said = JSON.stringify([view.source, view.target, texts, picks]);
  if (state.sentences === said) return;
  state.sentences = said;
  state.chips = {};
  for (const side of ["source", "target"]) {
    const node = find(`.chips.${side}`);
    find(`.side.${side}`).textContent = texts[side];
    const chips = view[side].map((label, i) => tokenElement(label, side, i, "chip", texts));
    if (texts["words.help"]) {
      node.setAttribute("role", "group");
      node.setAttribute("aria-label", fill(texts["words.help"], { side: texts[side] }));
    }
    if (picks) chips.forEach((chip, i) => makeButton(chip, i >= view.fed[side], texts));
    addChips(node, chips);
    state.chips[side] = chips;
  }
}

function addChips(node, chips) {
  const parts = inWords(chips);
  node.replaceChildren(...parts.slice(0, SEEN_AT_ONCE));
  // The rest lies below the edge of the scrolled box: it comes after the picture is on the screen.
  const late = parts.slice(SEEN_AT_ONCE);
  const add = () => {
    if (parts[0].parentNode !== node) return;
    node.append(...late);
    bringIntoView(node.querySelector('[aria-pressed="true"], [aria-current="true"]'));
  };
  if (late.length) requestAnimationFrame(() => setTimeout(add));
  node.parentElement.hidden = !chips.length;
}

function makeButton(chip, isLast, texts) {
  chip.setAttribute("role", "button");
  if (!isLast) return;
  chip.setAttribute("aria-disabled", "true");
  chip.title = texts.last;
}
