// The component: what it shows and what it answers to. Drawn anew in place, never rebuilt.

export default function (component) {
  const leave = ({ telling }) => clearTimeout(telling);
  return mount(component, ".maps", { create, receive, draw, leave });
}

function create(state, find) {
  const nodes = {
    translation: find(".translation"), figures: find(".figures"), tooltip: find(".tooltip"),
    live: find(".live"), grid: find(".grid"), sheet: find(".sheet"), sheetCanvas: find(".sheet canvas"),
    tiles: find(".tiles"), map: find(".map"), plot: find(".plot"), cells: find(".cells"),
    cellCanvas: find(".cells canvas"), rows: find(".labels.rows"), columns: find(".labels.columns"),
    rowBand: find(".band.row"), columnBand: find(".band.column"), cursor: find(".cursor"),
    zoom: find(".zoom"), part: find(".part"), frame: find(".frame"),
    masked: find(".masked"), skipped: find(".skipped"),
  };
  Object.assign(state, { nodes, marked: [], cursor: null, zoom: null, told: "null", turned: 0 });
  Object.assign(state, measured(state, nodes.rows, LABEL.size));
  answerPointer(state);
  answerKeys(state);
  answerZoom(state);
  drawLegend(find(".legend canvas"));
}

/** Take over new maps, and their selection unless it is older than the visitor's last click. */
function receive(state, data) {
  const maps = readPayload(data);
  const [layer, head] = maps.selected;
  const { pending } = state;
  const late = pending && maps.content === state.maps.content
    && isRecent(pending.since)
    && (layer !== pending.layer || head !== pending.head);
  if (!late) [state.layer, state.head, state.pending] = [layer, head, null];
  if (maps.words !== state.maps?.words) [state.cursor, state.lastCursor] = [null, null];
  receiveZoom(state, maps);
  state.maps = maps;
}

/** Take over the page's zoom where it is news; another sentence is shown as the page says. */
function receiveZoom(state, maps) {
  const told = JSON.stringify(maps.zoom);
  const other = maps.sentence !== state.maps?.sentence;
  const recent = isRecent(state.zoomedAt);
  if (other) clearTimeout(state.telling);
  if (other || (told !== state.told && !recent)) state.zoom = checkedWindow(maps.zoom, maps);
  state.told = told;
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
    if (!state.layout.map.zoomable) state.zoom = null;
    [state.content, state.shown] = [null, null];
  }
  if (JSON.stringify(state.zoom) !== state.shown) placeView(state);
  if (maps.content !== state.content) {
    drawSheet(nodes.sheetCanvas, maps, state.layout.grid);
    nodes.masked.hidden = !maps.visible.includes(0);
    state.content = maps.content;
  }
  nodes.grid.querySelector(".finding").textContent = maps.finding;
  drawSelection(state);
}

/** The chosen head: its frame, its title, its pixels, its number under the pointer. */
function drawSelection(state) {
  const { maps, nodes, layer, head } = state;
  for (const tile of nodes.tiles.children) {
    const chosen = Number(tile.dataset.layer) === layer && Number(tile.dataset.head) === head;
    tile.setAttribute("aria-pressed", chosen);
    tile.tabIndex = chosen ? 0 : -1;
  }
  const title = fill(maps.texts[`title.${maps.kind}`], { layer, head });
  nodes.map.querySelector("figcaption").textContent = title;
  nodes.cellCanvas.setAttribute("aria-label", title);
  nameTools(nodes.map, title, maps.texts);
  const help = state.layout.map.zoomable ? "zoom.help" : "map.help";
  nodes.cells.setAttribute("aria-label", `${title}. ${maps.texts[help]}`);
  state.root.dataset.exact = layer === maps.selected[0] && head === maps.selected[1];
  drawCells(state);
}

/** The pixels of what is shown, what is marked in it, and where it lies in the chosen thumbnail. */
function drawCells(state) {
  const { maps, nodes, layer, head, layout, view } = state;
  drawMap(nodes.cellCanvas, maps, layer, head, view);
  rest(state);
  placeFrame(nodes.frame, layout.grid, state);
  markDrawn(state, "attention-maps-drawn");
}
