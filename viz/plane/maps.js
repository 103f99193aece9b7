// Attention maps: all heads as thumbnails on one canvas, one of them large.

import {
  figureStyle, figureSvg, nameTools, svgHatch, svgMoved, svgNode, svgText,
} from "../component/figure.js";
import { movedBy } from "../component/keys.js";
import { isRecent } from "../component/mount.js";
import { deviceRatio, magnified } from "../component/pixels.js";
import { plotHeight, resized, setPixels } from "../component/plot.js";
import { COLOURS } from "../component/scale.js";
import { counted, ended, fill, joined } from "../component/text.js";
import { element } from "../component/tokens.js";
import { besides, showTooltip } from "../component/tooltip.js";
import { refresh } from "./events.js";
import { drawSentences } from "./panel.js";
import { partOfElement } from "./parts.js";
import { drawPatches, patchUnder } from "./patches.js";
import { FIGURE_LEGEND, panelPicture, PICTURE, pictureFoot } from "./picture.js";
import { accept, draw } from "./plane.js";
import { panelLayout, sizesOf } from "./sizes.js";

const FIGURE_GAP = 36; // between the grid and the map
const CAPTION = 170; // so wide at least is the grid with its title
const GRID_BAR = 14; // beside the grid where it scrolls
const FINDING = 300; // so wide at least are sentences below the grid

export const maps = {
  mark: "attention-maps-drawn",
  receive: receiveMaps,
  layout: mapsLayout,
  place(state) {
    const { nodes, figures: [figure], view } = state;
    figure.figure.classList.add("map");
    figure.figure.prepend(nodes.legends);
    figure.zooming.append(nodes.hint);
    figure.figure.append(nodes.patches);
    drawSentences(state);
    placeGrid(state);
  },
  names({ view: { texts, pins, panels: [{ title }] }, layout }) {
    const help = texts[layout.panels[0].zoomable ? "zoom.help" : "map.help"];
    return [title, joined(ended(title), help, pins && texts["pin.help"])];
  },
  drawView(state) {
    placeWindow(state);
  },
  draw(state) {
    const { view, nodes } = state;
    if (view.content !== state.sheet) {
      drawSheet(nodes.sheetCanvas, view, state.layout.grid);
      state.sheet = view.content;
    }
    nodes.grid.querySelector(".finding").textContent = view.finding;
    for (const tile of nodes.tiles.children) {
      const { layer, head } = tile.dataset;
      const chosen = Number(layer) === state.layer && Number(head) === state.head;
      tile.setAttribute("aria-pressed", chosen);
      tile.tabIndex = chosen ? 0 : -1;
    }
    state.root.dataset.exact = view.panels[0].isSent;
    showTile(state);
    placeWindow(state);
  },
  pointed: drawPatches,
  click(state, target, event) {
    const patch = target.closest(".patches canvas") && patchUnder(state, event);
    if (patch != null) {
      state.cursor = { panel: 0, row: patch, column: patch };
      refresh(state);
    }
    const tile = target.closest(".tile");
    if (tile) pickHead(state, Number(tile.dataset.layer), Number(tile.dataset.head));
  },
  key(state, event) {
    const tile = event.target.closest(".tile");
    if (!tile) return;
    const { layers, heads } = state.view;
    const moved = movedBy(event, Number(tile.dataset.layer), Number(tile.dataset.head), layers, heads);
    if (!moved) return;
    const next = state.nodes.tiles.children[moved[0] * heads + moved[1]];
    next.focus();
    showTooltip(state, [next.ariaLabel], besides(next));
  },
  pictures(state, tool) {
    const { view: { kind }, layer, head, figures: [{ zoom }] } = state;
    if (tool.closest(".grid")) return { svg: gridPicture(state), name: kind.replace(".", "-") };
    const part = zoom ? [`rows-${zoom.row}-columns-${zoom.column}`] : [];
    return { svg: panelPicture(state, 0), name: [kind.replace(".", "-"), layer, head, ...part].join("-") };
  },
};

/** Maps come with a head; one that was chosen since comes from an element of its own. */
function receiveMaps(state, view, frame) {
  const [layers, heads, rows, columns] = view.shape;
  const across = Math.ceil(columns / view.pool);
  const cells = across * Math.ceil(rows / view.pool);
  Object.assign(view, { layers, heads, across, cells });
  view.fed = { source: view.source.length, target: view.target.length - 1 };
  state.coming = view;
  state.part?.leave();
  const own = { header: { ...view.head, content: view.content }, arrays: frame.arrays };
  state.part = partOfElement(view.key, (part) => {
    const head = part ?? own;
    if (head !== view.taken && takeHead(state, head) && state.width) draw(state);
  });
  const { frame: part } = state.part;
  takeHead(state, part?.header.content === view.content ? part : own);
}

/** Take over what was chosen of the maps, unless it is older than the visitor's last click. */
function takeHead(state, frame) {
  const { coming: view, pending } = state;
  const chosen = frame?.header;
  if (chosen?.content !== view.content) return false;
  view.taken = frame;
  const [layer, head] = chosen.selected;
  const late = pending && view.content === state.view?.content && isRecent(pending.since)
    && (layer !== pending.layer || head !== pending.head);
  if (!late) Object.assign(state, { layer, head, pending: null });
  view.chosen = [layer, head];
  Object.assign(view, { pin: chosen.pin, spoken: chosen.spoken });
  view.sent = frame.arrays[chosen.weights];
  // Of very many weights only those of the zoom are exact.
  const exact = frame.arrays[chosen.weights + 1];
  const [row, column, rows, columns] = exact?.length ? chosen.zoom : [];
  view.exactPart = exact?.length ? { row, column, rows, columns, values: exact } : null;
  receiveZoom(state, view, chosen.zoom);
  if (view !== state.view) accept(state, view);
  chooseHead(state);
  return true;
}

/** Take over the page's zoom where it is news; another sentence is shown as the page says. */
function receiveZoom(state, view, sent) {
  const [figure] = state.figures;
  const fromPage = JSON.stringify(sent);
  const other = view.panels[0].tokens !== state.view?.panels[0].tokens;
  if (other) clearTimeout(state.reportTimer);
  if (other || (fromPage !== state.zoomFromPage && !isRecent(state.zoomedAt))) {
    const [row, column, rows, columns] = sent ?? [];
    figure.zoom = sent && { row, column, rows, columns };
  }
  state.zoomFromPage = fromPage;
}

/** The large panel is that of the chosen head: as it has come by itself, else as all heads are sent. */
function chooseHead({ view, layer, head }) {
  const { panels: [panel], chosen, sent, exactPart, heads, cells, arrays, pool, content, texts, kind } = view;
  const start = (layer * heads + head) * cells;
  const isSent = layer === chosen[0] && head === chosen[1];
  const isExact = isSent && sent instanceof Float32Array;
  Object.assign(panel, {
    values: isExact ? sent : null, numbers: null, exactPart: isSent ? exactPart : null, isSent,
    coarse: isSent && !isExact ? { bytes: sent, scale: 1 }
      : { bytes: arrays[view.tiles].subarray(start, start + cells), scale: pool },
    title: fill(texts[`title.${kind}`], { layer, head }),
    content: `${content} ${layer} ${head} ${isSent}`,
  });
}

/** Show another head at once; the server learns of it and sends that head's exact weights. */
function pickHead(state, layer, head) {
  Object.assign(state, { layer, head, pending: { layer, head, since: performance.now() } });
  chooseHead(state);
  draw(state);
  state.nodes.live.textContent = state.figures[0].colours.ariaLabel;
  state.send("pick", { layer, head });
}

/** Both figures, side by side where the thumbnails stay large enough to hit, else stacked. */
function mapsLayout({ view, width, measure }) {
  const ratio = deviceRatio();
  const [panel] = view.panels;
  const height = plotHeight(panel);
  const share = magnified() > 1 ? 0.28 : 0.42;
  const least = Math.min(width * share, 452);
  const fits = ({ tile }) => tile.width * tile.height >= TILE.smallest ** 2;
  const whole = gridLayout(least, height + 60, view, ratio);
  // Of many layers all heads cannot be seen at once: they scroll in a frame of their own.
  const beside = fits(whole) ? whole : gridLayout(least, tallGrid(view), view, ratio);
  const stacked = width < 640 || !fits(beside);
  const grid = stacked ? gridLayout(width, 300, view, ratio) : beside;
  const frame = Math.min(grid.height, height + 60);
  const bar = frame < grid.height ? GRID_BAR : 0;
  const left = stacked ? width : Math.max(grid.width + bar, view.finding ? FINDING : CAPTION);
  const rest = stacked ? width : width - left - FIGURE_GAP;
  const sizes = sizesOf(panel, measure, width);
  const layout = panelLayout(panel, sizes, { width: rest, height }, ratio);
  const pixels = { "--fed": sizes.fed, "--predicted": sizes.predicted };
  return {
    ratio, stacked, grid, frame, bar, left, sizes: [sizes],
    panels: [{ ...layout, pixels, plot: layout.top + layout.below }],
  };
}

const TILE = { gap: 5, largest: 88, smallest: 20 };
const NAMES = { left: 24, top: 18 }; // room for L0, L1 … and H0, H1 …

/** Thumbnails: whole device pixels per weight where possible, max-pooled when there are too many. */
export function gridLayout(width, height, { layers, heads, shape, pool: sent }, ratio) {
  const [rows, columns] = [shape[2], shape[3]].map((count) => Math.ceil(count / sent));
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
    pool, gap, tile, deviceWidth, deviceHeight, rows, columns,
    width: NAMES.left + heads * (tile.width + tile.gap),
    height: NAMES.top + layers * (tile.height + tile.gap),
  };
}

/** How tall all heads are where each is as small as can be hit. */
const tallGrid = ({ layers }) => NAMES.top + layers * (TILE.smallest + TILE.gap);

const numbersUpTo = (count) => Array.from({ length: count }, (_, i) => i);

function placeGrid({ view, nodes, layout }) {
  const { grid } = layout;
  const { texts, layers, heads } = view;
  nodes.grid.hidden = false;
  nodes.figures.classList.toggle("stacked", layout.stacked);
  const title = counted(texts, "grid", layers * heads);
  nodes.grid.querySelector("figcaption").textContent = title;
  nameTools(nodes.grid.querySelector(".tools"), title, texts);
  const pool = grid.pool * view.pool;
  nodes.grid.querySelector(".note").textContent = pool > 1 ? fill(texts.pooled, { n: pool }) : "";
  nodes.sheetCanvas.setAttribute("aria-label", title);
  nodes.tiles.setAttribute("aria-label", joined(ended(title), texts["grid.help"]));
  setPixels(nodes.grid, {
    "--figure": layout.left, "--width": grid.width, "--height": grid.height,
    "--frame": layout.frame, "--bar": layout.bar, "--names-left": NAMES.left,
    "--names-top": NAMES.top, "--tile-width": grid.tile.width, "--tile-height": grid.tile.height,
    "--tile-gap": grid.tile.gap,
  });
  // The buttons stay where they can, lest one that has the focus lose it.
  const named = `${layers} × ${heads} ${texts.head} ${texts["head.short"]} ${texts["layer.short"]}`;
  if (nodes.tiles.dataset.named === named) return;
  nodes.tiles.dataset.named = named;
  const names = (selector, count, template, name) =>
    nodes.sheet.querySelector(selector).replaceChildren(
      ...numbersUpTo(count).map((i) => element("span", "", fill(template, { [name]: i }))));
  names(".head-names", heads, texts["head.short"], "head");
  names(".layer-names", layers, texts["layer.short"], "layer");
  nodes.tiles.style.setProperty("--heads", heads);
  nodes.tiles.replaceChildren(...numbersUpTo(layers * heads).map((i) => tileButton(i, view)));
}

function tileButton(i, { heads, texts }) {
  const [layer, head] = [Math.floor(i / heads), i % heads];
  const tile = element("button", "tile");
  tile.type = "button";
  Object.assign(tile.dataset, { layer, head });
  tile.setAttribute("aria-label", fill(texts.head, { layer, head }));
  return tile;
}

/** All heads on one canvas, one image for all of them. */
function drawSheet(canvas, view, grid) {
  const { layers, heads, cells, arrays, pool: scale, panels: [{ visible }] } = view;
  const { rows, columns, pool, deviceWidth, deviceHeight } = grid;
  const [stepX, stepY] = [deviceWidth + grid.gap, deviceHeight + grid.gap];
  const [width, height] = [heads * stepX - grid.gap, layers * stepY - grid.gap];
  const context = resized(canvas, width, height);
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const [across, down] = [columns, rows].map((count) => Math.ceil(count / pool));
  const sent = visible && pooledVisible(visible, view.shape[2], view.shape[3], scale);
  const shown = sent && pooledVisible(sent, rows, columns, pool);
  const largest = new Uint8Array(across * down);
  const columnOf = Uint16Array.from({ length: deviceWidth },
    (_, x) => Math.floor((x * across) / deviceWidth));
  for (let tile = 0; tile < layers * heads; tile += 1) {
    const bytes = arrays[view.tiles].subarray(tile * cells, (tile + 1) * cells);
    largestOfBlocks(bytes, rows, columns, pool, largest);
    const start = Math.floor(tile / heads) * stepY * width + (tile % heads) * stepX;
    for (let y = 0, before = -1; y < deviceHeight; y += 1) {
      const line = Math.floor((y * down) / deviceHeight) * across;
      const to = start + y * width;
      if (line === before) {
        pixels.copyWithin(to, to - width, to - width + deviceWidth);
        continue;
      }
      before = line;
      for (let x = 0; x < deviceWidth; x += 1) {
        const at = line + columnOf[x];
        pixels[to + x] = !shown || shown[at] ? COLOURS[1 + largest[at]] : 0;
      }
    }
  }
  context.putImageData(image, 0, 0);
}

/** Of each block of a head's bytes the largest; what is hidden is 0. */
function largestOfBlocks(bytes, rows, columns, pool, into) {
  if (pool === 1) {
    into.set(bytes);
    return;
  }
  const across = Math.ceil(columns / pool);
  into.fill(0);
  for (let row = 0, cell = 0; row < rows; row += 1) {
    let at = Math.floor(row / pool) * across;
    for (const end = cell + columns; cell < end; at += 1) {
      const last = Math.min(end, cell + pool);
      let most = into[at];
      for (; cell < last; cell += 1) if (bytes[cell] > most) most = bytes[cell];
      into[at] = most;
    }
  }
}

/** Where at least one of the cells that are pooled can be seen. */
function pooledVisible(visible, rows, columns, scale) {
  if (scale === 1) return visible;
  const across = Math.ceil(columns / scale);
  const pooled = new Uint8Array(across * Math.ceil(rows / scale));
  for (let row = 0, cell = 0; row < rows; row += 1) {
    const line = Math.floor(row / scale) * across;
    for (let column = 0; column < columns; column += 1, cell += 1) {
      if (visible[cell]) pooled[line + Math.floor(column / scale)] = 1;
    }
  }
  return pooled;
}

/** Scroll the frame of the heads, where it scrolls, to the chosen one; the page stays where it is. */
function showTile({ nodes: { sheet }, layout: { grid: { tile } }, layer }) {
  if (sheet.scrollHeight <= sheet.clientHeight) return;
  const top = NAMES.top + layer * (tile.height + tile.gap);
  const below = top + tile.height + tile.gap;
  if (top < sheet.scrollTop) sheet.scrollTop = layer ? top : 0;
  else if (below > sheet.scrollTop + sheet.clientHeight) sheet.scrollTop = below - sheet.clientHeight;
}

/** The frame in the chosen thumbnail: where the part of the large map lies that is shown. */
function placeWindow({ nodes: { frame }, layout: { grid: { tile } }, view, figures: [{ zoom }], layer, head }) {
  frame.hidden = !zoom;
  if (!zoom) return;
  const [x, y] = [tile.width / view.shape[3], tile.height / view.shape[2]];
  setPixels(frame, {
    left: NAMES.left + head * (tile.width + tile.gap) + zoom.column * x,
    top: NAMES.top + layer * (tile.height + tile.gap) + zoom.row * y,
    width: zoom.columns * x, height: zoom.rows * y,
  });
}

/** All heads: the sheet as it is on the screen, with the names of its rows and columns. */
function gridPicture({ view, nodes, layout: { grid }, root }) {
  const style = figureStyle(root);
  const { texts, heads, layers, panels: [panel] } = view;
  const { tile, width, height } = grid;
  const at = (i, size) => i * (size + tile.gap);
  const hidden = Boolean(panel.visible?.includes(0));
  const sheet = { width: at(heads, tile.width) - tile.gap, height: at(layers, tile.height) - tile.gap };
  const quiet = { fill: style.quiet, "font-size": 11 };
  const hatch = svgHatch(tile.width, tile.height, style);
  const body = [
    numbersUpTo(heads).map((head) => svgText(
      NAMES.left + at(head, tile.width) + tile.width / 2, NAMES.top - 7,
      fill(texts["head.short"], { head }), { "text-anchor": "middle", ...quiet })),
    numbersUpTo(layers).map((layer) => svgText(
      0, NAMES.top + at(layer, tile.height) + tile.height / 2 + 4,
      fill(texts["layer.short"], { layer }), quiet)),
    svgMoved(NAMES.left, NAMES.top, 0,
      hidden ? numbersUpTo(layers * heads).map((i) => svgMoved(
        at(i % heads, tile.width), at(Math.floor(i / heads), tile.height), 0, hatch)) : [],
      svgNode("image", {
        ...sheet, href: nodes.sheetCanvas.toDataURL("image/png"), preserveAspectRatio: "none",
        style: "image-rendering: pixelated",
      })),
  ];
  const pool = grid.pool * view.pool;
  const below = pictureFoot(panel, pool > 1 ? [fill(texts.pooled, { n: pool })] : [], width, style);
  const foot = height + PICTURE.gap - tile.gap;
  return figureSvg({
    title: fill(texts[`picture.${view.kind}`], { n: layers * heads }),
    width: Math.max(width, NAMES.left + FIGURE_LEGEND.width + 60), height: foot + below.height,
    body: [body, svgMoved(NAMES.left, foot, 0, below.body)],
  }, style);
}
