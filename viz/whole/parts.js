// What stands on the picture as elements: names, words, blocks to open, and the output.

import { fill, fillParts, localNumber, percentWords } from "../component/text.js";
import { element, tokenElement, word } from "../component/tokens.js";
import { litOf, shownOf } from "./drawing.js";
import { nameOf, titleTop, topOf } from "./layout.js";
import { largestOfBlock, largestOfToken } from "./payload.js";

const LEAST_ROOM = 40; // pixels of a layer that has room for what it would write
const LEAST_NAMED = 44; // pixels of a layer whose name is more than its number
const TIGHT = 17; // pixels between two words that are written upright
const TIGHT_WORD = 13; // their height with its border
const BAR = { high: 43, apart: 11, least: 64, most: 112 }; // pixels of a probable word
const MEMORY = { upper: 37, lower: 19 }; // pixels above the blocks where a narrow picture names what follows
const WORD = 78; // pixels of the height of words in a narrow picture
const LETTER = 8; // pixels
const HAN = /\p{Script=Han}/u; // what stands upright also in a vertical line
const CHIP = 16; // around a word that is written level

export function put(node, left, top) {
  node.style.left = `${Math.round(left)}px`;
  node.style.top = `${Math.round(top)}px`;
  return node;
}

/** What stacks, layers and sublayers are called. */
export function placeNames({ nodes, layout, view }) {
  const { texts } = view;
  const names = layout.stacks.flatMap((stack) => {
    const title = element("span", "stack", titleOf(stack, layout, view));
    const layers = [...new Set(stack.blocks.map(({ layer }) => layer))].map((layer) => {
      const own = stack.blocks.filter((block) => block.layer === layer);
      const isLow = own[0].lower - own.at(-1).upper < LEAST_NAMED;
      const name = element("span", "layer", isLow ? String(layer) : fill(texts.layer, { layer: String(layer) }));
      name.classList.toggle("upright", HAN.test(name.textContent));
      return put(name, stack.left - 132, layout.beside && own.some(({ crosses }) => crosses)
        ? (own[0].lower + own[0].upper) / 2 : (own[0].lower + own.at(-1).upper) / 2);
    });
    // Where there is no room beside the blocks, their names stand in them.
    const inside = stack.blocks.filter(({ lower, upper }) => lower - upper > 16).map((block) => {
      const name = fill(texts.in, { layer: String(block.layer), name: block.label });
      return put(element("span", "inside-name", name), stack.left, topOf(layout, block.upper, block.lower) + 2);
    });
    const kinds = stack.blocks.filter(hasName).map((block) => {
      const name = element("span", "kind", block.label);
      name.dataset.site = block.site;
      return put(name, stack.left - 8, nameHeight(block, layout));
    });
    const has = (what) => layout.stacks.some(({ blocks }) => blocks.some((block) => block[what]));
    const goes = stack.side === "source" && ((has("crosses") && texts.memory) || (has("begins") && texts.begins));
    const memory = goes ? [put(element("span", "memory", goes),
      layout.beside ? stack.right + 6 : stack.left - 4,
      layout.beside ? 2 : topOf(layout, stack.top - MEMORY.upper, stack.top - MEMORY.lower))] : [];
    return [
      put(title, stack.left - 4, titleTop(stack, layout)), ...memory,
      ...(layout.narrow ? inside : [...layers, ...kinds]),
    ];
  });
  nodes.names.replaceChildren(...names);
  if (layout.beside) fitTitles(nodes.names, layout, view);
}

/** A short sentence may be narrower than the name of its stack, and both stacks than their names. */
function fitTitles(names, layout, view) {
  const titles = [...names.querySelectorAll(".stack")];
  const endOf = ({ offsetLeft, offsetWidth }) => offsetLeft + offsetWidth;
  titles.forEach((title, at) => {
    const most = at ? layout.width : titles[1].offsetLeft - 8;
    if (endOf(title) > most) title.textContent = view.texts[nameOf(layout.stacks[at], layout, view)];
  });
  const memory = names.querySelector(".memory");
  if (!memory) return;
  put(memory, Math.max(memory.offsetLeft, endOf(titles[0]) + 10), 2);
  memory.hidden = endOf(memory) > titles[1].offsetLeft - 8;
}

/** What a stack is called and, where there is room, how many layers and heads it has. */
function titleOf(stack, layout, view) {
  const name = view.texts[nameOf(stack, layout, view)];
  const { blocks } = view.stacks.find(({ side }) => side === stack.side);
  const heads = Math.max(...blocks.map((block) => block.heads));
  if (!heads || layout.narrow) return name;
  const layers = new Set(blocks.map(({ layer }) => layer)).size;
  return fill(view.texts.size, { stack: name, layers: String(layers), heads: String(heads) });
}

/** Whether a block is high enough for its name. */
export const hasName = ({ lower, upper }) => lower - upper > 12;

/** Above the lines that come from the encoder. */
export const nameHeight = ({ upper, lower, crosses }, { beside }) =>
  (crosses && beside ? upper + Math.min(9, (lower - upper) / 2) : (upper + lower) / 2);

/** Words below their streams; those of the target lead to the step that feeds them. */
export function placeWords({ nodes, layout, view }) {
  const { texts } = view;
  layout.tight = !layout.flips && layout.stacks.some(({ unit }) => unit < TIGHT);
  nodes.words.classList.toggle("tight", layout.tight);
  const around = layout.flips ? 0 : CHIP;
  layout.level = layout.stacks.every(({ tokens, unit }) =>
    tokens.every(([text]) => LETTER * text.length + around < unit));
  nodes.words.classList.toggle("level", layout.level);
  const words = layout.stacks.flatMap((stack) => {
    const { side, tokens: { length } } = stack;
    const buttons = stack.tokens.map((label, index) => {
      const chip = tokenElement(label, side, index, "", texts);
      const button = element("button", chip.className, chip.textContent);
      Object.assign(button, { type: "button", dir: "auto", title: chip.title });
      Object.assign(button.dataset, { side, index });
      button.classList.toggle("changed", view.changed[side].has(index));
      return placeWord(button, stack, layout, index);
    });
    // What is written last is fed to no step: there is none to go to.
    const end = side === "target" && view.last ? view.best.at(-1).slice(0, 1) : [];
    return [...buttons, ...end.map(([text]) =>
      placeWord(tokenElement([text, 0], side, length, "", texts), stack, layout, length))];
  });
  nodes.words.replaceChildren(...words);
}

/** Where the picture flips, words stand above their streams, upright where one is wider than its column. */
function placeWord(node, { centre, bottom, unit }, layout, index) {
  // A corner of the box: the end of a slanted word, the left of an upright one.
  if (!layout.flips) return put(node, centre(index) + cornerOf(layout), bottom + 8);
  node.style.setProperty("--unit", `${Math.floor(unit) - 1}px`);
  return put(node, centre(index) - unit / 2, topOf(layout, bottom + 4, bottom + 4 + WORD));
}

/** From the middle of a word's column to the point where it hangs. */
function cornerOf({ level, tight }) {
  if (level) return 0;
  return tight ? -TIGHT_WORD / 2 : 8;
}

export function markWords(state) {
  const { nodes, layout } = state;
  for (const stack of layout.stacks) {
    const { side } = stack;
    const { count, active } = shownOf(stack, state);
    for (const button of nodes.words.querySelectorAll(`[data-side=${side}]`)) {
      const index = Number(button.dataset.index);
      button.classList.toggle("later", index > count || (index === count && state.stage !== Infinity));
      button.classList.toggle("next", index === count && side === "target" && state.stage === Infinity);
      button.classList.toggle("active", index === active);
      if (button.type) button.tabIndex = index === Math.max(0, active ?? 0) ? 0 : -1;
    }
    if (side === "target" && active !== null) markMasks(state, stack, active);
  }
}

/** Say in each masked block, over what is hatched, what the word that stands out may not look at. */
function markMasks(state, stack, active) {
  const from = stack.centre(active) + stack.unit / 2;
  for (const hides of state.nodes.blocks.querySelectorAll(".hides")) {
    hides.hidden = active < 0;
    hides.style.left = `${Math.round(from - stack.left + 5)}px`;
    hides.style.width = `${Math.round(stack.right - from)}px`;
  }
}

/** Scroll a picture that is wider than its room to the word that is fed. */
export function bringStepIntoView({ nodes: { columns }, layout, step }) {
  const decoder = layout.stacks.find(({ side }) => side === "target");
  if (!decoder || layout.width === layout.shown) return;
  const [x, { unit }] = [decoder.centre(Math.max(0, step - 1)), decoder];
  const isInView = x > columns.scrollLeft + unit && x < columns.scrollLeft + layout.shown - 2 * unit;
  if (!isInView) columns.scrollLeft = x - layout.shown / 2;
}

/** The strips for layers that have no room, as buttons that show these layers. */
export function foldButtons({ layout, view: { texts } }) {
  return layout.stacks.flatMap((stack) => stack.folds.map(({ from, to, lower, upper, opens }) => {
    const name = fill(texts.folded, { first: String(from), last: String(to) });
    const button = element("button", "fold", name);
    Object.assign(button, { type: "button", title: texts["folded.help"] });
    Object.assign(button.dataset, { side: stack.side, opens });
    button.style.width = `${Math.round(stack.right - stack.left + 8)}px`;
    button.style.height = `${Math.round(lower - upper)}px`;
    button.tabIndex = -1;
    return put(button, stack.left - 4, topOf(layout, upper, lower));
  }));
}

/** A block is a button: it says what it does, and opens. */
export function placeBlocks(state) {
  const { nodes, layout, view } = state;
  const blocks = layout.stacks.flatMap((stack) => stack.blocks.map((block, index) => {
    const button = element("button", "");
    if (block.masked) {
      const hides = element("span", "hides");
      hides.append(element("span", "", view.texts.hidden));
      button.append(hides);
    }
    Object.assign(button, { type: "button", tabIndex: index ? -1 : 0 });
    Object.assign(button.dataset, { site: block.site, side: stack.side });
    button.setAttribute("aria-expanded", false);
    button.title = block.name;
    const right = stack.tiles ?? stack.right;
    button.style.width = `${Math.round(right - stack.left + 8 + (stack.tiles ? 58 : 0))}px`;
    button.style.height = `${Math.round(block.lower - block.upper)}px`;
    return put(button, stack.left - 5, topOf(layout, block.upper, block.lower));
  }));
  nodes.blocks.replaceChildren(...blocks, ...foldButtons(state));
}

/** Say of each block what it does in the steps that are shown. */
export function nameBlocks(state) {
  const { nodes, layout, view } = state;
  for (const stack of layout.stacks) {
    const rows = Math.max(1, shownOf(stack, state).count);
    for (const block of stack.blocks) {
      const button = nodes.blocks.querySelector(`[data-site="${block.site}"]`);
      const finding = blockFinding(block, stack, view, { rows: Math.min(rows, block.queries) });
      button.ariaLabel = `${block.name}. ${finding}`;
    }
  }
}

/** The largest weight of an attention or of one head, or to which word another sublayer adds most. */
export function blockFinding(block, stack, view, { rows = block.queries, head = null } = {}) {
  const { texts } = view;
  if (block.heads) {
    const { query, key, weight } = largestOfBlock(block, rows, head);
    if (weight < 0) return texts[head === null ? "silenced" : "off"];
    const keys = block.crosses ? view.source : stack.tokens;
    const others = block.silent.size && head === null ? "largest.others" : null;
    return fill(texts[others ?? (block.masked && rows > 1 ? "largest.masked" : "largest")], {
      query: stack.tokens[query][0], key: keys[key][0], weight: localNumber(weight, 2),
    });
  }
  const most = block.added.indexOf(Math.max(...block.added.slice(0, rows)));
  return fill(texts.adds, { token: stack.tokens[most][0], norm: localNumber(block.added[most], 1) });
}

/** The most probable next words above the decoder, and what each layer would write; of an encoder alone, guesses at a masked word. */
export function drawOutput(state) {
  const { nodes, layout, view, step, stage } = state;
  const { texts } = view;
  const decoder = layout.stacks.find(({ side }) => side === "target");
  const writer = layout.stacks.at(-1);
  const done = stage === Infinity && (view.best[step - 1] ?? view.fills[litOf(state)]);
  const parts = [];
  if (done) {
    const most = Math.max(2, Math.floor((layout.shown - writer.left) / BAR.least));
    const named = done.slice(0, most - 1);
    const others = 1 - named.reduce((sum, [, share]) => sum + share, 0);
    const entries = others > 0.0005 ? [...named, [texts.others, others]] : named;
    const wide = Math.min(BAR.most, (layout.shown - writer.left) / entries.length);
    const lower = writer.highest - BAR.apart;
    const top = topOf(layout, lower - BAR.high, lower);
    for (const [rank, [text, share]] of entries.entries()) {
      const bar = element("div", rank ? "bar" : "bar best");
      bar.classList.toggle("true", view.isForced && text === view.truth[step - 1]?.[0]);
      const filled = element("i", "");
      filled.style.width = `${Math.max(2, (wide - 10) * share)}px`;
      bar.append(filled, rank < named.length ? word(text) : element("em", "", text), element("span", "", percentWords(share)));
      bar.style.width = `${wide - 6}px`;
      parts.push(put(bar, writer.left + rank * wide, top));
    }
  }
  if (decoder && step > 0 && !layout.narrow && nodes.slow.checked) parts.push(...guessesOf(state, decoder));
  nodes.output.replaceChildren(...parts);
  for (const guess of nodes.output.querySelectorAll(".guess")) {
    const most = layout.width - guess.offsetWidth;
    if (guess.offsetLeft > most) guess.style.left = `${most}px`;
  }
}

function guessesOf({ view, step, stage, layout }, decoder) {
  const layers = [...new Set(decoder.blocks.map(({ layer }) => layer))];
  // The last layer writes what stands on top.
  return layers.slice(0, -1).flatMap((layer) => {
    const own = decoder.blocks.filter((block) => block.layer === layer);
    const guess = view.guesses[layer]?.[step - 1];
    const isLow = own[0].lower - own.at(-1).upper < LEAST_ROOM;
    if (!guess || isLow || stage < decoder.blocks.indexOf(own.at(-1)) + 1) return [];
    const node = element("span", "guess");
    node.append(...fillParts(view.texts.guess, { layer: String(layer) }), " ", word(guess[0]), ` ${percentWords(guess[1])}`);
    return [put(node, decoder.centre(step - 1) + 10, own.at(-1).upper + 9)];
  });
}

/** Name the steps to go along, their slider and the buttons beside it. */
export function nameWalk({ nodes, view: { texts } }) {
  for (const name of ["walk", "previous", "following"]) nodes[name].setAttribute("aria-label", texts[name]);
  nodes.slider.setAttribute("aria-label", texts.walk);
}

/** Show where it stands among the steps, and say so. */
export function drawWalk({ nodes: { said, slider, previous, following }, walk }, words) {
  const [at, last] = [walk.at(), walk.last()];
  said.replaceChildren(...words);
  slider.style.setProperty("--at", `${(100 * at) / Math.max(1, last)}%`);
  slider.setAttribute("aria-valuemax", last);
  slider.setAttribute("aria-valuenow", at);
  slider.setAttribute("aria-valuetext", said.textContent);
  previous.disabled = at === 0;
  following.disabled = at === last;
}

/** What happens at the step, in words, and below it where the word that was clicked looks. */
export function sayStep(state) {
  const { view, step, stage, saysFocus, layout } = state;
  const focus = litOf(state);
  const looked = saysFocus ? lookOf(layout.stacks[0], focus, view.texts) : [];
  const lines = [stepParts(view, step, stage, focus), looked].filter(({ length }) => length).map((parts) => {
    const line = element("span", "");
    line.append(...parts);
    return line;
  });
  return lines.flatMap((line, at) => (at ? [" ", line] : [line]));
}

/** Where a word looks most, in words. */
function lookOf(stack, token, texts) {
  const { weight, key, head, block } = largestOfToken(stack, token);
  if (!block) return [];
  return fillParts(texts.looks, {
    query: word(stack.tokens[token][0]), key: word(stack.tokens[key][0]), weight: percentWords(weight),
    layer: String(block.layer), head: String(head),
  });
}

function stepParts(view, step, stage, focus) {
  const { texts } = view;
  if (view.stacks.every(({ side }) => side === "source")) return filledParts(view, focus);
  if (!view.last) return [texts["at.parallel"]];
  if (!step) return [texts[view.source.length ? "at.encoder" : "at.none"]];
  const [written, probability] = view.best[step - 1][0];
  const [truth, chance] = view.truth[step - 1] ?? [];
  const name = step <= view.given ? "at.given" : sentenceOf(truth, written);
  return fillParts(texts[stage === Infinity ? name : "at.slow"], {
    step: String(step), last: String(view.last), fed: word(view.fed[step - 1][0]),
    written: word(written), probability: percentWords(probability), next: word(view.fed[step]?.[0] ?? ""),
    truth: word(truth ?? ""), chance: percentWords(chance ?? 0),
  });
}

/** What an encoder alone guesses in the place of a masked word. */
function filledParts({ source, fills, texts }, focus) {
  if (!fills[focus]) return [texts["at.alone"]];
  const [[written, probability]] = fills[focus];
  return fillParts(texts["at.filled"], {
    masked: word(source[focus][0]), written: word(written), probability: percentWords(probability),
  });
}

function sentenceOf(truth, written) {
  if (truth === undefined) return "at";
  return truth === written ? "at.forced" : "at.differs";
}

const MOST_COLOURS = 8; // heads whose colours are named

/** Which colour is which head, and what lines and bars are. */
export function placeNote({ nodes, layout, view }) {
  const { texts, stacks, changed } = view;
  const heads = Math.max(0, ...stacks.flatMap(({ blocks }) => blocks.map((block) => block.heads)));
  const colours = Array.from({ length: heads > MOST_COLOURS ? 0 : heads }, (_, head) => {
    const node = element("span", "of-colour");
    const colour = element("span", "line-colour");
    colour.style.background = `var(--lab-head-${head % 16})`;
    node.append(colour, fill(texts.head, { head: String(head) }));
    return node;
  });
  const hasChanged = changed.source.size + changed.target.size > 0;
  const line = heads && texts[layout.flips ? "legend.down" : "legend"];
  const said = [
    texts.bars, heads && !layout.narrow && texts.tiles, texts.special, hasSpaces(view) && texts.space,
    hasChanged && texts.changed,
  ]
    .filter(Boolean).map((text) => element("span", "", text));
  const hasMask = stacks.some(({ blocks }) => blocks.some(({ masked }) => masked));
  const lines = line ? [element("span", "first", line)] : [];
  nodes.note.replaceChildren(...lines, ...colours, ...(hasMask ? [maskNote(texts)] : []), ...said);
}

/** Whether a word that is written is told from another of the same letters by its space. */
const hasSpaces = ({ best, guesses, truth }) =>
  [...best.flat(), ...guesses.flat(), ...truth].some(([text]) => text.startsWith("␣"));

/** How what a mask hides is drawn. */
function maskNote(texts) {
  const node = element("span", "of-colour mask");
  node.append(element("span", "swatch"), texts.masked);
  return node;
}
