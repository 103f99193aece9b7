// Sizes: from the width at hand and the lengths of the labels to pixels. Nothing is drawn here.

const FIGURE_GAP = 36; // between the grid and the map
const FINDING = 300; // so wide at least are sentences below the grid
const TILE = { gap: 5, largest: 88 };
const ARROW = 22; // between fed and predicted
const NAMES = { left: 24, top: 18 }; // room for L0, L1 … and H0, H1 …

/** Both figures, side by side where the thumbnails stay large enough to hit, else stacked. */
function layoutOf(width, maps, textWidth) {
  const ratio = window.devicePixelRatio || 1;
  const height = plotHeight(maps);
  const beside = gridLayout(Math.min(width * 0.42, 452), height + 60, maps, ratio);
  const stacked = width < 640 || beside.tile.width * beside.tile.height < 20 * 20;
  const grid = stacked ? gridLayout(width, 300, maps, ratio) : beside;
  const left = stacked ? width : Math.max(grid.width, maps.finding ? FINDING : 0);
  const rest = stacked ? width : width - left - FIGURE_GAP;
  return { ratio, stacked, grid, left, map: mapLayout(rest, height, maps, textWidth, ratio) };
}

/** Thumbnails: whole device pixels per weight where possible, max-pooled when there are too many. */
function gridLayout(width, height, maps, ratio) {
  const { layers, heads, rows, columns } = maps;
  const longest = Math.max(rows, columns);
  const across = (width - NAMES.left) / heads - TILE.gap;
  const down = (height - NAMES.top) / layers - TILE.gap;
  const side = Math.max(8, Math.floor(Math.min(TILE.largest, across, down) * ratio));
  const pool = Math.ceil(longest / side);
  let pixels = Math.floor((side * pool) / longest) || 1;
  if (pool > 1) pixels = 1;
  else if (pixels * longest < side * 0.75) pixels = side / longest;
  const deviceWidth = Math.max(1, Math.round(Math.ceil(columns / pool) * pixels));
  const deviceHeight = Math.max(1, Math.round(Math.ceil(rows / pool) * pixels));
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

  let cells = cellLayout(width - left, height, maps, ratio);
  let angle = keys + 4 <= cells.perToken ? 0 : 90;
  // Slanted labels read best, need a line's height between them, and hang over on the right.
  const slanted = cellLayout(width - left - last * SLANT, height, maps, ratio);
  if (angle && slanted.perToken >= 17) [cells, angle] = [slanted, 45];
  const labelHeight = { 0: LABEL.size + 4, 45: keys * SLANT + LABEL.size * SLANT, 90: keys }[angle];
  const top = AXIS + Math.ceil(labelHeight) + LABEL.gap;
  return {
    ...cells, angle, left, top, fed, predicted, keys,
    every: Math.max(1, Math.ceil(11 / cells.perToken)),
    labelSize: Math.max(9, Math.min(LABEL.size, Math.floor(cells.perToken))),
    overhang: angle === 45 ? last * SLANT : 0,
  };
}
