// The distribution over the next token as bars, and its numbers.

import { fill, listed } from "../component/text.js";
import { element, FLAGS } from "../component/tokens.js";
import { middle, numberWords, percentWords } from "./payload.js";

/** As many rows as the longest step needs, so that nothing below moves; old ones are kept. */
export function drawRows(column, { rows }) {
  const free = column.name === "free";
  while (column.bars.childElementCount > rows) column.bars.lastElementChild.remove();
  while (column.bars.childElementCount < rows) column.bars.append(newRow(free));
}

function newRow(clickable) {
  const row = element(clickable ? "button" : "div", "option");
  if (clickable) row.type = "button";
  const signs = element("span", "signs");
  signs.append(element("i", "mark true"), element("i", "mark chosen"));
  const track = element("span", "track");
  track.append(element("i", "fill"));
  const name = element("span", "name token");
  name.dir = "auto";
  row.append(signs, name, element("span", "number"), track);
  return row;
}

export function drawBars({ bars, numbers, name }, view, step) {
  [...bars.children].forEach((node, i) => drawRow(node, step.rows[i], i, name, view));
  drawNumbers(numbers, name, view, step);
}

function drawRow(node, row, i, side, { texts }) {
  node.classList.toggle("absent", !row);
  if (!row) return;
  const [, name, number, track] = node.children;
  const text = row.others ? texts.others : row.label[0];
  name.textContent = middle(text, 12);
  name.title = name.textContent === text ? "" : text;
  name.classList.toggle("special", Boolean(row.others || row.label[1] & FLAGS.special));
  track.firstElementChild.style.width = `${100 * Math.min(1, row.probability)}%`;
  number.textContent = percentWords(row.probability);
  number.title = numberWords(row.probability);
  node.classList.toggle("chosen", Boolean(row.chosen));
  node.classList.toggle("true", Boolean(row.true));
  node.classList.toggle("others", Boolean(row.others));
  if (side !== "free") return;
  const forces = row.token !== undefined && !row.chosen;
  // Not `disabled`, which would take the focus away from a bar that was just clicked.
  node.setAttribute("aria-disabled", !forces);
  node.dataset.token = forces ? row.token : "";
  node.tabIndex = i ? -1 : 0;
  node.setAttribute("aria-label", listed([
    text, number.textContent, row.chosen && texts.chosen, row.true && texts.true,
    forces && fill(texts.force, { token: text }),
  ].filter(Boolean)));
}

/** Chosen and true with their marks, which explains the marks too, and the entropy. */
function drawNumbers(node, side, { texts }, step) {
  const word = (label) => element("bdi", "token", middle(label[0], 14));
  const figure = (kind, name, ...parts) => {
    const part = element("span", "figure");
    if (kind) part.append(element("i", `mark ${kind}`));
    part.append(`${name} `, ...parts);
    return part;
  };
  const value = (x) => element("b", "", numberWords(x));
  const share = (x) => Object.assign(element("b", "", percentWords(x)), { title: numberWords(x) });
  const { chosen, true: truth } = step;
  const parts = [figure("chosen", texts[side === "free" ? "chosen" : "chosen.forced"],
    word(chosen.label), " ", share(chosen.probability))];
  if (truth) {
    parts.push(figure("true", texts.true, word(truth.label), " ", share(truth.probability),
      ` ${fill(texts.rank, { rank: truth.rank + 1 })}`));
  }
  parts.push(figure("", texts.entropy, value(Math.max(0, step.entropy)), ` ${texts.nats}`));
  node.replaceChildren(...parts);
}
