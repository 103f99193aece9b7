// Words, buttons and labels at their places; what is drawn anew only when they change.

/** What the buttons below a figure are called. */
function nameTools(figure, title, texts) {
  for (const name of ["png", "svg"]) {
    const button = figure.querySelector(`.tools .${name}`);
    button.textContent = texts[name];
    button.setAttribute("aria-label", fill(texts[`${name}.help`], { title }));
  }
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
  const title = fill(texts[layers * heads > 1 ? "grid" : "grid.one"], { n: layers * heads });
  nodes.grid.querySelector("figcaption").textContent = title;
  nameTools(nodes.grid, title, texts);
  nodes.grid.querySelector(".note").textContent =
    grid.pool * maps.pool > 1 ? pooledText(maps, grid.pool * maps.pool) : "";
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

function placeMap({ maps, nodes, layout }) {
  const { map } = layout;
  const { texts } = maps;
  nodes.zoom.parentElement.hidden = !map.zoomable;
  nodes.map.querySelector(".pooled").hidden = map.pool === 1;
  nodes.zoom.setAttribute("aria-label", texts.zoom);
  for (const button of nodes.zoom.querySelectorAll("button")) {
    const name = texts[`zoom.${button.dataset.zoom}`];
    Object.assign(button, { ariaLabel: name, title: name });
  }
  nodes.zoom.querySelector("[data-zoom=all]").textContent = texts["zoom.all.short"];
  nodes.map.querySelector(".hint").textContent = texts["zoom.hint"];
  setPixels(nodes.map, {
    "--left": map.left, "--top": map.top, "--fed": map.fed, "--predicted": map.predicted,
    "--overhang": map.overhang,
    "--box-height": map.box.height < AXIS_NAME
      ? Math.max(map.box.height, nodes.plot.querySelector(".axis.down").offsetHeight)
      : map.box.height,
  });
}

/** The labels of what is shown, and its size. */
function placeView(state) {
  const { maps, nodes, layout, zoom } = state;
  const view = state.view = viewOf(layout, maps, zoom);
  state.shown = JSON.stringify(zoom);
  nodes.map.querySelector(".pooled").textContent =
    view.pool > 1 ? pooledText(maps, view.pool) : "";
  // Zoomed, it keeps its place, lest what is below jump.
  const skipped = [view, layout.map].map(({ every }) => skippedText(maps.texts, every, every));
  nodes.skipped.textContent = skipped[0] || skipped[1];
  nodes.skipped.style.visibility = skipped[0] ? "" : "hidden";
  nodes.plot.dataset.angle = view.angle;
  nodes.plot.classList.toggle("fine", view.size < 7);
  setPixels(nodes.plot, {
    "--width": view.width, "--height": view.height, "--cell-width": view.size,
    "--cell-height": view.size, "--label-size": view.labelSize, "--row-step": view.perToken,
    "--column-step": view.perToken,
  });
  state.rowLabels = drawLabels(
    nodes.rows, view.rows, view.every, (i) => rowLabel(state, i), view.row);
  state.columnLabels = drawLabels(
    nodes.columns, view.columns, view.every, (i) => columnLabel(state, i), view.column);
  if (!layout.map.zoomable) return;
  nodes.part.textContent = partText(state);
  const able = { in: view.perToken < LARGEST_CELL, out: zoom, all: zoom };
  for (const button of nodes.zoom.querySelectorAll("button")) {
    button.ariaDisabled = !able[button.dataset.zoom];
  }
  state.root.classList.toggle("zoomed", Boolean(zoom));
}
