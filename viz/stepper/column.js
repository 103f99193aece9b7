// One column: what was fed, what came next as bars, what was looked at, what was appended.

import { CSS_COLOURS } from "../component/scale.js";
import { fill, listed, middle, percentWords } from "../component/text.js";
import { element, FLAGS, inWords, tokenElement } from "../component/tokens.js";
import { numberWords, rowsOf, sameLabel, weightsOf } from "./payload.js";

export const SIDES = ["free", "forced"];

/** The parts of a column, made once; `name` is free or forced. */
export function newColumn(node, name) {
  const column = { node, name };
  const row = (key, ...parts) => {
    column[`${key}Name`] = element("span", "row-name");
    const line = element("div", `row ${key}`);
    const content = element("div", "content");
    content.append(...parts);
    line.append(column[`${key}Name`], content);
    return line;
  };
  column.title = element("h3", "title");
  column.ended = element("span", "ended");
  column.fed = element("div", "chips");
  column.bars = element("div", "bars");
  column.numbers = element("p", "numbers");
  column.captions = { source: element("p", "caption"), target: element("p", "caption") };
  column.strips = { source: element("div", "strip source"), target: element("div", "strip target") };
  for (const strip of Object.values(column.strips)) {
    strip.tabIndex = 0;
    strip.setAttribute("role", "group");
  }
  column.appended = { chip: element("span", ""), note: element("span", "quiet") };
  const { captions, strips } = column;
  node.replaceChildren(
    column.title, row("fed", column.fed), row("next", column.bars, column.numbers),
    row("looks", captions.source, strips.source, captions.target, strips.target),
    row("appended", ...Object.values(column.appended)));
  return column;
}

/** Everything that does not depend on the step. What comes later keeps its place from the start. */
export function drawColumn(column, view) {
  const { texts } = view;
  const side = view.sides[SIDES.indexOf(column.name)];
  column.node.hidden = !side;
  column.side = side;
  if (!side) return;
  column.title.replaceChildren(texts[column.name], column.ended);
  for (const key of ["fed", "next", "looks", "appended"]) column[`${key}Name`].textContent = texts[key];
  const chips = side.fed.map((label, i) => fedChip(column, view, label, i));
  column.fed.replaceChildren(...inWords(chips));
  column.chips = chips;
  column.captions.source.textContent = texts["looks.source"];
  column.captions.target.textContent = texts["looks.prefix"];
  column.looks = {
    source: view.source.map((label, i) => lookCell(label, "source", i, texts)),
    target: view.crossOnly ? [] : side.fed.map((label, i) => lookCell(label, "target", i, texts)),
  };
  column.captions.target.hidden = column.strips.target.hidden = view.crossOnly;
  column.captions.source.hidden = column.strips.source.hidden = view.selfOnly;
  for (const [name, strip] of Object.entries(column.strips)) {
    strip.replaceChildren(...column.looks[name]);
    strip.setAttribute("aria-label", texts[name === "source" ? "looks.source" : "looks.prefix"]);
  }
  drawRows(column, view);
}

function fedChip({ name }, { sides, texts, before }, label, i) {
  const chip = tokenElement(label, "target", i, "chip", texts);
  const true_ = sides[1]?.fed[i];
  const byHand = name === "free" && Boolean(sides[0].steps[i - 1 - before]?.overridden);
  const differs = name === "free" && true_ && !sameLabel(label, true_);
  // What was put in is marked as that alone: that it differs goes without saying.
  chip.classList.toggle("differs", Boolean(differs) && !byHand);
  chip.classList.toggle("by-hand", byHand);
  return chip;
}

function lookCell(label, side, index, texts) {
  const node = element("span", "look");
  Object.assign(node.dataset, { side, index });
  const [text, flags] = label;
  node.append(element("i", "cell"), tokenElement([middle(text, 16), flags], side, index, "name", texts));
  return node;
}

/** One step of a column; a side that ended earlier stays at its last. */
export function drawColumnStep(column, state) {
  const { side, name } = column;
  if (!side) return;
  const { view, step, layer, head } = state;
  const steps = side.steps.length;
  const at = Math.min(step, steps - 1);
  column.at = at;
  column.node.classList.toggle("over", step >= steps);
  column.ended.textContent = step < steps ? "" : fill(view.texts.ended, { number: steps });
  // Where nothing looks back, no mask hides what comes later: it is not there yet.
  const later = name === "free" || view.crossOnly ? "later" : "masked";
  const last = at + view.before;
  column.chips.forEach((chip, i) => {
    chip.classList.toggle(later, i > last);
    chip.classList.toggle("now", i === last);
  });
  for (const kind of ["source", "target"]) {
    const weights = weightsOf(side[kind], view, layer, head, at, steps);
    column.looks[kind].forEach((look, i) => {
      const hidden = kind === "target" && i > last;
      if (kind === "target") look.classList.toggle(later, hidden);
      look.firstElementChild.style.backgroundColor =
        hidden ? "" : CSS_COLOURS[Math.round(weights[i] / 257)];
    });
  }
  drawBars(column, view, side.steps[at]);
  drawAppended(column, view, side.steps[at], at);
}

/** What the next step is fed: what was chosen, or with teacher forcing the true word. */
export const nextLabel = (name, side, { true: truth, chosen }, next) =>
  (name === "forced" ? truth?.label ?? side.fed[next] ?? chosen.label : chosen.label);

/** What the next step is fed. */
function drawAppended({ appended, name, side }, { texts, before }, step, at) {
  const forced = name === "forced";
  const next = at + 1 + before;
  const label = nextLabel(name, side, step, next);
  const chip = tokenElement(label, "target", next, "chip", texts);
  chip.classList.toggle("by-hand", !forced && step.overridden);
  chip.classList.remove("continues");
  appended.chip.replaceChildren(chip);
  appended.note.textContent =
    forced ? texts["appended.true"] : step.overridden ? texts.overridden : "";
}

/** As many rows as the longest step needs, so that nothing below moves; old ones are kept. */
function drawRows(column, view) {
  const free = column.name === "free";
  const rows = view.unfolded ? view.most : view.few;
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

function drawBars({ bars, numbers, name }, view, step) {
  const rows = rowsOf(step, view);
  [...bars.children].forEach((node, i) => drawRow(node, rows[i], i, name, view));
  drawNumbers(numbers, name, view, step);
}

function drawRow(node, row, i, side, view) {
  const { texts } = view;
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
  const folds = row.others && view.most > view.few;
  // Not `disabled`, which would take the focus away from a bar that was just clicked.
  node.setAttribute("aria-disabled", !(forces || folds));
  if (folds) node.setAttribute("aria-expanded", view.unfolded);
  else node.removeAttribute("aria-expanded");
  node.dataset.token = forces ? row.token : "";
  node.tabIndex = i ? -1 : 0;
  node.setAttribute("aria-label", listed([
    text, number.textContent, row.chosen && texts.chosen, row.true && texts.true,
    forces && fill(texts.force, { token: text }), folds && foldWords(view),
  ].filter(Boolean)));
}

/** What a click on the row of all others does. */
export const foldWords = ({ texts, unfolded }) => (unfolded ? texts.fewer : texts.more);

/** Chosen and true with their marks, which explains the marks too. */
function drawNumbers(node, side, { texts }, step) {
  const word = (label) => element("bdi", "token", middle(label[0], 14));
  const figure = (kind, name, ...parts) => {
    const part = element("span", "figure");
    if (kind) part.append(element("i", `mark ${kind}`));
    part.append(`${name} `, ...parts);
    return part;
  };
  const share = (x) => Object.assign(element("b", "", percentWords(x)), { title: numberWords(x) });
  const { chosen, true: truth } = step;
  const parts = [figure("chosen", texts[side === "free" ? "chosen" : "chosen.forced"],
    word(chosen.label), " ", share(chosen.probability))];
  if (truth) {
    parts.push(figure("true", texts.true, word(truth.label), " ", share(truth.probability),
      ` ${fill(texts.rank, { rank: truth.rank + 1 })}`));
  }
  node.replaceChildren(...parts);
}
