// What is pointed at: finding the cell, marking it, and saying its number.

import { onScreen } from "../component/pixels.js";
import { fill, fillParts, joinedTitles } from "../component/text.js";
import { element, spokenOf, word } from "../component/tokens.js";
import { hideTooltip, showTooltip } from "../component/tooltip.js";
import { largestOfBlock } from "./cells.js";
import { mark, placeFrame, placesOfCell } from "./marks.js";
import { valueText } from "./payload.js";
import { placesOfPin } from "./pins.js";
import { planeOf } from "./sizes.js";
import { isInView, pointIn, windowIncluding } from "./zoom.js";
import { showWindow } from "./zooming.js";

export function cellOfBlock({ view: { panels }, figures }, panel, down, across) {
  const [row, column] = largestOfBlock(panels[panel], figures[panel].view, down, across);
  return { panel, row, column };
}

export function cellUnder(state, panel, event) {
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
  if (hover) return showCell(state, hover, hover.point);
  if (!cursor || !isInView(figures[cursor.panel].view, [cursor.row, cursor.column])) {
    return showNothing(state);
  }
  showCell(state, cursor, besideCell(state, cursor));
  return state.closed && hideTooltip(state);
}

/** Nothing but these places, or else those of the kept word. */
export function showNothing(state, places = placesOfPin(state.view)) {
  mark(state, places);
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
  mark(state, placesOfCell(state.view, cell));
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
