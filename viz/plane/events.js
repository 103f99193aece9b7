// Pointer and keyboard: what they point at, read and send; and marking a token wherever it stands: in
// sentences, on axes, beside strips. Handlers are properties: setting them again replaces them.

import { movedBy } from "../component/keys.js";
import { onScreen } from "../component/pixels.js";
import { labelAt, placeBand } from "../component/plot.js";
import { fill, fillParts, joinedTitles } from "../component/text.js";
import { bringIntoView, element, spokenOf, word } from "../component/tokens.js";
import { besides, hideTooltip, showTooltip } from "../component/tooltip.js";
import { largestOfBlock, poolsOf } from "./cells.js";
import { axisLabel } from "./panel.js";
import { linkOf, positionOf, valueText } from "./payload.js";
import { takeAway } from "./picture.js";
import { planeOf } from "./sizes.js";
import { inView, isInView, pointIn, windowIncluding } from "./zoom.js";
import { drag, escape, showWindow, zoomBy, zoomByKey } from "./zooming.js";

export const panelAt = (node) => Number(node.closest(".panel").dataset.panel);

export function answerPointer(state) {
  const { root } = state;
  root.onpointermove = (event) => {
    if (drag(state, event)) return;
    const named = event.target.closest(".tile, .strip");
    const token = event.target.closest("[data-axis], [data-side]");
    state.hover = null;
    if (event.target.closest(".cells")) return pointAt(state, panelAt(event.target), event);
    if (token) showNothing(state, marksOfToken(state.view, token.dataset));
    else refresh(state);
    if (named) showTooltip(state, [named.ariaLabel], event);
  };
  root.onpointerleave = () => {
    state.hover = null;
    refresh(state);
  };
  root.onclick = (event) => {
    const { target } = event;
    const tool = target.closest(".tools button");
    if (tool) takeAway(state, tool);
    const button = target.closest("[data-zoom]");
    if (button) zoomBy(state, panelAt(button), button.dataset.zoom);
    state.kind.click?.(state, target, event);
    if (pinLabel(state, target)) return;
    // The click that ends a drag means no cell.
    if (!target.closest(".cells") || state.figures[panelAt(target)].drag?.ended) return;
    [state.cursor, state.closed] = [cellUnder(state, panelAt(target), event), false];
    refresh(state);
    if (state.view.layout === "maps" && state.view.pins) pinCell(state, state.cursor);
    pickCell(state, state.cursor);
  };
}

export function answerKeys(state) {
  const { root } = state;
  root.onkeydown = (event) => {
    const { target } = event;
    if (event.key === "Escape") return escape(state, target);
    if (!target.matches(".cells")) return state.kind.key?.(state, event);
    const panel = panelAt(target);
    if (zoomByKey(state, panel, event)) return;
    const [row, column] = startOfKeys(state, panel);
    if (event.key === " " && state.view.pins) {
      event.preventDefault();
      return pinCell(state, { panel, row, column });
    }
    if (event.key === "Enter") return pickCell(state, { panel, row, column });
    moveByKey(state, panel, event);
  };
  // Chromium knows them as events only; a root is given its listeners once.
  root.addEventListener("focusin", ({ target }) => {
    // Only for the keyboard: a click says itself what it means.
    if (!target.matches(":focus-visible")) return;
    if (target.matches(".chip")) showNothing(state, marksOfToken(state.view, target.dataset));
    if (target.matches(".strip")) showTooltip(state, [target.ariaLabel], besides(target));
  });
  root.addEventListener("focusout", ({ target }) => {
    if (target.matches(".chip, .strip, .tile")) refresh(state);
  });
}

/** From cell to cell of all there are; where several share a pixel, from pixel to pixel. */
function moveByKey(state, index, event) {
  const { view } = state.figures[index];
  const { rows, columns } = state.view.panels[index];
  const [row, column] = startOfKeys(state, index);
  const [rowPool, pool] = poolsOf(view);
  if (pool === 1) {
    const moved = movedBy(event, row, column, rows, columns);
    if (moved) moveCursor(state, { panel: index, row: moved[0], column: moved[1] });
    return;
  }
  const [down, across] = [(row - view.row) / rowPool, (column - view.column) / pool].map(Math.floor);
  const moved = movedBy(event, down, across, view.down, view.across);
  if (moved) moveCursor(state, cellOfBlock(state, index, ...moved));
}

/** Each panel's own: there is no handler property that hears of the focus from below. */
export function answerFocus(state, panel, cells) {
  cells.onfocus = () => {
    // Only for the keyboard: a click says itself which cell it means.
    if (!cells.matches(":focus-visible")) return;
    const [row, column] = startOfKeys(state, panel);
    moveCursor(state, { panel, row, column });
  };
  cells.onblur = () => {
    const { cursor } = state;
    if (cursor?.panel === panel) state.figures[panel].lastCursor = [cursor.row, cursor.column];
    state.cursor = null;
    refresh(state);
  };
}

/** Where keys begin in a panel: at the keyboard's cell, where it was, or at the first shown. */
export function startOfKeys({ cursor, figures }, index) {
  if (cursor?.panel === index) return [cursor.row, cursor.column];
  const { lastCursor, view } = figures[index];
  return lastCursor && isInView(view, lastCursor) ? lastCursor : [view.row, view.column];
}

/** Tell the page which cell was chosen, if it wants to know. */
function pickCell({ view, send }, { panel, row, column }) {
  if (view.layout === "matrices" && view.picks) send("pick", { panel, row, column });
}

/** Of nodes in a row, only one is reached with the tab key. */
export function reachable(nodes, index) {
  nodes.forEach((node, i) => { node.tabIndex = i === index ? 0 : -1; });
}

function cellOfBlock({ view: { panels }, figures }, panel, down, across) {
  const [row, column] = largestOfBlock(panels[panel], figures[panel].view, down, across);
  return { panel, row, column };
}

function cellUnder(state, panel, event) {
  const { cells, view } = state.figures[panel];
  const { down, across } = pointIn(cells, event);
  const inside = (offset, size, count) =>
    Math.min(count - 1, Math.max(0, Math.floor(offset / size)));
  return cellOfBlock(
    state, panel, inside(down, view.cellHeight, view.down), inside(across, view.cellWidth, view.across));
}

/** Show the cell under a pointer. */
export function pointAt(state, panel, event) {
  const { clientX, clientY } = event;
  state.hover = { ...cellUnder(state, panel, event), point: { clientX, clientY } };
  refresh(state);
}

export function moveCursor(state, cell) {
  [state.cursor, state.hover, state.closed] = [cell, null, false];
  const { box, view } = state.figures[cell.panel];
  showWindow(state, cell.panel, windowIncluding(planeOf(state, cell.panel), [cell.row, cell.column]));
  // Very many rows are in a box that scrolls.
  const [top, bottom] = [cell.row * view.rowStep, (cell.row + 1) * view.rowStep];
  if (top < box.scrollTop) box.scrollTop = top;
  if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
  refresh(state);
  say(state);
}

/** Have screen readers say something, and the number of the keyboard's cell after it. */
export function say({ nodes, cursor }, ...first) {
  const lines = cursor && !nodes.tooltip.hidden ? [...nodes.tooltip.children] : [];
  nodes.live.textContent = joinedTitles([...first, ...lines.map(spokenOf)]);
}

/** What is marked now: the cell under the pointer, else the keyboard's, else nothing. */
export function refresh(state) {
  const { hover, cursor, figures } = state;
  state.kind.pointed?.(state, hover ?? cursor);
  if (hover) return showCell(state, hover, hover.point);
  if (!cursor || !isInView(figures[cursor.panel].view, [cursor.row, cursor.column])) {
    return showNothing(state);
  }
  showCell(state, cursor, besideCell(state, cursor));
  return state.closed && hideTooltip(state);
}

/** Nothing but these places, or else those of the kept word. */
export function showNothing(state, marks = marksOfPin(state.view)) {
  mark(state, marks);
  placeFrame(state, "cursor", null);
  hideTooltip(state);
}

function besideCell({ figures }, { panel, row, column }) {
  const { cells, view } = figures[panel];
  return onScreen(cells, {
    x: (column - view.column + 1) * view.columnStep, y: (row - view.row + 1) * view.rowStep,
  });
}

function showCell(state, cell, point) {
  mark(state, marksOfCell(state.view, cell));
  placeFrame(state, "cursor", cell);
  showTooltip(state, linesOf(state, cell), point);
}

/** From what to what, the value, and what else is known of the cell. */
function linesOf({ view, layout }, { panel: index, row, column }) {
  const { texts, followed, direction } = view;
  const panel = view.panels[index];
  const { rowAxis, columnAxis } = panel;
  const line = (parts, quiet) => {
    const node = element("span", quiet ? "line quiet" : "line");
    node.append(...parts);
    return node;
  };
  const here = word((followed?.label ?? rowAxis.labels[row])[0]);
  const there = word(columnAxis.labels[column][0]);
  const [from, to] = direction === "by" ? [there, here] : [here, there];
  const value = element("b", "", valueText(panel, texts, row, column));
  const lines = [line(fillParts(texts.cell, {
    row: from, query: from, column: to, key: to, value, weight: value,
  }))];
  const more = (panel.details ?? panel.texts)?.[row][column];
  if (more?.trim()) lines.push(line([panel.details ? more : word(more)]));
  if (rowAxis.then.length) {
    lines.push(line(fillParts(texts["row.decoder"], {
      fed: word(rowAxis.labels[row][0]), predicted: word(rowAxis.then[row][0]),
    }), true));
  }
  if (panel.heads) lines.push(line([rowAxis.labels[row][0]], true));
  // The same word may stand at several places, and where there are many nobody counts them.
  const twice = ({ labels }, i) => labels.some(([text], at) => at !== i && text === labels[i][0]);
  const many = layout.panels[index].zoomable && rowAxis.side && columnAxis.side;
  if (many || (panel.squares && (twice(rowAxis, row) || twice(columnAxis, column)))) {
    lines.push(line([fill(texts.place, { row, column })], true));
  }
  return lines;
}

/** What stands for a cell: per panel a row and a column, and tokens of the sentences. */
export function marksOfCell({ panels, followed }, { panel: index, row, column }) {
  const { rowAxis, columnAxis } = panels[index];
  const first = followed ?? { axis: rowAxis.id, link: linkOf(rowAxis, row) };
  const second = { axis: columnAxis.id, link: linkOf(columnAxis, column) };
  const same = (axis, own, other) => {
    if (axis.id === null) return null;
    if (axis.id === own.axis) return positionOf(axis, own.link);
    // Words that are rows here may be columns there; numbers of rows are no numbers of columns.
    return axis.side && axis.id === other.axis ? positionOf(axis, other.link) : null;
  };
  const predicts = rowAxis.then.length > 0;
  return {
    panels: panels.map((panel) => ({
      row: same(panel.rowAxis, first, second), column: same(panel.columnAxis, second, first),
      then: predicts ? row : null,
    })),
    chips: [first, second],
    soft: predicts ? [{ axis: "target", link: row + 1 }] : [],
  };
}

/** What stands for a token, or for a number of one axis. */
export function marksOfToken({ panels }, { axis, side, index, which, link }) {
  const token = { axis: axis ?? side, link: Number(link ?? index) };
  const at = (panel, of) => (panel[of].id === token.axis && (side || of === which)
    ? positionOf(panel[of], token.link) : null);
  return {
    panels: panels.map((panel) => ({
      row: at(panel, "rowAxis"), column: at(panel, "columnAxis"),
      // The token just predicted is fed to the next row.
      then: panel.rowAxis.then.length && token.axis === "target" ? token.link - 1 : null,
    })),
    chips: [token], soft: [],
  };
}

/** Mark these places and nothing else. */
function mark(state, marks) {
  for (const node of state.marked) node.classList.remove("marked", "soft");
  state.marked = [];
  const add = (node, ...names) => {
    if (!node) return;
    node.classList.add("marked", ...names);
    state.marked.push(node);
  };
  for (const { axis, link } of marks?.chips ?? []) {
    add(state.chips?.[axis]?.[link]);
    bringIntoView(state.chips?.[axis]?.[link]);
  }
  for (const { axis, link } of marks?.soft ?? []) add(state.chips?.[axis]?.[link], "soft");
  state.figures.forEach((figure, i) => {
    const { view } = figure;
    const place = marks?.panels[i];
    const row = inView(place?.row, view.row, view.rows);
    const column = inView(place?.column, view.column, view.columns);
    const label = (node, labels, which, position, at) =>
      labelAt(node, labels, at == null ? null : position, (of) => axisLabel(state, i, which, of));
    add(label(figure.rows, figure.rowLabels, "rowAxis", place?.row, row)?.firstElementChild);
    add(label(
      figure.columns, figure.columnLabels, "columnAxis", place?.column, column)?.firstElementChild);
    if (place?.then != null) add(figure.rowLabels.get(place.then)?.lastElementChild, "soft");
    const [rowPool, pool] = poolsOf(view);
    placeBand(figure.rowBand, row, rowPool);
    placeBand(figure.columnBand, column, pool);
    if (column == null) return;
    for (const node of figure.tops.querySelectorAll(`[data-index="${place.column}"]`)) add(node);
  });
}

/** Put a frame around one cell of one panel, or of every panel where none is named. */
function placeFrame(state, name, place) {
  state.figures.forEach((figure, i) => {
    const { [name]: frame, view } = figure;
    frame.hidden = !place || (place.panel ?? i) !== i || !isInView(view, [place.row, place.column]);
    if (frame.hidden) return;
    const [rowPool, pool] = poolsOf(view);
    frame.style.setProperty("--row", Math.floor((place.row - view.row) / rowPool));
    frame.style.setProperty("--column", Math.floor((place.column - view.column) / pool));
  });
}

/** The frame around the cell that the page has selected. */
export function placeChosen(state) {
  const [panel, row, column] = state.view.selected ?? [];
  placeFrame(state, "chosen", state.view.selected && { panel, row, column });
}

/** What stands for the kept word, or else for the one that the page speaks of, if any. */
function marksOfPin({ panels, pin, spoken }) {
  if (!pin && !spoken) return null;
  const [side, index] = pin ?? spoken;
  const at = (axis) => (axis.side === side && index < axis.labels.length ? index : null);
  return {
    panels: panels.map(({ rowAxis, columnAxis }) => ({
      // What is said of a word is what it looks at: who looks at it has no mark until it is kept.
      row: at(rowAxis), column: pin || at(rowAxis) === null ? at(columnAxis) : null,
      then: rowAxis.then.length && side === "target" ? index - 1 : null,
    })),
    chips: [{ axis: side, link: index }], soft: [],
  };
}

/** Keep a word, or let go of it where it is kept. */
function pinWord(state, side, index) {
  const { view } = state;
  const at = Number(index);
  const isPinned = view.pin?.[0] === side && view.pin[1] === at;
  view.pin = isPinned ? null : [side, at];
  state.send("pin", { side, index: isPinned ? null : at });
  refresh(state);
}

/** Keep the word of a label that was clicked; false where it is no word, or nobody keeps any. */
function pinLabel(state, target) {
  const { view } = state;
  const label = view.pins && target.closest("[data-which], .chip");
  if (!label) return false;
  const { which, at, side, index } = label.dataset;
  if (!which) {
    // What was predicted last is never fed: it has neither row nor column.
    if (Number(index) < view.fed[side]) pinWord(state, side, index);
    return true;
  }
  const axis = view.panels[panelAt(label)][which];
  if (axis.side) pinWord(state, axis.side, at);
  return true;
}

/** Keep the word of a cell's row, or else of its column. */
function pinCell(state, { panel, row, column }) {
  const { rowAxis, columnAxis } = state.view.panels[panel];
  if (rowAxis.side) pinWord(state, rowAxis.side, row);
  else if (columnAxis.side) pinWord(state, columnAxis.side, column);
}
