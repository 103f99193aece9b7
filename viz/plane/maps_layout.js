// Sizes: from the width at hand and the lengths of the labels to pixels. Nothing is drawn here.

const FIGURE_GAP = 36; // between the grid and the map
const AXIS_NAME = 240; // shorter axes than this may be shorter than their names
const CAPTION = 170; // so wide at least is the grid with its title
const FINDING = 300; // so wide at least are sentences below the grid
const TILE = { gap: 5, largest: 88, smallest: 20 };
const ARROW = 22; // between fed and predicted
const SLANTED = 17; // so large at least are cells below slanted labels; smaller ones can be zoomed
const READABLE_ZOOMED = 24; // cells to which Enter zooms
const NAMES = { left: 24, top: 18 }; // room for L0, L1 … and H0, H1 …

/** Both figures, side by side where the thumbnails stay large enough to hit, else stacked. */
function layoutOf(width, maps, textWidth) {
  const ratio = window.devicePixelRatio || 1;
  const height = plotHeight(maps);
  const beside = gridLayout(Math.min(width * 0.42, 452), height + 60, maps, ratio);
  const stacked = width < 640 || beside.tile.width * beside.tile.height < 20 * 20;
  const grid = stacked ? gridLayout(width, 300, maps, ratio) : beside;
  const left = stacked ? width : Math.max(grid.width, maps.finding ? FINDING : CAPTION);
  const rest = stacked ? width : width - left - FIGURE_GAP;
  return { ratio, stacked, grid, left, map: mapLayout(rest, height, maps, textWidth, ratio) };
}

/** Thumbnails: whole device pixels per weight where possible, max-pooled when there are too many. */
function gridLayout(width, height, maps, ratio) {
  const { layers, heads, sent } = maps;
  const { rows, columns } = sent;
  const longest = Math.max(rows, columns);
  const across = (width - NAMES.left) / heads - TILE.gap;
  const down = (height - NAMES.top) / layers - TILE.gap;
  const side = Math.max(8, Math.floor(Math.min(TILE.largest, across, down) * ratio));
  const pool = Math.ceil(longest / side);
  let pixels = Math.floor((side * pool) / longest) || 1;
  if (pool > 1) pixels = 1;
  else if (pixels * longest < side * 0.75) pixels = side / longest;
  // However thin a map is, a pointer must hit it, and its name stand above it.
  const least = Math.min(side, TILE.smallest * ratio);
  const deviceWidth = Math.max(least, Math.round(Math.ceil(columns / pool) * pixels));
  const deviceHeight = Math.max(least, Math.round(Math.ceil(rows / pool) * pixels));
  const gap = Math.round(TILE.gap * ratio);
  const tile = { width: deviceWidth / ratio, height: deviceHeight / ratio, gap: gap / ratio };
  return {
    pool, gap, tile, deviceWidth, deviceHeight,
    width: NAMES.left + heads * (tile.width + tile.gap),
    height: NAMES.top + layers * (tile.height + tile.gap),
  };
}

/** The large map: how far its cells go, how its labels turn, and which of them there is room for. */
function mapLayout(width, height, maps, textWidth, ratio) {
  const widest = (labels) => Math.min(LABEL.longest, Math.max(0, ...labels.map(textWidth)));
  const fed = widest(maps.queries);
  const predicted = maps.decoder ? widest(maps.predicted) : 0;
  const keys = widest(maps.keys);
  const left = AXIS + fed + (maps.decoder ? ARROW + predicted : 0) + LABEL.gap;
  const last = Math.min(LABEL.longest, textWidth(maps.keys[maps.columns - 1]));
  const room = width - left;

  let cells = cellLayout(room, height, maps, ratio);
  let angle = keys + 4 <= cells.perToken ? 0 : 90;
  // Slanted labels read best, need a line's height between them, and hang over on the right.
  const slanted = cellLayout(room - last * SLANT, height, maps, ratio);
  if (angle && slanted.perToken >= SLANTED) [cells, angle] = [slanted, 45];
  const zoomable = cells.perToken < SLANTED;
  const angles = zoomable ? [0, 45, 90] : [angle];
  const labelHeight = Math.max(...angles.map((turn) => heightOfLabels(turn, keys)));
  return {
    ...cells, ...labelling(cells), angle, left, fed, predicted, keys, zoomable,
    top: AXIS + Math.ceil(labelHeight) + LABEL.gap,
    overhang: angle === 45 ? last * SLANT : 0,
    box: zoomable ? boxLayout(room, height, keys, cells, maps) : { width: cells.width, height: cells.height },
  };
}

const heightOfLabels = (angle, keys) =>
  ({ 0: LABEL.size + 4, 45: (keys + LABEL.size) * SLANT, 90: keys })[angle];

/** Every how many there is room for a label, and how large it is written. */
const labelling = ({ perToken }) => ({
  every: Math.max(1, Math.ceil(11 / perToken)),
  labelSize: Math.max(9, Math.min(LABEL.size, Math.floor(perToken))),
});

/** Where zoomed cells go: as large a place as all of them take, or a square where they are few. */
function boxLayout(room, height, keys, cells, { rows, columns }) {
  const square = Math.min(room - keys * SLANT, height);
  const width = Math.min(Math.max(cells.width, square), columns * LARGEST_CELL);
  return {
    width, height: Math.min(height, rows * LARGEST_CELL), slants: width + keys * SLANT <= room,
  };
}
