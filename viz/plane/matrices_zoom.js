// What is shown of a panel: all of it, or a window that was zoomed to. Needs shared_zoom.js.

const SLANTED = 17; // so large at least are cells below slanted labels; smaller ones can be zoomed
const READABLE_ZOOMED = 24; // cells to which Enter zooms
const PART_LINE = 16; // pixels
const FEW = 3; // so many large cells there is room for, however thin a panel is

/** Whether cells are too small for labels, or for the words that they hold. */
const isZoomable = ({ texts }, { words, rowStep, columnStep }) =>
  !words && (Boolean(texts) || Math.min(rowStep, columnStep) < SLANTED);

/** So much place a panel takes at least that can be zoomed. */
const fewCells = ({ rows, columns }) => ({
  width: LARGEST_CELL * Math.min(columns, FEW), height: LARGEST_CELL * Math.min(rows, FEW),
});

/** Where zoomed cells go: where all of them are, or beside what hangs over of slanted labels. */
function boxOf(panel, cells, sizes, room) {
  const few = fewCells(panel);
  const width = Math.min(room, Math.max(cells.width, few.width));
  const overhang = Math.ceil(sizes.columns * SLANT);
  const slants = !isCounted(panel, sizes) && width - overhang >= 0.75 * cells.width;
  return {
    slants, height: Math.max(cells.height, few.height),
    width: slants ? Math.min(width, Math.max(few.width, room - overhang)) : width,
  };
}

/** A panel as a plane of shared_zoom.js. */
function planeOf({ view, layout, figures }, index) {
  const { rows, columns, texts } = view.panels[index];
  const { box, rowStep, columnStep, pool } = layout.panels[index];
  const square = pool > 1 || rowStep === columnStep;
  return {
    rows, columns, box, ratio: layout.ratio, smallest: Math.min(rowStep, columnStep),
    readable: texts ? LARGEST_CELL : READABLE_ZOOMED,
    least: square ? SQUARE : { down: rowStep, across: columnStep },
    zoom: figures[index].zoom, view: figures[index].view,
  };
}

/** What is drawn where: the window's positions, the size of their cells, and how labels turn. */
function viewOf(state, index) {
  const panel = state.view.panels[index];
  const layout = state.layout.panels[index];
  const { zoom } = state.figures[index];
  if (!zoom) return { ...layout, row: 0, column: 0, rows: panel.rows, columns: panel.columns };
  const cells = windowCells(planeOf(state, index), zoom);
  const labels = zoomedLabels(panel, state.layout.sizes[index], cells, layout.box);
  const words = Boolean(panel.texts) && cells.cellWidth >= WORDS.narrowest;
  return { ...layout, ...cells, ...labels, ...zoom, words };
}

/** How the labels of a window turn, and which of them there is room for. */
function zoomedLabels(panel, sizes, { rowStep, columnStep }, { slants }) {
  const labels = (angle, wanted) => {
    const rowEvery = thinned(panel.rowAxis, LABEL.size - 1, rowStep);
    const columnEvery = wanted ? thinned(panel.columnAxis, wanted, columnStep) : 1;
    const steps = { rowEvery, columnEvery, rowStep, columnStep };
    return { angle, rowEvery, columnEvery, labelSize: labelSize(angle, steps) };
  };
  if (sizes.columns + 4 <= columnStep) return labels(0, 0);
  if (isCounted(panel, sizes)) return labels(0, sizes.columns + 8);
  return slants && columnStep >= slantedFrom(panel) ? labels(45, 0) : labels(90, LABEL.size - 1);
}

/** The panel with nothing but what is in a window; its axes know where they begin. */
function partOf(panel, { row, column, rows, columns }) {
  if (rows === panel.rows && columns === panel.columns) return panel;
  const cut = (cells) => {
    const part = new cells.constructor(rows * columns);
    for (let line = 0; line < rows; line += 1) {
      const from = (row + line) * panel.columns + column;
      part.set(cells.subarray(from, from + columns), line * columns);
    }
    return part;
  };
  const axis = (of, first, count) => ({
    ...of, first, labels: of.labels.slice(first, first + count),
    differs: of.differs.map((at) => at - first), links: of.links.slice(first, first + count),
  });
  return {
    ...panel, rows, columns, values: cut(panel.values), visible: panel.visible && cut(panel.visible),
    texts: panel.texts?.slice(row, row + rows).map((line) => line.slice(column, column + columns)),
    rowAxis: axis(panel.rowAxis, row, rows), columnAxis: axis(panel.columnAxis, column, columns),
  };
}

/** What the buttons are called. */
function nameZoom({ zooming, buttons }, title, texts) {
  zooming.firstElementChild.setAttribute("aria-label", fill(texts.zoom, { title }));
  for (const button of buttons) {
    const name = texts[`zoom.${button.dataset.zoom}`];
    Object.assign(button, { ariaLabel: name, title: name });
  }
  buttons.at(-1).textContent = texts["zoom.all.short"];
}

/** What part is shown, in words, and which buttons lead on. */
function placeZoom({ view: { panels, texts }, layout, figures }, index) {
  const { zoom, view, where, buttons, figure } = figures[index];
  figure.classList.toggle("zoomed", Boolean(zoom));
  if (!layout.panels[index].zoomable) return;
  where.textContent = partSaid(texts, { ...panels[index], view });
  const able = { in: sizeShown(view) < LARGEST_CELL, out: zoom, all: zoom };
  for (const button of buttons) button.ariaDisabled = !able[button.dataset.zoom];
}

/** As high at every zoom: what is said of the last cell is as long as it gets. */
function heightOfPart({ view: { panels, texts }, layout, measure }, index) {
  const { rows, columns } = panels[index];
  const last = { row: rows - 1, column: columns - 1, rows: 1, columns: 1 };
  const wide = measure.nameWidth(partSaid(texts, { rows, columns, view: last }));
  return PART_LINE * Math.ceil(wide / layout.panels[index].figure);
}
