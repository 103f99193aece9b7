// Zooming in a map: a window of whole tokens, all of them while there is none.
//
// A plane is a panel that can be zoomed: `rows` and `columns` of all of it, `box`, into which it goes,
// `ratio`, device pixels per pixel, `smallest`, how large its cells are while all are shown, `least`,
// how high and wide they always are, `readable`, how large they are where each label can be read,
// `zoom`, its window, and `view`, what is shown: `row`, `column`, `rows`, `columns`, and from cell to
// cell `rowStep`, `columnStep`.

import { ARROWS } from "../component/keys.js";
import { magnified, within } from "../component/pixels.js";
import { cellLayout, LARGEST_CELL } from "../component/plot.js";
import { fill } from "../component/text.js";

export const SQUARE = { down: 0, across: 0 };

const clamp = (at, last) => Math.min(Math.max(0, last), Math.max(0, at));

/** A window of a map, or null where it holds everything. */
export const partWindow = (zoom, { rows, columns }) =>
  (zoom.rows === rows && zoom.columns === columns ? null : zoom);

/** The cells of a window: square, but neither lower nor narrower than they always are. */
export function windowCells({ box, ratio, least }, zoom) {
  const cells = cellLayout(box.width, box.height, zoom, ratio);
  const { pool, size, perToken, down, across } = cells;
  if (pool > 1) return { ...cells, cellWidth: size, cellHeight: size, rowStep: perToken, columnStep: perToken };
  const step = (least, room, count) =>
    Math.max(size, Math.min(least, Math.floor((room * ratio) / count) / ratio));
  const cellHeight = step(least.down, box.height, zoom.rows);
  const cellWidth = step(least.across, box.width, zoom.columns);
  return {
    ...cells, cellWidth, cellHeight, rowStep: cellHeight, columnStep: cellWidth,
    width: across * cellWidth, height: down * cellHeight,
  };
}

/** The window with cells of about this size in which the token under a point stays under it. */
export function windowOfSize(plane, size, { across, down }) {
  const { box, ratio, least, smallest, view } = plane;
  const cellSize = Math.floor(Math.min(size, LARGEST_CELL) * ratio) / ratio;
  if (cellSize <= smallest) return null;
  const shown = (room, step, total) => Math.max(1, Math.min(total, Math.floor(room / step)));
  const rows = shown(box.height, Math.max(cellSize, least.down), plane.rows);
  const columns = shown(box.width, Math.max(cellSize, least.across), plane.columns);
  const cells = windowCells(plane, { rows, columns });
  const start = (at, first, before, step, after, count, total) => {
    const token = first + Math.min(before - 1, Math.floor(at / step));
    return clamp(token - Math.min(count - 1, Math.floor(at / after)), total - count);
  };
  return partWindow({
    row: start(down, view.row, view.rows, view.rowStep, cells.rowStep, rows, plane.rows),
    column: start(
      across, view.column, view.columns, view.columnStep, cells.columnStep, columns, plane.columns),
    rows, columns,
  }, plane);
}

export const sizeShown = ({ rowStep, columnStep }) => Math.min(rowStep, columnStep);

/** Half as large again, and at least by a pixel of the screen. */
export const largerCells = ({ view, ratio }) => Math.max(sizeShown(view) * 1.5, sizeShown(view) + 1 / ratio);
export const smallerCells = ({ view }) => sizeShown(view) / 1.5;

/** Large enough for every label; never smaller than they are. */
export const readableCells = ({ view, readable }) => Math.max(readable, sizeShown(view));

/** The window moved down and to the right by a number of tokens, as far as there are any. */
export function windowMoved({ rows, columns, zoom }, down, across) {
  return zoom && {
    ...zoom, row: clamp(zoom.row + down, rows - zoom.rows),
    column: clamp(zoom.column + across, columns - zoom.columns),
  };
}

/** The window with cells of this size and a cell in its middle, as far as that can be. */
export function windowAround(plane, size, cell) {
  const zoom = windowOfSize(plane, size, pointOfCell(plane.view, cell));
  const start = (at, count, total) => clamp(at - Math.floor(count / 2), total - count);
  return zoom && {
    ...zoom, row: start(cell[0], zoom.rows, plane.rows),
    column: start(cell[1], zoom.columns, plane.columns),
  };
}

/** The window with cells of this size: one of these cells stays where it is, else the middle. */
export function windowBeside(plane, size, ...cells) {
  const { view } = plane;
  const cell = cells.find((each) => each && isInView(view, each));
  const middle = [view.row + (view.rows >> 1), view.column + (view.columns >> 1)];
  return cell
    ? windowOfSize(plane, size, pointOfCell(view, cell)) : windowAround(plane, size, middle);
}

/** The window moved just so far that a cell is in it. */
export function windowIncluding(plane, [row, column]) {
  const { zoom } = plane;
  if (!zoom) return null;
  const missing = (at, first, count) => Math.min(0, at - first) + Math.max(0, at - first - count + 1);
  return windowMoved(
    plane, missing(row, zoom.row, zoom.rows), missing(column, zoom.column, zoom.columns));
}

/** A position counted from the window's first; null outside of it. */
export const inView = (at, first, count) =>
  (at == null || at < first || at >= first + count ? null : at - first);

export const isInView = (view, [row, column]) => inView(row, view.row, view.rows) != null
  && inView(column, view.column, view.columns) != null;

/** Where a token stands in the map, in pixels from its corner: the middle of its cell. */
export const pointOfCell = ({ row: top, column: left, rowStep, columnStep }, [row, column]) => ({
  down: (row - top + 0.5) * rowStep, across: (column - left + 0.5) * columnStep,
});

/** Where a pointer is, in pixels from the corner of the cells. */
export function pointIn(cells, event) {
  const { x, y } = within(cells, event);
  return { down: y, across: x };
}

/** What part of the map is shown, in words. */
export function partSaid(texts, { rows, columns, view }) {
  const whole = view.rows === rows && view.columns === columns;
  return fill(texts[whole ? "zoom.whole" : "zoom.part"], {
    first_row: view.row, last_row: view.row + view.rows - 1, n_rows: rows,
    first_column: view.column, last_column: view.column + view.columns - 1, n_columns: columns,
  });
}

export const WHEEL_STEP = 50; // pixels of a wheel's turn for one step
const DRAG_BEGINS = 4; // pixels until a click is a drag

/** Whether a wheel means the map: else the page scrolls as usual when the pointer passes. */
export function meansZoom(event, cells, zoom) {
  const meant = event.ctrlKey || event.metaKey || cells.matches(":focus");
  return meant && (event.deltaY <= 0 || Boolean(zoom));
}

/** How far a wheel has turned in this direction; from WHEEL_STEP on it is a step. */
export function wheelTurned(before, event) {
  // Browsers turn a pinch into small turns of the wheel with Ctrl.
  const pinched = event.ctrlKey && Math.abs(event.deltaY) < WHEEL_STEP / 2 ? 8 : 1;
  const turned = event.deltaY * (event.deltaMode ? 20 : 1) * pinched;
  return turned * before < 0 ? turned : before + turned;
}

/** What is held from a press on, if there is a window that could be moved. */
export const pressed = ({ clientX: x, clientY: y, button }, zoom) =>
  (zoom && button === 0 ? { x, y, from: zoom, moved: false } : null);

/** What is left of it: the click that ends a drag comes after it. */
export const released = (held) => (held?.moved ? { ended: true } : null);

/** The window that a drag has come to; null while there is no drag. */
export function windowDragged(held, plane, event, cells) {
  // A button that was let go outside of the window is held no longer.
  if (!held?.from || !event.buttons) return null;
  const [x, y] = [event.clientX - held.x, event.clientY - held.y];
  if (!held.moved && Math.hypot(x, y) < DRAG_BEGINS) return null;
  if (!held.moved) cells.setPointerCapture(event.pointerId);
  held.moved = true;
  const tokens = (pixels, step) => -Math.round(pixels / magnified() / step);
  const { rowStep, columnStep } = plane.view;
  return windowMoved({ ...plane, zoom: held.from }, tokens(y, rowStep), tokens(x, columnStep));
}

const ZOOM_KEYS = { "+": "in", "=": "in", "-": "out", "−": "out", _: "out", 0: "all" };
const PANS = {
  PageUp: [-1, 0], PageDown: [1, 0],
  ...Object.fromEntries(Object.entries(ARROWS).map(([key, by]) => [`Shift ${key}`, by])),
};

/** What a key asks for: `step` in, out or all, or `by` how much of what is shown to go on. */
export function zoomAsked(event, zoom) {
  if (event.ctrlKey || event.metaKey || event.altKey) return {};
  const by = PANS[`${event.shiftKey ? "Shift " : ""}${event.key}`] ?? PANS[event.key];
  return { step: ZOOM_KEYS[event.key], by: zoom ? by : undefined };
}

/** The cell so far on, by so much of what is shown, as far as there are any. */
export function cellPanned({ rows, columns, zoom }, [row, column], [down, across]) {
  return [clamp(row + down * zoom.rows, rows - 1), clamp(column + across * zoom.columns, columns - 1)];
}
