// Zooming and moving within a panel, and with it within those that have the same rows and columns.

import { markDrawn } from "../component/mount.js";
import { hideTooltip } from "../component/tooltip.js";
import {
  moveCursor, panelAt, placeChosen, pointAt, refresh, say, showNothing, startOfKeys,
} from "./events.js";
import { drawView, placeView } from "./panel.js";
import { planeOf } from "./sizes.js";
import {
  cellPanned, largerCells, meansZoom, partSaid, pointIn, pressed, readableCells, released,
  smallerCells, WHEEL_STEP, wheelTurned, windowAround, windowBeside, windowDragged, windowMoved,
  windowOfSize, zoomAsked,
} from "./zoom.js";

const ZOOM_RESTS = 300; // milliseconds without another zoom until it is reported to the page

/** Show another part of a panel, and the same part of those beside it that have it. */
export function showWindow(state, index, zoom) {
  const { figures, layout, view: { panels, zooms } } = state;
  const same = JSON.stringify(zoom) === JSON.stringify(figures[index].zoom);
  if (same || !layout.panels[index].zoomable) return;
  panels.forEach((panel, i) => {
    if (!layout.panels[i].zoomable || !isAlike(panel, panels[index])) return;
    figures[i].zoom = zoom;
    placeView(state, i);
    drawView(state, i);
  });
  state.zoomedAt = performance.now();
  clearTimeout(state.reportTimer);
  if (zooms) state.reportTimer = setTimeout(() => state.send("zoom", zoom), ZOOM_RESTS);
  // What is under the pointer now is another cell: the next move of it says which.
  state.hover = null;
  placeChosen(state);
  refresh(state);
  markDrawn(state, state.kind.mark);
}

const isAlike = (panel, other) => panel.rows === other.rows && panel.columns === other.columns
  && panel.rowAxis.id === other.rowAxis.id && panel.columnAxis.id === other.columnAxis.id;

/** In, out or to all of a panel, around the keyboard's cell, where it is or was, else the middle. */
export function zoomBy(state, index, step) {
  const plane = planeOf(state, index);
  const size = { in: largerCells, out: smallerCells }[step]?.(plane);
  const { cursor, figures } = state;
  const at = cursor?.panel === index ? [cursor.row, cursor.column] : null;
  showWindow(state, index, size ? windowBeside(plane, size, at, figures[index].lastCursor) : null);
  sayPart(state, index);
}

const sayPart = (state, index) => say(state, partSaid(state.view.texts, planeOf(state, index)));

/** Each panel's own, as the wheel and what is held belong to one of them. */
export function answerZoom(state, index, figure) {
  const { cells } = figure;
  cells.ondblclick = (event) => {
    if (state.layout.panels[index].zoomable) {
      zoomAt(state, index, readableCells(planeOf(state, index)), event);
    }
  };
  cells.onwheel = (event) => turnWheel(state, index, event);
  cells.onpointerdown = (event) => {
    figure.drag = pressed(event, figure.zoom);
  };
  cells.onpointerup = cells.onpointercancel = () => {
    figure.figure.classList.remove("dragging");
    figure.drag = released(figure.drag);
  };
}

function zoomAt(state, index, size, event) {
  const point = pointIn(state.figures[index].cells, event);
  showWindow(state, index, windowOfSize(planeOf(state, index), size, point));
}

function turnWheel(state, index, event) {
  const figure = state.figures[index];
  if (!state.layout.panels[index].zoomable || !meansZoom(event, figure.cells, figure.zoom)) return;
  event.preventDefault();
  figure.turned = wheelTurned(figure.turned, event);
  if (Math.abs(figure.turned) < WHEEL_STEP) return;
  const size = (figure.turned < 0 ? largerCells : smallerCells)(planeOf(state, index));
  figure.turned = 0;
  zoomAt(state, index, size, event);
  pointAt(state, index, event);
}

/** Go on with a drag; true while there is one. */
export function drag(state, event) {
  const index = state.figures.findIndex((figure) => figure.drag?.from);
  if (index < 0) return false;
  const figure = state.figures[index];
  const zoom = windowDragged(figure.drag, planeOf(state, index), event, figure.cells);
  if (!zoom) return false;
  figure.figure.classList.add("dragging");
  showWindow(state, index, zoom);
  state.hover = null;
  showNothing(state);
  return true;
}

/** Answer a key that zooms, or moves the window; false if it is none. */
export function zoomByKey(state, index, event) {
  const { zoom } = state.figures[index];
  const { step, by } = zoomAsked(event, zoom);
  const plain = !(event.ctrlKey || event.metaKey || event.altKey);
  // Where cells can be chosen Enter chooses one.
  const readable = event.key === "Enter" && plain && !state.view.picks;
  if (!state.layout.panels[index].zoomable || !(step || by || readable)) return false;
  event.preventDefault();
  if (step) zoomBy(state, index, step);
  else if (by) pan(state, index, by);
  else readAround(state, index, startOfKeys(state, index));
  return true;
}

/** Zoom in until each label can be read. */
function readAround(state, index, cell) {
  const plane = planeOf(state, index);
  showWindow(state, index, windowAround(plane, readableCells(plane), cell));
  sayPart(state, index);
}

/** On by what is shown; the keyboard's cell goes with the window. */
function pan(state, index, [down, across]) {
  const plane = planeOf(state, index);
  const [row, column] = cellPanned(plane, startOfKeys(state, index), [down, across]);
  const { rows, columns } = plane.zoom;
  showWindow(state, index, windowMoved(plane, down * rows, across * columns));
  moveCursor(state, { panel: index, row, column });
  sayPart(state, index);
}

/** Escape: close the tooltip; where it is closed, show the whole panel again. */
export function escape(state, target) {
  state.closed = true;
  if (!state.nodes.tooltip.hidden) return hideTooltip(state);
  if (!target.matches(".cells") || !state.figures[panelAt(target)].zoom) return;
  showWindow(state, panelAt(target), null);
  sayPart(state, panelAt(target));
}
