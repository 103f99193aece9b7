// The keyboard in the picture: one tab stop for the words of each side, the blocks of each stack and the rows
// of a map; arrow keys lead to the nearest other one, and from the words into the blocks.

import { ARROWS } from "../component/keys.js";

const [WORDS, BLOCKS] = [".words button:not(.later)", ".blocks button"];
const KINDS = [WORDS, BLOCKS, ".inside .map", ".inside .row:enabled"];
const ASIDE = 3; // how much farther something seems that does not lie straight ahead

const kindOf = (node) => KINDS.find((kind) => node.matches(kind));
const middleOf = ({ offsetLeft, offsetTop, offsetWidth, offsetHeight }, isWord) =>
  (isWord ? [offsetTop, offsetLeft] : [offsetTop + offsetHeight / 2, offsetLeft + offsetWidth / 2]);

/** What has the focus is the tab stop of its group. */
export function keepTabStop({ root }, { target }) {
  const [kind, { side }] = [kindOf(target), target.dataset];
  if (!kind || kind === ".inside .map") return;
  for (const each of root.querySelectorAll(kind)) {
    if (each.dataset.side === side) each.tabIndex = each === target ? 0 : -1;
  }
}

/** Move the focus where an arrow key leads. */
export function moveFocus({ root }, event) {
  const [direction, kind] = [ARROWS[event.key], kindOf(event.target)];
  if (!direction || !kind || event.ctrlKey || event.metaKey || event.altKey) return;
  const [down, right] = direction;
  const leads = down && [WORDS, BLOCKS].includes(kind) ? (kind === WORDS ? BLOCKS : `${BLOCKS}, ${WORDS}`) : kind;
  const [y, x] = middleOf(event.target, kind === WORDS);
  const ahead = [...root.querySelectorAll(leads)].map((node) => {
    const [top, left] = middleOf(node, kindOf(node) === WORDS);
    const [along, aside] = [(top - y) * down + (left - x) * right, (top - y) * right + (left - x) * down];
    return { node, along, far: along + ASIDE * Math.abs(aside) };
  }).filter(({ along }) => along > 0).sort((one, other) => one.far - other.far);
  if (!ahead.length) return;
  event.preventDefault();
  ahead[0].node.focus();
}
