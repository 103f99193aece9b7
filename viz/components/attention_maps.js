// The component: what it shows and what it answers to. Drawn anew in place, never rebuilt.

const SERVER_ANSWERS_WITHIN = 3000; // milliseconds

export default function (component) {
  return mount(component, ".maps", { create, receive, draw });
}

function create(state, find) {
  const nodes = {
    translation: find(".translation"), figures: find(".figures"), tooltip: find(".tooltip"),
    live: find(".live"), grid: find(".grid"), sheet: find(".sheet"), sheetCanvas: find(".sheet canvas"),
    tiles: find(".tiles"), map: find(".map"), plot: find(".plot"), cells: find(".cells"),
    cellCanvas: find(".cells canvas"), rows: find(".labels.rows"), columns: find(".labels.columns"),
    rowBand: find(".band.row"), columnBand: find(".band.column"), cursor: find(".cursor"),
  };
  Object.assign(state, { nodes, marked: [], cursor: null });
  measureWith(state);
  answerPointer(state);
  answerKeys(state);
  drawLegend(find(".legend canvas"));
}

/** Widths of labels in the font they are written in; measured again once that font has come. */
function measureWith(state) {
  const context = document.createElement("canvas").getContext("2d");
  const family = getComputedStyle(state.nodes.rows).fontFamily;
  context.font = `${LABEL.size}px ${family}`;
  state.textWidth = ([text]) => Math.ceil(context.measureText(text).width) + 2;
  if (document.fonts.check(context.font)) return;
  document.fonts.load(context.font).then(() => {
    state.placed = null;
    if (state.width && state.maps) draw(state);
  }, () => {});
}

/** Take over new maps, and their selection unless it is older than the visitor's last click. */
function receive(state, data) {
  const maps = readPayload(data);
  const [layer, head] = maps.selected;
  const { pending } = state;
  const late = pending && maps.content === state.maps.content
    && performance.now() - pending.since < SERVER_ANSWERS_WITHIN
    && (layer !== pending.layer || head !== pending.head);
  if (!late) [state.layer, state.head, state.pending] = [layer, head, null];
  if (maps.words !== state.maps?.words) state.cursor = null;
  state.maps = maps;
}

function draw(state) {
  const { maps, nodes, width } = state;
  const placed = `${width} ${window.devicePixelRatio} ${maps.words}`;
  if (placed !== state.placed) {
    state.placed = placed;
    state.layout = layoutOf(width, maps, state.textWidth);
    drawWords(state);
    placeGrid(state);
    placeMap(state);
    state.content = null;
  }
  if (maps.content !== state.content) {
    drawSheet(nodes.sheetCanvas, maps, state.layout.grid);
    state.content = maps.content;
  }
  nodes.grid.querySelector(".finding").textContent = maps.finding;
  drawSelection(state);
}

/** The chosen head: its frame, its title, its pixels, its number under the pointer. */
function drawSelection(state) {
  const { maps, nodes, layer, head, layout } = state;
  for (const tile of nodes.tiles.children) {
    const chosen = Number(tile.dataset.layer) === layer && Number(tile.dataset.head) === head;
    tile.setAttribute("aria-pressed", chosen);
    tile.tabIndex = chosen ? 0 : -1;
  }
  const title = fill(maps.texts[`title.${maps.kind}`], { layer, head });
  nodes.map.querySelector("figcaption").textContent = title;
  nodes.cellCanvas.setAttribute("aria-label", title);
  nodes.cells.setAttribute("aria-label", `${title}. ${maps.texts["map.help"]}`);
  drawMap(nodes.cellCanvas, maps, layer, head, layout.map);
  rest(state);
  state.root.dataset.exact = layer === maps.selected[0] && head === maps.selected[1];
  markDrawn(state, "attention-maps-drawn");
}

function drawWords(state) {
  const { maps, nodes, root } = state;
  const { texts } = maps;
  nodes.translation.textContent = maps.translation;
  nodes.translation.hidden = !maps.translation;
  state.chips = {};
  for (const side of ["source", "target"]) {
    root.querySelector(`.side.${side}`).textContent = texts[side];
    state.chips[side] = drawChips(root.querySelector(`.chips.${side}`), maps[side], side, texts);
  }
  root.querySelector(".axis.across").textContent = texts.key;
  root.querySelector(".axis.down").textContent = texts[maps.decoder ? "query.decoder" : "query"];
  root.querySelector(".legend .name").textContent = texts.weight;
  root.querySelector(".hidden-name").textContent = texts.hidden;
}

function placeGrid({ maps, nodes, layout }) {
  const { grid } = layout;
  const { texts, layers, heads } = maps;
  nodes.figures.classList.toggle("stacked", layout.stacked);
  const title = fill(texts.grid, { n: layers * heads });
  nodes.grid.querySelector("figcaption").textContent = title;
  nodes.grid.querySelector(".note").textContent =
    grid.pool > 1 ? fill(texts.pooled, { n: grid.pool }) : "";
  nodes.sheetCanvas.setAttribute("aria-label", title);
  nodes.tiles.setAttribute("aria-label", `${title}. ${texts["grid.help"]}`);
  setPixels(nodes.grid, {
    "--figure": layout.left, "--width": grid.width, "--height": grid.height, "--names-left": NAMES.left,
    "--names-top": NAMES.top, "--tile-width": grid.tile.width, "--tile-height": grid.tile.height,
    "--tile-gap": grid.tile.gap,
  });
  // The buttons stay where they can, lest one that has the focus lose it.
  const named = `${layers} × ${heads} ${texts.head} ${texts["head.short"]} ${texts["layer.short"]}`;
  if (nodes.tiles.dataset.named === named) return;
  nodes.tiles.dataset.named = named;
  const numbers = (count) => Array.from({ length: count }, (_, i) => i);
  const names = (selector, count, template, name) =>
    nodes.sheet.querySelector(selector).replaceChildren(
      ...numbers(count).map((i) => element("span", "", fill(template, { [name]: i }))));
  names(".head-names", heads, texts["head.short"], "head");
  names(".layer-names", layers, texts["layer.short"], "layer");
  nodes.tiles.style.setProperty("--heads", heads);
  nodes.tiles.replaceChildren(...numbers(layers * heads).map((i) => tileButton(i, maps)));
}

function tileButton(i, { heads, texts }) {
  const [layer, head] = [Math.floor(i / heads), i % heads];
  const tile = element("button", "tile");
  tile.type = "button";
  Object.assign(tile.dataset, { layer, head });
  tile.setAttribute("aria-label", fill(texts.head, { layer, head }));
  return tile;
}

function placeMap(state) {
  const { maps, nodes, textWidth } = state;
  const { map } = state.layout;
  nodes.map.querySelector(".note").textContent =
    map.pool > 1 ? fill(maps.texts.pooled, { n: map.pool }) : "";
  nodes.plot.dataset.angle = map.angle;
  nodes.plot.classList.toggle("fine", map.size < 7);
  setPixels(nodes.map, {
    "--left": map.left, "--top": map.top, "--width": map.width, "--height": map.height,
    "--cell-width": map.size, "--cell-height": map.size, "--label-size": map.labelSize,
    "--row-step": map.perToken, "--column-step": map.perToken,
    "--overhang": map.overhang, "--fed": map.fed, "--predicted": map.predicted,
  });
  state.rowLabels = drawLabels(nodes.rows, maps.rows, map.every, (i) => rowLabel(maps, i, textWidth));
  state.columnLabels = drawLabels(
    nodes.columns, maps.columns, map.every, (i) => columnLabel(maps, i, textWidth));
}
