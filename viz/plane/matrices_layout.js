// Sizes: how many panels stand side by side, and how large the cells of each get.

const PANEL_GAP = 32;
const NARROWEST = 220; // so that titles do not break after every word
const SMALLEST = 0.54; // share of their size alone that is enough for cells beside others
const CHIP = 8; // around the words of an axis
const TWO_WORDS = 136; // a label that names two words may be longer than others

/** Widths of everything written around a panel. `longest` is that of one label. */
function sizesOf(panel, { textWidth, nameWidth }, width) {
  const most = panel.rowAxis.links.length ? TWO_WORDS : LABEL.longest;
  const longest = Math.min(most, Math.max(40, width * 0.2));
  const chip = ({ side }) => (side ? CHIP : 0);
  const widest = (axis, labels = axis.labels) =>
    Math.min(longest, Math.max(...labels.map(textWidth)) + chip(axis));
  const words = [...new Set((panel.texts ?? []).flat())];
  return {
    longest,
    rows: widest(panel.rowAxis), columns: widest(panel.columnAxis),
    last: widest(panel.columnAxis, panel.columnAxis.labels.slice(-1)),
    rowName: nameWidth(panel.rowAxis.name), columnName: nameWidth(panel.columnAxis.name),
    words: Math.min(WORDS.widest, Math.max(
      WORDS.narrowest, ...words.map((word) => textWidth([word]) + WORDS.padding))),
  };
}

/** One panel: its cells, how its labels turn, and which of them there is room for. */
function panelLayout(panel, sizes, { width, height, tallest = height }, ratio) {
  const left = AXIS + sizes.rows + LABEL.gap;
  const room = (overhang) =>
    cellsOf(panel, sizes, { width: width - left - overhang, height, tallest }, ratio);
  const { angle, cells, every, overhang } = columnLayout(panel, sizes, room);
  const turned = { 0: LABEL.size + 4, 45: (sizes.columns + LABEL.size) * SLANT, 90: sizes.columns };
  const rowEvery = thinned(panel.rowAxis, LABEL.size - 1, cells.rowStep);
  const zoomable = isZoomable(panel, cells);
  const few = zoomable ? fewCells(panel) : { width: 0, height: 0 };
  const inside = Math.max(cells.width + overhang, few.width, sizes.columnName);
  const figure = Math.min(width, Math.ceil(Math.max(left + inside, NARROWEST)));
  const box = zoomable ? boxOf(panel, cells, sizes, figure - left) : null;
  const labels = Math.max(turned[angle], box?.slants ? turned[45] : 0);
  return {
    ...cells, angle, left, overhang, rowEvery, columnEvery: every, figure, zoomable, box,
    top: AXIS + Math.ceil(labels) + LABEL.gap,
    labelSize: labelSize(angle, { ...cells, rowEvery, columnEvery: every }),
    below: Math.max(cells.height, few.height, sizes.rowName),
  };
}

/** How large labels are written that stand so far apart. */
function labelSize(angle, { rowEvery, rowStep, columnEvery, columnStep }) {
  const space = Math.min(rowEvery * rowStep, angle ? columnEvery * columnStep : Infinity);
  return Math.max(9, Math.min(LABEL.size, Math.floor(space / 1.2)));
}

/** Whether columns are numbers so short that they stand upright, and some of them can be left out. */
const isCounted = ({ columnAxis }, sizes) => !columnAxis.side && sizes.columns <= 40;

/** So wide are cells at least below slanted labels. */
const slantedFrom = ({ columnAxis }) => (columnAxis.side ? 24 : 17);

/** Column labels: upright where all have room, or where numbers may be left out; else turned. */
function columnLayout(panel, sizes, room) {
  const upright = room(0);
  if (sizes.columns + 4 <= upright.columnStep) {
    return { angle: 0, cells: upright, every: 1, overhang: 0 };
  }
  if (isCounted(panel, sizes)) {
    const overhang = Math.ceil(sizes.columns / 2);
    const cells = room(overhang);
    const every = thinned(panel.columnAxis, sizes.columns + 8, cells.columnStep);
    return { angle: 0, cells, every, overhang };
  }
  // Slanted labels read best, need a line's height between them, and hang over on the right.
  const overhang = Math.ceil(sizes.last * SLANT);
  const slanted = room(overhang);
  if (slanted.columnStep >= slantedFrom(panel)) {
    return { angle: 45, cells: slanted, every: 1, overhang };
  }
  const every = thinned(panel.columnAxis, LABEL.size - 1, upright.columnStep);
  return { angle: 90, cells: upright, every, overhang: 0 };
}

/** Every how many there is room for a label; numbers in steps that people count in. */
function thinned({ side }, wanted, step) {
  const every = Math.max(1, Math.ceil(wanted / step));
  if (side) return every;
  const power = 10 ** Math.floor(Math.log10(every));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= every);
}

/** Which panels stand side by side, and their sizes. */
function layoutOf(width, panels, measure) {
  const ratio = window.devicePixelRatio || 1;
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
  const lines = linesOf(panels.length, fitted);
  // The same share for all, so that a cell of one line is as large as that of the next.
  const share = Math.min(...lines.map((of) => of.share));
  const layouts = alone.map((at, i) => {
    const shared = smaller(i, share);
    return shared.pool > at.pool ? at : shared;
  });
  return { sizes, ratio, lines: lines.map(({ line }) => line), panels: inLine(layouts, lines) };
}

/** As many as fit into each line; evenly where that takes no more lines. */
function linesOf(count, fitted) {
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
