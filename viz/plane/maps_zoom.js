// What is shown of the large map: all of it, or a window that was zoomed to. Needs shared_zoom.js.

/** The large map as a plane of shared_zoom.js. */
const planeOf = ({ layout: { map, ratio }, maps: { rows, columns }, view, zoom }) => ({
  rows, columns, ratio, view, zoom, box: map.box, smallest: map.perToken, least: SQUARE,
  readable: READABLE_ZOOMED,
});

/** What is drawn where: the window's tokens, the size of their cells, and how their labels turn. */
function viewOf({ map, ratio }, { rows, columns }, zoom) {
  if (!zoom || !map.zoomable) {
    const { perToken } = map;
    return { ...map, row: 0, column: 0, rows, columns, rowStep: perToken, columnStep: perToken };
  }
  const cells = windowCells({ box: map.box, ratio, least: SQUARE }, zoom);
  const turned = map.box.slants && cells.perToken >= SLANTED ? 45 : 90;
  const angle = map.keys + 4 <= cells.perToken ? 0 : turned;
  return { ...map, ...cells, ...labelling(cells), ...zoom, angle };
}

const windowWith = (state, cell) => windowIncluding(planeOf(state), cell);
const partText = (state) => partSaid(state.maps.texts, planeOf(state));

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
