// Zooming and moving the window of the large map; the page learns where it came to rest.

const ZOOM_RESTS = 300; // milliseconds without another zoom until the page is told

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
  showWindow(state, windowBeside(planeOf(state), size, state.cursor, state.lastCursor));
}

function answerZoom(state) {
  const { nodes, root } = state;
  const steps = {
    in: () => zoomTo(state, largerCells(planeOf(state))),
    out: () => zoomTo(state, smallerCells(planeOf(state))),
    all: () => showWindow(state, null),
  };
  state.zoomBy = steps;
  nodes.zoom.onclick = (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    steps[button.dataset.zoom]();
    say(state, partText(state));
  };
  nodes.cells.ondblclick = (event) => zoomAt(state, readableCells(planeOf(state)), event);
  nodes.cells.onwheel = (event) => turnWheel(state, event);
  nodes.cells.onpointerdown = (event) => {
    state.drag = pressed(event, state.zoom);
  };
  nodes.cells.onpointerup = nodes.cells.onpointercancel = () => {
    root.classList.remove("dragging");
    state.drag = released(state.drag);
  };
}

const zoomAt = (state, size, event) =>
  showWindow(state, windowOfSize(planeOf(state), size, pointIn(state.nodes.cells, event)));

function turnWheel(state, event) {
  const { nodes, layout, zoom } = state;
  if (!layout.map.zoomable || !meansZoom(event, nodes.cells, zoom)) return;
  event.preventDefault();
  state.turned = wheelTurned(state.turned, event);
  if (Math.abs(state.turned) < WHEEL_STEP) return;
  const size = (state.turned < 0 ? largerCells : smallerCells)(planeOf(state));
  state.turned = 0;
  zoomAt(state, size, event);
  showCell(state, ...cellUnder(state, event), event);
}

/** Go on with a drag; true while there is one. */
function drag(state, event) {
  const { nodes } = state;
  const zoom = windowDragged(state.drag, planeOf(state), event, nodes.cells);
  if (!zoom) return false;
  state.root.classList.add("dragging");
  showWindow(state, zoom);
  mark(state, null);
  nodes.cursor.hidden = true;
  hideTooltip(state);
  return true;
}

/** Answer a key that zooms, or moves the window; false if it is none. */
function zoomByKey(state, event) {
  const { step, by } = zoomAsked(event, state.zoom);
  const readable = event.key === "Enter" && !(event.ctrlKey || event.metaKey || event.altKey);
  if (!state.layout.map.zoomable || !(step || by || readable)) return false;
  event.preventDefault();
  if (by) {
    pan(state, by);
    return true;
  }
  const plane = planeOf(state);
  if (step) state.zoomBy[step]();
  else showWindow(state, windowAround(plane, readableCells(plane), startOfKeys(state)));
  say(state, partText(state));
  return true;
}

/** On by what is shown; the keyboard's cell goes with the window. */
function pan(state, [down, across]) {
  const { zoom } = state;
  const cell = cellPanned(planeOf(state), startOfKeys(state), [down, across]);
  showWindow(state, windowMoved(planeOf(state), down * zoom.rows, across * zoom.columns));
  moveCursor(state, cell);
  say(state, partText(state));
}
