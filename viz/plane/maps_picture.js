// The figures as pictures to take away: what is zoomed is what is saved.

const CHIPS = { inside: 8, slanted: 24, legendGap: 18, line: 18 };

/** Save one of both figures; `figure` is grid or map, `ending` png or svg. */
function saveFigure(state, figure, ending) {
  const { maps, layer, head, root } = state;
  const style = figureStyle(root);
  const svg = figure === "map" ? mapPicture(state, style) : gridPicture(state, style);
  const kind = maps.kind.replace(".", "-");
  const part = state.zoom && `rows-${state.zoom.row}-columns-${state.zoom.column}`;
  const name = figure === "map" ? [kind, layer, head, part].filter((each) => each != null) : [kind];
  (ending === "png" ? savePng : saveSvg)(svg, `${name.join("-")}.${ending}`);
}

/** The large map, as it is zoomed. */
function mapPicture(state, style) {
  const { maps, layer, head, nodes } = state;
  const view = pictureView(state.view);
  const { left, top, width, height } = view;
  const pixels = pixelsOf(maps, layer, head, view);
  const notes = [
    state.zoom && partText(state), view.pool > 1 && pooledText(maps, view.pool),
    skippedText(maps.texts, view.every, view.every),
  ];
  const below = pictureFoot(maps, pixels.includes(0), notes, style);
  const axisName = figureTextWidth(nodes.plot.querySelector(".axis.down").textContent, 12, style.font);
  const foot = top + Math.max(height, axisName) + CHIPS.legendGap;
  const cells = { across: view.across, down: view.down, cellWidth: view.size, cellHeight: view.size };
  const body = [
    pictureAxes(state, view, style),
    svgMoved(left, top, 0, svgCells({ ...cells, pixels }, style)),
    svgMoved(left, foot, 0, below.body),
  ];
  const overhang = view.angle === 45 ? (view.keys + CHIPS.inside) * SLANT : 0;
  const size = { width: left + Math.max(width + overhang, below.width), height: foot + below.height };
  return figureSvg({
    title: nodes.map.querySelector("figcaption").textContent, ...size, body,
  }, style);
}

/** The view with room for the tints of its labels. */
function pictureView(view) {
  const chips = view.predicted ? 2 : 1;
  const space = view.every * view.perToken;
  const keys = view.keys + CHIPS.inside;
  const turned = view.perToken >= CHIPS.slanted ? 45 : 90;
  const angle = keys + 4 <= view.perToken ? 0 : turned;
  return {
    ...view, angle, left: view.left + chips * CHIPS.inside,
    labelSize: Math.max(8, Math.min(LABEL.size, Math.floor(space / 1.25))),
    top: AXIS + Math.ceil(heightOfLabels(angle, keys)) + LABEL.gap,
  };
}

function pictureAxes({ maps, textWidth, nodes }, view, style) {
  const { left, top, angle, every, perToken, labelSize: size, row, column, rows, columns } = view;
  const quiet = { fill: style.quiet };
  const name = (selector) => nodes.plot.querySelector(selector).textContent;
  const chip = ([text, flags], side, align, x = 0) => svgChip({
    text: shortened(text, LABEL.longest, textWidth), flags, side, align, size, x,
  }, style);
  const shown = (first, count) => {
    const begin = Math.ceil(first / every) * every;
    return Array.from({ length: Math.ceil((first + count - begin) / every) }, (_, i) => begin + i * every);
  };
  const right = left - LABEL.gap;
  const arrow = right - view.predicted - CHIPS.inside - ARROW / 2;
  const rowLabels = shown(row, rows).map((i) => svgMoved(0, top + (i - row + 0.5) * perToken, 0,
    maps.decoder ? [
      chip(maps.queries[i], maps.rowSide, "right", arrow - ARROW / 2),
      svgText(arrow, 0.34 * size, "→", { "text-anchor": "middle", "font-size": size, ...quiet }),
      chip(maps.predicted[i], "target", "left", arrow + ARROW / 2),
    ] : chip(maps.queries[i], maps.rowSide, "right", right)));
  const baseline = top - LABEL.gap - (angle ? 0 : size / 2);
  return [
    svgText(left, AXIS / 2 + 2, name(".axis.across"), quiet),
    svgMoved(AXIS / 2 + 2, top, -90, svgText(0, 0, name(".axis.down"), { "text-anchor": "end", ...quiet })),
    rowLabels,
    shown(column, columns).map((i) => svgMoved(
      left + (i - column + 0.5) * perToken, baseline, -angle,
      chip(maps.keys[i], maps.columnSide, angle ? "left" : "center"))),
  ];
}

/** All heads: the sheet as it is on the screen, with the names of its rows and columns. */
function gridPicture({ maps, nodes, layout }, style) {
  const { grid } = layout;
  const { tile, width, height } = grid;
  const at = (i, size) => i * (size + tile.gap);
  const hidden = maps.visible.includes(0);
  const sheet = { width: at(maps.heads, tile.width) - tile.gap, height: at(maps.layers, tile.height) - tile.gap };
  const quiet = { fill: style.quiet, "font-size": 11 };
  const each = (count, make) => Array.from({ length: count }, (_, i) => make(i));
  const hatch = svgHatch(tile.width, tile.height, style);
  const body = [
    each(maps.heads, (head) => svgText(
      NAMES.left + at(head, tile.width) + tile.width / 2, NAMES.top - 7,
      fill(maps.texts["head.short"], { head }), { "text-anchor": "middle", ...quiet })),
    each(maps.layers, (layer) => svgText(
      0, NAMES.top + at(layer, tile.height) + tile.height / 2 + 4,
      fill(maps.texts["layer.short"], { layer }), quiet)),
    svgMoved(NAMES.left, NAMES.top, 0,
      hidden ? each(maps.layers * maps.heads, (i) => svgMoved(
        at(i % maps.heads, tile.width), at(Math.floor(i / maps.heads), tile.height), 0, hatch)) : [],
      svgNode("image", {
        ...sheet, href: nodes.sheetCanvas.toDataURL("image/png"), preserveAspectRatio: "none",
        style: "image-rendering: pixelated",
      })),
  ];
  const pool = grid.pool * maps.pool;
  const foot = height + CHIPS.legendGap - tile.gap;
  const below = pictureFoot(maps, hidden, [pool > 1 && pooledText(maps, pool)], style);
  return figureSvg({
    title: fill(maps.texts[`picture.${maps.kind}`], { n: maps.layers * maps.heads }),
    width: Math.max(width, NAMES.left + below.width), height: foot + below.height,
    body: [body, svgMoved(NAMES.left, foot, 0, below.body)],
  }, style);
}

/** How to read the colours, and what else is to be known. */
function pictureFoot(maps, hidden, notes, style) {
  const said = notes.filter(Boolean);
  const legend = svgLegend({
    name: maps.texts.weight, ticks: ["0", "0.5", "1"], colours: COLOURS,
    hidden: hidden ? maps.texts.hidden : "",
  }, style);
  const lines = said.map((note, i) =>
    svgText(0, legend.height + (i + 0.9) * CHIPS.line, note, { fill: style.quiet }));
  const wide = said.map((note) => figureTextWidth(note, FIGURE.text, style.font));
  return {
    body: [legend.body, lines], width: Math.max(FIGURE_LEGEND.width + 60, ...wide),
    height: legend.height + said.length * CHIPS.line,
  };
}
