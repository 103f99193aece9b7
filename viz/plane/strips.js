// One word through all heads: a strip of cells for each, its name before it, its largest behind it.

import {
  figureStyle, figureSvg, figureTextWidth, fileNameOf, nameTools, svgChip, svgMoved, svgNode,
  svgText,
} from "../component/figure.js";
import { movedBy } from "../component/keys.js";
import { isRecent } from "../component/mount.js";
import { deviceRatio, magnified, windowRoom } from "../component/pixels.js";
import {
  AXIS, axisToken, cellLayout, LABEL, shortened, SLANT, windowHeight,
} from "../component/plot.js";
import { fill, fillParts, joined, joinedTitles, middle } from "../component/text.js";
import { bringIntoView, element } from "../component/tokens.js";
import { largestOfBlock } from "./cells.js";
import { reachable } from "./events.js";
import { drawSentences } from "./panel.js";
import { valueText } from "./payload.js";
import { pictureFoot, svgPanel } from "./picture.js";
import { accept } from "./plane.js";
import { heightsOfLabels, NARROW, SLANTED } from "./sizes.js";

const BRIEF = 32; // letters of a token in a title
const STRIP = { height: 22, gap: 4, most: 16 }; // strips seen at once
const FROM_AFAR_STRIP = { height: 16, gap: 2, most: 12 };
const TOP = { arrow: 20, gap: 12, weight: 64 }; // beside a strip: the token looked at most
const ABOVE = { height: 44, line: 20, gap: 24, most: 16 }; // on a phone: a strip below its name
const BESIDE = { gap: 36, smallest: 14 }; // groups side by side, and the smallest cell there
const SCROLLBAR = 16;

export const strips = {
  mark: "strips-drawn",
  receive: receiveStrips,
  layout: stripsLayout,
  place(state) {
    const { nodes, figures, layout } = state;
    nodes.figures.classList.toggle("stacked", layout.stacked);
    figures.forEach(({ figure, box, names, tops }, index) => {
      figure.classList.toggle("above", layout.panels[index].above);
      [box.scrollTop, names.hidden, tops.hidden] = [0, false, false];
    });
  },
  names({ view: { panels, texts } }, index) {
    const { title } = panels[index];
    return [title, fill(texts["cells.help"], { title })];
  },
  drawPanel: drawStrips,
  draw(state) {
    const { view, nodes } = state;
    drawSentences(state);
    nodes.remark.hidden = false;
    nodes.remark.textContent = joined(view.note, view.picks && view.texts.hint);
    nameTools(nodes.tools, stripsTitle(view), view.texts);
    for (const figure of state.figures) figure.tools.hidden = true;
    nodes.tools.hidden = false;
    const { side, index } = state.pending ?? view;
    markFollowed(state, side, index);
    if (state.announced != null && state.announced !== `${view.side} ${view.index}`) {
      nodes.live.textContent = joinedTitles(view.panels.map(({ title }) => title));
    }
    state.announced = `${view.side} ${view.index}`;
  },
  click(state, target) {
    const token = target.closest("[data-side]");
    const strip = target.closest(".strip");
    if (token) follow(state, token.dataset.side, Number(token.dataset.index));
    if (strip && state.view.picks) {
      const { kind, layer, head } = strip.dataset;
      state.send("strip", { kind, layer: Number(layer), head: Number(head) });
    }
  },
  key(state, event) {
    if (event.target.matches(".chip")) keyOnChip(state, event);
    if (event.target.matches(".strip")) keyOnStrip(event);
  },
  pictures(state) {
    return { svg: stripsPicture(state), name: fileNameOf(stripsTitle(state.view), state.view.texts.file) };
  },
};

/** Take over other strips; what was clicked meanwhile stays chosen. */
function receiveStrips(state, view) {
  const { side, index, texts, direction } = view;
  const { pending } = state;
  const sentences = JSON.stringify([view.source, view.target]);
  const late = pending && sentences === state.followedIn && isRecent(pending.since)
    && (side !== pending.side || index !== pending.index);
  if (!late) state.pending = null;
  state.followedIn = sentences;
  // The last target token is predicted and never fed: it looks at nothing.
  view.fed = { source: view.source.length, target: view.target.length - 1 };
  view.followed = { axis: side, link: index, label: view[side][index] };
  for (const panel of view.panels) {
    panel.title = fill(
      texts[`title.${direction}.${panel.kind}`], { token: middle(view.followed.label[0], BRIEF) });
  }
  accept(state, view);
}

const stripsTitle = ({ texts, direction, followed }) =>
  fill(texts[`picture.${direction}`], { token: middle(followed.label[0], BRIEF) });

const arrowOf = ({ direction }) => (direction === "at" ? "→" : "←");

/** All groups, side by side where their cells stay large enough, else one below the other. */
function stripsLayout({ width, view, measure }) {
  const { panels } = view;
  const each = (room) => panels.map((panel) => groupLayout(room, panel, measure));
  const share = (width - BESIDE.gap * (panels.length - 1)) / panels.length;
  const beside = each(share);
  const stacked = panels.length > 1
    && (width < 900 || beside.some(({ columnStep }) => columnStep < BESIDE.smallest));
  const layouts = stacked ? each(width) : beside;
  const top = stacked ? null : Math.max(...layouts.map((layout) => layout.top));
  return {
    stacked, ratio: deviceRatio(),
    sizes: panels.map(() => ({ longest: LABEL.longest })),
    panels: layouts.map((layout) => ({ ...layout, top: top ?? layout.top })),
  };
}

/** One group: its cells, how its labels turn, and which of them there is room for. */
function groupLayout(width, { rows, columns, rowAxis, columnAxis }, { textWidth, nameWidth }) {
  const widest = Math.min(LABEL.longest, Math.max(...columnAxis.labels.map(textWidth)));
  const names = Math.max(...rowAxis.labels.map(([name]) => nameWidth(name))) + LABEL.gap + 8;
  const beside = TOP.gap + TOP.arrow + widest + TOP.weight;
  // On a phone there is room for cells and their labels only where nothing stands beside them.
  const above = width < NARROW;
  const [left, tops] = above ? [0, Math.min(beside, width - names)] : [names, beside];
  const afar = !above && magnified() > 1;
  const { height, gap, most } = above ? ABOVE : afar ? FROM_AFAR_STRIP : STRIP;
  const whole = rows * height;
  const available = above ? windowRoom() * 0.75 : windowHeight();
  // A strip that is cut in half shows that there are more.
  const cut = (Math.floor(available / height) - 0.5) * height;
  const visibleHeight = rows <= most ? whole : Math.min(whole, cut);
  const overhang = above ? Math.ceil(widest * SLANT) : tops;
  const scrollbar = visibleHeight < whole ? SCROLLBAR : 0;
  const room = Math.max(60, width - left - (above ? 0 : tops) - scrollbar);
  const fitting = (right) => cellLayout(room - right, Infinity, { rows: 1, columns }, deviceRatio());
  const roomy = fitting(0);
  // What hangs over of slanted labels has no names beside it to hang over.
  const slanted = above ? fitting(overhang) : roomy;
  let [angle, cells] = [90, roomy];
  if (widest + 4 <= roomy.perToken) angle = 0;
  // Slanted labels read best, and need a line's height between them.
  else if (slanted.perToken >= SLANTED) [angle, cells] = [45, slanted];
  const { perToken } = cells;
  return {
    ...cells, above, rowPool: 1, down: rows, cellWidth: cells.size, cellHeight: height,
    rowStep: height, columnStep: perToken, angle, left, widest, tops, whole, figure: width,
    overhang: above ? width - cells.width : tops, height: visibleHeight, zoomable: false,
    labelSize: LABEL.size, rowEvery: 1,
    columnEvery: Math.max(1, Math.ceil(LABEL.size / perToken)),
    top: AXIS + Math.ceil(heightsOfLabels(widest)[angle]) + LABEL.gap,
    pixels: {
      "--whole": whole, "--tops": tops, "--token": widest,
      "--strip-gap": gap, "--line": above ? ABOVE.line : 0,
      "--names": above ? names : left, "--tops-left": above ? names : left + cells.width,
    },
  };
}

/** Title, and what each strip is called and looks at most. */
function drawStrips(state, index) {
  const { view, figures } = state;
  const panel = view.panels[index];
  const figure = figures[index];
  const [text] = view.followed.label;
  const token = element("bdi", "", middle(text, BRIEF));
  token.title = text;
  figure.caption.replaceChildren(
    ...fillParts(view.texts[`title.${view.direction}.${panel.kind}`], { token }));
  figure.names.setAttribute("aria-label", panel.title);
  drawNames(view, panel, figure.names);
  figure.tops.replaceChildren(...panel.heads.map((_, strip) => topOf(state, panel, strip)));
}

/** Buttons by place, not by head: the keyboard's focus stays where it is. */
function drawNames({ texts, picks }, panel, names) {
  while (names.children.length > panel.rows) names.lastElementChild.remove();
  while (names.children.length < panel.rows) {
    const button = element("button", "strip");
    button.type = "button";
    button.tabIndex = names.children.length ? -1 : 0;
    names.append(button);
  }
  [...names.children].forEach((button, strip) => {
    const [name] = panel.rowAxis.labels[strip];
    const [layer, head] = panel.heads[strip];
    button.textContent = name;
    button.disabled = !picks;
    button.setAttribute("aria-label", picks ? fill(texts.open, { name }) : name);
    Object.assign(button.dataset, { kind: panel.kind, layer, head });
  });
}

/** The column with a strip's largest weight. */
const strongest = (panel, strip) => largestOfBlock(
  panel, { row: strip, column: 0, rows: 1, columns: panel.columns, pool: panel.columns, rowPool: 1 }, 0, 0)[1];

/** The token that a strip looks at most, and how much. */
function topOf({ view, measure }, panel, strip) {
  const column = strongest(panel, strip);
  const { labels, side } = panel.columnAxis;
  const node = element("div", "top");
  node.append(
    element("span", "arrow", arrowOf(view)),
    axisToken(labels[column], side, column, view.texts, measure.textWidth),
    element("b", "", valueText(panel, view.texts, strip, column)));
  return node;
}

/** Which chip is chosen; Tab leads to it, and in the other sentence to where the keyboard was. */
function markFollowed(state, side, index) {
  // Where nothing can be chosen, chips are no buttons, which alone can be pressed.
  const name = state.view.picks ? "aria-pressed" : "aria-current";
  for (const [of, chips] of Object.entries(state.chips)) {
    chips.forEach((chip, i) => chip.setAttribute(name, of === side && i === index));
    if (of === side) reachable(chips, index);
    else if (!chips.some((chip) => chip.tabIndex === 0)) reachable(chips, 0);
  }
  bringIntoView(state.chips[side][index]);
}

/** Follow another word: its chip is marked at once, the strips come from the server. */
function follow(state, side, index) {
  if (!state.view.picks || index >= state.view.fed[side]) return;
  state.pending = { side, index, since: performance.now() };
  markFollowed(state, side, index);
  state.send("pin", { side, index });
}

/** Left and right within a sentence, up and down between the two; Enter and Space choose. */
function keyOnChip(state, event) {
  const { side, index } = event.target.dataset;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    return follow(state, side, Number(index));
  }
  const sides = ["source", "target"];
  const { fed } = state.view;
  const moved = movedBy(event, sides.indexOf(side), Number(index), 2, fed[side]);
  if (!moved) return;
  const chips = state.chips[sides[moved[0]]];
  const within = sides[moved[0]] === side
    ? moved[1] : Math.max(0, chips.findIndex((chip) => chip.tabIndex === 0));
  const at = Math.min(fed[sides[moved[0]]] - 1, within);
  reachable(chips, at);
  chips[at].focus();
}

function keyOnStrip(event) {
  const strips = [...event.target.parentNode.children];
  const moved = movedBy(event, strips.indexOf(event.target), 0, strips.length, 1);
  if (!moved) return;
  reachable(strips, moved[0]);
  strips[moved[0]].focus();
}

const STRIPS_PICTURE = { width: 900, heading: 14, headingLine: 26, gap: 26 };

/** One group below the other, as a whole SVG document. */
function stripsPicture({ view, root }) {
  const style = figureStyle(root);
  const width = (fonts) => (text) => Math.ceil(figureTextWidth(text, LABEL.size, fonts));
  const textWidth = ([text]) => width(style.codeFont)(text);
  const measure = { textWidth, nameWidth: width(style.font) };
  const body = [];
  let [at, widest] = [0, 0];
  for (const panel of view.panels) {
    const layout = groupLayout(STRIPS_PICTURE.width, panel, measure);
    body.push(svgMoved(0, at, 0, svgGroup(view, panel, layout, textWidth, style)));
    at += STRIPS_PICTURE.headingLine + layout.top + layout.whole + STRIPS_PICTURE.gap;
    widest = Math.max(widest, layout.left + layout.width + layout.tops);
  }
  const hiding = view.panels.find(({ visible }) => visible?.includes(0)) ?? view.panels[0];
  const foot = pictureFoot(hiding, [], widest, style);
  body.push(svgMoved(0, at, 0, foot.body));
  return figureSvg({ title: stripsTitle(view), width: widest, height: at + foot.height, body }, style);
}

function svgGroup(view, panel, layout, textWidth, style) {
  const { top, left, width, pool } = layout;
  // Strips are apart from each other.
  const gaps = panel.heads.map((_, strip) => svgNode("rect", {
    x: -1, y: (strip + 1) * STRIP.height - STRIP.gap, width: width + 2,
    height: STRIP.gap + (strip === panel.rows - 1 ? 2 : 0), fill: style.paper,
  }));
  const note = pool > 1 ? `; ${fill(view.texts.pooled, { n: pool })}` : "";
  const columnAxis = { ...panel.columnAxis, name: panel.columnAxis.name + note };
  const sizes = { longest: LABEL.longest };
  return [
    svgText(0, STRIPS_PICTURE.heading, panel.title, {
      "font-size": STRIPS_PICTURE.heading, "font-weight": 600, fill: style.ink,
    }),
    svgMoved(0, STRIPS_PICTURE.headingLine, 0, [
      svgPanel({ ...panel, columnAxis }, layout, sizes, textWidth, style),
      svgMoved(left, top, 0, gaps),
      panel.heads.map((_, strip) => svgMoved(
        0, top + (strip + 0.5) * STRIP.height - STRIP.gap / 2, 0,
        svgStrip(view, panel, strip, layout, textWidth, style))),
    ]),
  ];
}

/** The name before a strip, and behind it the token with the largest weight. */
function svgStrip(view, panel, strip, { left, width, widest }, textWidth, style) {
  const column = strongest(panel, strip);
  const [text, flags] = panel.columnAxis.labels[column];
  const [y, x] = [LABEL.size / 3, left + width + TOP.gap];
  const token = { text: shortened(text, LABEL.longest, textWidth), flags, x: x + TOP.arrow };
  return [
    svgText(left - LABEL.gap - 4, y, panel.rowAxis.labels[strip][0], {
      "text-anchor": "end", fill: style.ink,
    }),
    svgText(x, y, arrowOf(view), { fill: style.quiet }),
    svgChip({ ...token, size: LABEL.size }, style),
    svgText(x + TOP.arrow + widest + 6, y, valueText(panel, view.texts, strip, column), {
      fill: style.ink,
    }),
  ];
}
