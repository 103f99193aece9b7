// Attention maps: all heads as thumbnails, one of them large.

import { movedBy } from "../component/keys.js";
import { isRecent } from "../component/mount.js";
import { deviceRatio, magnified } from "../component/pixels.js";
import { plotHeight } from "../component/plot.js";
import { ended, fill, joined } from "../component/text.js";
import { element } from "../component/tokens.js";
import { besides, showTooltip } from "../component/tooltip.js";
import { partOfElement } from "./parts.js";
import { panelPicture } from "./picture.js";
import { accept, draw } from "./plane.js";
import { drawSentences } from "./sentences.js";
import { panelLayout, sizesOf } from "./sizes.js";
import {
  drawSheet, gridLayout, gridPicture, placeGrid, placeWindow, showTile, tallGrid, TILE,
} from "./thumbnails.js";
import { checkedWindow } from "./zoom.js";

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
    nodes.translation.replaceChildren(...markedText(view.translation, view.doubts));
    nodes.translation.hidden = !view.translation;
    nodes.marks.textContent = view.legend;
    nodes.marks.hidden = !view.legend;
    drawSentences(state);
    placeGrid(state);
  },
  said({ view: { texts, pins, panels: [{ title }] }, layout }) {
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
    state.root.dataset.exact = Boolean(view.panels[0].values);
    showTile(state);
    placeWindow(state);
  },
  click(state, target) {
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

/** A text with its doubtful words as elements, which the keyboard reaches and a reader reads. */
function markedText(text, doubts) {
  // Places count characters, not halves of them.
  const signs = [...text];
  const said = (start, end) => signs.slice(start, end).join("");
  const ends = [0, ...doubts.map(([, end]) => end)];
  const parts = doubts.flatMap(([start, end, words, unseen], i) => {
    const word = element("span", unseen ? "doubt unseen" : "doubt", said(start, end));
    Object.assign(word, { role: "note", ariaLabel: words, tabIndex: 0 });
    word.dataset.said = words;
    return [said(ends[i], start), word];
  });
  return [...parts, said(ends.at(-1))];
}

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
  view.exact = frame.arrays[chosen.weights];
  receiveZoom(state, view, chosen.zoom);
  if (view !== state.view) accept(state, view);
  chooseHead(state);
  return true;
}

/** Take over the page's zoom where it is news; another sentence is shown as the page says. */
function receiveZoom(state, view, sent) {
  const [figure] = state.figures;
  const told = JSON.stringify(sent);
  const other = view.panels[0].tokens !== state.view?.panels[0].tokens;
  if (other) clearTimeout(state.telling);
  if (other || (told !== state.told && !isRecent(state.zoomedAt))) {
    const [row, column, rows, columns] = sent ?? [];
    figure.zoom = checkedWindow(sent && { row, column, rows, columns }, view.panels[0]);
  }
  state.told = told;
}

/** The large panel is that of the chosen head: exact where it has come, else as all heads are sent. */
function chooseHead({ view, layer, head }) {
  const { panels: [panel], chosen, exact, heads, cells, arrays, pool, content, texts, kind } = view;
  const start = (layer * heads + head) * cells;
  const isExact = layer === chosen[0] && head === chosen[1];
  Object.assign(panel, {
    values: isExact ? exact : null, numbers: null,
    coarse: { bytes: arrays[view.tiles].subarray(start, start + cells), scale: pool },
    title: fill(texts[`title.${kind}`], { layer, head }),
    content: `${content} ${layer} ${head} ${isExact}`,
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
