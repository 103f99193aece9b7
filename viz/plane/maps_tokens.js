// Words: chips, axis labels, and marking one token wherever it stands.

const SEEN_AT_ONCE = 160; // words; more than the lines shown of a long sentence can hold

/** Chips of a sentence. */
function drawChips(node, labels, side, texts) {
  const chips = labels.map((label, i) => tokenElement(label, side, i, "chip", texts));
  const parts = inWords(chips);
  node.replaceChildren(...parts.slice(0, SEEN_AT_ONCE));
  // The rest lies below the edge of the scrolled box: it comes after the picture is on the screen.
  const late = parts.slice(SEEN_AT_ONCE);
  const add = () => parts[0].parentNode === node && node.append(...late);
  if (late.length) requestAnimationFrame(() => setTimeout(add));
  node.parentElement.hidden = !labels.length;
  return chips;
}

function rowLabel({ maps, view, textWidth }, row) {
  const node = element("div", "label");
  node.style.setProperty("--at", row - view.row);
  node.append(axisToken(maps.queries[row], maps.rowSide, row, maps.texts, textWidth));
  if (maps.decoder) {
    const predicted = axisToken(maps.predicted[row], "target", row + 1, maps.texts, textWidth);
    predicted.classList.add("predicted");
    node.append(element("span", "arrow", "→"), predicted);
  }
  return node;
}

function columnLabel({ maps, view, textWidth }, column) {
  const node = element("div", "label");
  node.style.setProperty("--at", column - view.column);
  node.append(axisToken(maps.keys[column], maps.columnSide, column, maps.texts, textWidth));
  return node;
}

/** Which rows, columns and chips stand for one token. */
function placesOfToken(maps, side, index) {
  const fed = side === maps.rowSide && index < maps.rows;
  return {
    row: fed ? index : null,
    column: side === maps.columnSide && index < maps.columns ? index : null,
    chips: [[side, index]],
    soft: [],
    // The token just predicted is fed to the next row.
    predicted: maps.decoder && side === "target" && index > 0 ? index - 1 : null,
  };
}

/** Which rows, columns and chips stand for one cell. */
function placesOfCell(maps, row, column) {
  return {
    row, column,
    chips: [[maps.rowSide, row], [maps.columnSide, column]],
    soft: maps.decoder ? [["target", row + 1]] : [],
    predicted: maps.decoder ? row : null,
  };
}

/** Mark these places and nothing else. */
function mark(state, places) {
  const { nodes, view } = state;
  for (const node of state.marked) node.classList.remove("marked", "soft");
  state.marked = [];
  const add = (node, ...names) => {
    if (!node) return;
    node.classList.add(...names);
    state.marked.push(node);
  };
  for (const [side, index] of places?.chips ?? []) {
    add(state.chips[side][index], "marked");
    bringIntoView(state.chips[side][index]);
  }
  for (const [side, index] of places?.soft ?? []) add(state.chips[side][index], "marked", "soft");
  const shown = {
    row: inView(places?.row, view.row, view.rows),
    column: inView(places?.column, view.column, view.columns),
  };
  const at = (inside, label) => (inside == null ? null : label);
  const row = labelAt(
    nodes.rows, state.rowLabels, at(shown.row, places?.row), (i) => rowLabel(state, i));
  const column = labelAt(
    nodes.columns, state.columnLabels, at(shown.column, places?.column), (i) => columnLabel(state, i));
  add(row?.firstElementChild, "marked");
  add(column?.firstElementChild, "marked");
  if (places?.predicted != null) {
    add(state.rowLabels.get(places.predicted)?.lastElementChild, "marked", "soft");
  }
  placeBand(nodes.rowBand, shown.row, view);
  placeBand(nodes.columnBand, shown.column, view);
}
