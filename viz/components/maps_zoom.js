// The part of the large map that is shown: a window of whole tokens, all of them while there is none.

/** A window of the map, or null where there is none such or it holds everything. */
function checkedWindow(zoom, { rows, columns }) {
  if (!zoom) return null;
  const fits = (first, count, total) =>
    [first, count].every(Number.isInteger) && first >= 0 && count > 0 && first + count <= total;
  if (!fits(zoom.row, zoom.rows, rows) || !fits(zoom.column, zoom.columns, columns)) return null;
  return zoom.rows === rows && zoom.columns === columns ? null : zoom;
}

/** What is drawn where: the window's tokens, the size of their cells, and how their labels turn. */
function viewOf({ map, ratio }, { rows, columns }, zoom) {
  if (!zoom || !map.zoomable) return { ...map, row: 0, column: 0, rows, columns };
  const cells = cellLayout(map.box.width, map.box.height, zoom, ratio);
  const turned = map.box.slants && cells.perToken >= SLANTED ? 45 : 90;
  const angle = map.keys + 4 <= cells.perToken ? 0 : turned;
  return { ...map, ...cells, ...labelling(cells), ...zoom, angle };
}

/** The window with cells of about this size in which the token under a point stays under it. */
function windowOfSize({ layout, maps, view }, size, { across, down }) {
  const { map, ratio } = layout;
  const wanted = Math.floor(Math.min(size, LARGEST_CELL) * ratio) / ratio;
  if (wanted <= map.perToken) return null;
  const shown = (room, total) => Math.max(1, Math.min(total, Math.floor(room / wanted)));
  const rows = shown(map.box.height, maps.rows);
  const columns = shown(map.box.width, maps.columns);
  const { perToken } = cellLayout(map.box.width, map.box.height, { rows, columns }, ratio);
  const start = (at, first, before, count, total) => {
    const token = first + Math.min(before - 1, Math.floor(at / view.perToken));
    return clamp(token - Math.min(count - 1, Math.floor(at / perToken)), total - count);
  };
  return checkedWindow({
    row: start(down, view.row, view.rows, rows, maps.rows),
    column: start(across, view.column, view.columns, columns, maps.columns), rows, columns,
  }, maps);
}

const clamp = (at, last) => Math.min(Math.max(0, last), Math.max(0, at));

/** Half as large again, and at least by a pixel of the screen. */
const largerCells = ({ view, layout }) =>
  Math.max(view.perToken * 1.5, view.perToken + 1 / layout.ratio);
const smallerCells = ({ view }) => view.perToken / 1.5;

/** The window so many tokens further down and to the right, as far as there are any. */
function windowMoved({ maps, zoom }, down, across) {
  return zoom && {
    ...zoom, row: clamp(zoom.row + down, maps.rows - zoom.rows),
    column: clamp(zoom.column + across, maps.columns - zoom.columns),
  };
}

/** The window with cells of this size and a cell in its middle, as far as that can be. */
function windowAround(state, size, cell) {
  const zoom = windowOfSize(state, size, pointOfCell(state, cell));
  const start = (at, count, total) => clamp(at - Math.floor(count / 2), total - count);
  return zoom && {
    ...zoom, row: start(cell[0], zoom.rows, state.maps.rows),
    column: start(cell[1], zoom.columns, state.maps.columns),
  };
}

/** The window moved just so far that a cell is in it. */
function windowWith(state, [row, column]) {
  const { zoom } = state;
  if (!zoom) return null;
  const missing = (at, first, count) => Math.min(0, at - first) + Math.max(0, at - first - count + 1);
  return windowMoved(
    state, missing(row, zoom.row, zoom.rows), missing(column, zoom.column, zoom.columns));
}

/** A position counted from the window's first; null outside of it. */
const inView = (at, first, count) =>
  (at == null || at < first || at >= first + count ? null : at - first);

const isInView = (view, [row, column]) => inView(row, view.row, view.rows) != null
  && inView(column, view.column, view.columns) != null;

/** Where a token stands in the map, in pixels from its corner: the middle of its cell. */
const pointOfCell = ({ view }, [row, column]) => ({
  down: (row - view.row + 0.5) * view.perToken, across: (column - view.column + 0.5) * view.perToken,
});

/** What part of the map is shown, in words. */
function partText({ maps, view }) {
  const whole = view.rows === maps.rows && view.columns === maps.columns;
  return fill(maps.texts[whole ? "zoom.whole" : "zoom.part"], {
    first_row: view.row, last_row: view.row + view.rows - 1, n_rows: maps.rows,
    first_column: view.column, last_column: view.column + view.columns - 1, n_columns: maps.columns,
  });
}

/** The frame in the chosen thumbnail: where the window lies. */
function placeFrame(node, { tile }, { maps, zoom, layer, head }) {
  node.hidden = !zoom;
  if (!zoom) return;
  const [x, y] = [tile.width / maps.columns, tile.height / maps.rows];
  setPixels(node, {
    left: NAMES.left + head * (tile.width + tile.gap) + zoom.column * x,
    top: NAMES.top + layer * (tile.height + tile.gap) + zoom.row * y,
    width: zoom.columns * x, height: zoom.rows * y,
  });
}
