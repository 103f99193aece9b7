// Labelled matrices side by side, with the scales that they share.

import { fileNameOf } from "../component/figure.js";
import { deviceRatio } from "../component/pixels.js";
import { ended, fill, joined } from "../component/text.js";
import { element } from "../component/tokens.js";
import { NUMBER } from "./cells.js";
import { panelAt } from "./events.js";
import { panelPicture } from "./picture.js";
import { panelHeight, panelLayout, planeOf, sizesOf } from "./sizes.js";
import { readableCells, windowAround } from "./zoom.js";

const PANEL_GAP = 32;
const SMALLEST = 0.54; // share of their size alone that is enough for cells beside others

export const matrices = {
  mark: "matrices-drawn",
  layout: matricesLayout,
  place(state) {
    const { nodes, figures, layout } = state;
    for (const node of nodes.panels.querySelectorAll(".break")) node.remove();
    for (const [first] of layout.lines.slice(1)) figures[first].figure.before(element("div", "break"));
    // Once is enough: below the first panels that can be zoomed.
    const line = layout.lines.find((of) => of.some((i) => layout.panels[i].zoomable));
    figures[(line ?? layout.lines[0]).at(-1)].figure.after(nodes.hint);
    readWords(state);
  },
  names({ view: { panels, texts, picks, pins }, layout }, index) {
    const { title, rows, columns } = panels[index];
    const size = fill(texts.size, { rows, columns });
    const help = layout.panels[index].zoomable
      ? [texts["zoom.help"], ...(picks ? [] : [texts["zoom.enter"]])] : [];
    const name = joined(ended(title), size);
    const sentences = [ended(name), texts[picks ? "help.pick" : "help"], pins && texts["pin.help"]];
    return [name, joined(...sentences, ...help)];
  },
  draw: alignCaptions,
  pictures(state, tool) {
    const { view: { panels, texts }, figures } = state;
    const index = panelAt(tool);
    const { zoom } = figures[index];
    const place = zoom ? `-rows-${zoom.row}-columns-${zoom.column}` : "";
    const name = fileNameOf(panels[index].title, texts.file);
    return { svg: panelPicture(state, index), name: `${name}${place}` };
  },
};

/** Where a phone has no room for all words, begin with those around the chosen cell. */
function readWords(state) {
  const { view, layout, figures } = state;
  const [index, ...cell] = view.selected ?? [];
  const panel = view.panels[index];
  if (!panel?.texts || !layout.sizes[index].narrow || !layout.panels[index].zoomable) return;
  // Numbers are seen by their colours, too.
  if (NUMBER.test(panel.texts[cell[0]][cell[1]])) return;
  const figure = figures[index];
  if (figure.read === panel.tokens) return;
  figure.read = panel.tokens;
  const plane = planeOf(state, index);
  figure.zoom ??= windowAround(plane, readableCells(plane), cell);
}

/** Which panels stand side by side, and their sizes. */
function matricesLayout({ width, view: { panels }, measure }) {
  const ratio = deviceRatio();
  const sizes = panels.map((panel) => sizesOf(panel, measure, width));
  const layout = (i, height) =>
    panelLayout(panels[i], sizes[i], { width, height, tallest: panelHeight(panels[i]) }, ratio);
  const alone = panels.map((panel, i) => layout(i, panelHeight(panel)));
  const smaller = (i, share) => layout(i, share * alone[i].square);
  const fitted = (line) => {
    const gaps = PANEL_GAP * (line.length - 1);
    for (let share = 1; share >= SMALLEST; share -= 0.02) {
      const layouts = line.map((i) => smaller(i, share));
      // Cells are not pooled for the sake of a neighbour.
      if (layouts.some(({ pool }, k) => pool > alone[line[k]].pool)) return null;
      if (layouts.reduce((sum, at) => sum + at.figure, gaps) <= width) return { line, share };
    }
    return null;
  };
  const lines = linesOfPanels(panels.length, fitted);
  // The same share for all, so that a cell of one line is as large as that of the next.
  const share = Math.min(...lines.map((of) => of.share));
  const layouts = alone.map((at, i) => {
    const shared = smaller(i, share);
    return shared.pool > at.pool ? at : shared;
  });
  return { sizes, ratio, lines: lines.map(({ line }) => line), panels: inLine(layouts, lines) };
}

/** As many as fit into each line; evenly where that takes no more lines. */
function linesOfPanels(count, fitted) {
  const lines = [];
  for (let i = 0; i < count; i += 1) {
    const longer = lines.length && fitted([...lines.at(-1).line, i]);
    if (longer) lines[lines.length - 1] = longer;
    else lines.push({ line: [i], share: 1 });
  }
  const each = Math.ceil(count / lines.length);
  const even = Array.from({ length: Math.ceil(count / each) }, (_, k) => {
    const line = Array.from({ length: Math.min(each, count - k * each) }, (_, i) => k * each + i);
    return line.length > 1 ? fitted(line) : { line, share: 1 };
  });
  return even.every(Boolean) ? even : lines;
}

/** Panels side by side begin and end at the same height. */
function inLine(layouts, lines) {
  for (const { line } of lines) {
    const top = Math.max(...line.map((i) => layouts[i].top));
    const below = Math.max(...line.map((i) => layouts[i].below));
    for (const i of line) layouts[i] = { ...layouts[i], top, plot: top + below };
  }
  return layouts;
}

/** Titles side by side take the same height, so that the cells below them are in line. */
function alignCaptions({ figures, layout }) {
  for (const line of layout.lines) {
    const captions = line.map((i) => figures[i].caption);
    for (const caption of captions) caption.style.removeProperty("--caption");
    const tallest = Math.max(...captions.map((caption) => caption.offsetHeight));
    for (const caption of captions) caption.style.setProperty("--caption", `${tallest}px`);
  }
}
