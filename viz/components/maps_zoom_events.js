// Zooming and moving the window: buttons, wheel, drag and keys; the page learns where it came to rest.

const ZOOM_RESTS = 300; // milliseconds without another zoom until the page is told
const WHEEL_STEP = 50; // pixels of a wheel's turn for one step
const DRAG_BEGINS = 4; // pixels until a click is a drag

/** Show another part of the map. */
function showWindow(state, zoom) {
  const same = JSON.stringify(zoom) === JSON.stringify(state.zoom);
  if (same || !state.layout.map.zoomable) return;
  Object.assign(state, { zoom, zoomedAt: performance.now() });
  placeView(state);
  drawCells(state);
  clearTimeout(state.telling);
  if (state.maps.zooms) state.telling = setTimeout(() => state.send("zoom", state.zoom), ZOOM_RESTS);
}

/** Zoom around the keyboard's cell, where it is or was; else around the middle. */
function zoomTo(state, size) {
  const { cursor, lastCursor, view } = state;
  const cell = [cursor, lastCursor].find((each) => each && isInView(view, each));
  const middle = [view.row + (view.rows >> 1), view.column + (view.columns >> 1)];
  showWindow(state, cell
    ? windowOfSize(state, size, pointOfCell(state, cell)) : windowAround(state, size, middle));
}

function answerZoom(state) {
  const { nodes, root } = state;
  const steps = {
    in: () => zoomTo(state, largerCells(state)),
    out: () => zoomTo(state, smallerCells(state)),
    all: () => showWindow(state, null),
  };
  state.zoomBy = steps;
  nodes.zoom.onclick = (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    steps[button.dataset.zoom]();
    say(state, partText(state));
  };
  nodes.cells.ondblclick = (event) => zoomAt(state, readableCells(state), event);
  nodes.cells.onwheel = (event) => turnWheel(state, event);
  nodes.cells.onpointerdown = (event) => {
    const { clientX: x, clientY: y } = event;
    state.drag = state.zoom && event.button === 0 ? { x, y, from: state.zoom, moved: false } : null;
  };
  nodes.cells.onpointerup = nodes.cells.onpointercancel = () => {
    root.classList.remove("dragging");
    // The click that ends a drag comes after it.
    if (state.drag) state.drag = state.drag.moved ? { ended: true } : null;
  };
}

function zoomAt(state, size, { clientX, clientY }) {
  const box = state.nodes.cells.getBoundingClientRect();
  const point = { down: clientY - box.top, across: clientX - box.left };
  showWindow(state, windowOfSize(state, size, point));
}

/** Zoom only where it is meant, so that the page scrolls as usual when the pointer passes. */
function turnWheel(state, event) {
  const { nodes, layout } = state;
  const meant = event.ctrlKey || event.metaKey || nodes.cells.matches(":focus");
  if (!meant || !layout.map.zoomable || (event.deltaY > 0 && !state.zoom)) return;
  event.preventDefault();
  // Browsers turn a pinch into small turns of the wheel with Ctrl.
  const pinched = event.ctrlKey && Math.abs(event.deltaY) < WHEEL_STEP / 2 ? 8 : 1;
  const turned = event.deltaY * (event.deltaMode ? 20 : 1) * pinched;
  state.turned = turned * state.turned < 0 ? turned : state.turned + turned;
  if (Math.abs(state.turned) < WHEEL_STEP) return;
  const size = state.turned < 0 ? largerCells(state) : smallerCells(state);
  state.turned = 0;
  zoomAt(state, size, event);
  showCell(state, ...cellUnder(state, event), event);
}

/** Go on with a drag; true while there is one. */
function drag(state, event) {
  const { drag: held, view, nodes } = state;
  if (!held?.from) return false;
  const [x, y] = [event.clientX - held.x, event.clientY - held.y];
  if (!held.moved && Math.hypot(x, y) < DRAG_BEGINS) return false;
  if (!held.moved) nodes.cells.setPointerCapture(event.pointerId);
  held.moved = true;
  state.root.classList.add("dragging");
  const tokens = (pixels) => -Math.round(pixels / view.perToken);
  showWindow(state, windowMoved({ maps: state.maps, zoom: held.from }, tokens(y), tokens(x)));
  mark(state, null);
  nodes.cursor.hidden = true;
  hideTooltip(state);
  return true;
}

/** Large enough for every label; never smaller than they are. */
const readableCells = ({ view }) => Math.max(READABLE_ZOOMED, view.perToken);

const PANS = {
  PageUp: [-1, 0], PageDown: [1, 0],
  ...Object.fromEntries(Object.entries(ARROWS).map(([key, by]) => [`Shift ${key}`, by])),
};

/** Answer a key that zooms, or moves the window; false if it is none. */
function zoomByKey(state, event) {
  const step = { "+": "in", "=": "in", "-": "out", "−": "out", _: "out", 0: "all" }[event.key];
  const by = PANS[`${event.shiftKey ? "Shift " : ""}${event.key}`] ?? PANS[event.key];
  if (!state.layout.map.zoomable || event.ctrlKey || event.metaKey || event.altKey) return false;
  if (!step && event.key !== "Enter" && !(by && state.zoom)) return false;
  event.preventDefault();
  if (by) pan(state, by);
  else if (step) state.zoomBy[step]();
  else showWindow(state, windowAround(state, readableCells(state), startOfKeys(state)));
  if (!by) say(state, partText(state));
  return true;
}

/** On by what is shown; the keyboard's cell goes with the window. */
function pan(state, [down, across]) {
  const { zoom, maps } = state;
  const [y, x] = [down * zoom.rows, across * zoom.columns];
  const [row, column] = startOfKeys(state);
  const cell = [clamp(row + y, maps.rows - 1), clamp(column + x, maps.columns - 1)];
  showWindow(state, windowMoved(state, y, x));
  moveCursor(state, cell);
  say(state, partText(state));
}
