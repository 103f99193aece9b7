// Marking tokens wherever they stand, and one cell.

/** Mark these tokens, each `[side, index]`, and nothing else. */
function mark(state, tokens) {
  for (const node of state.marked) node.classList.remove("marked");
  state.marked = [];
  const add = (node) => {
    if (!node) return;
    node.classList.add("marked");
    state.marked.push(node);
  };
  for (const [side, index] of tokens) {
    add(state.chips[side][index]);
    bringIntoView(state.chips[side][index]);
  }
  state.view.groups.forEach((group, i) => {
    const figure = state.figures[i];
    const [, column] = tokens.find(([side]) => side === group.across) ?? [];
    const shown = column < group.columns ? column : null;
    const make = (at) => columnLabel(state, group, at);
    add(labelAt(figure.columns, figure.columnLabels, shown, make)?.firstElementChild);
    placeBand(figure.band, shown, state.layout.groups[i]);
    if (shown == null) return;
    for (const node of figure.tops.querySelectorAll(`[data-index="${shown}"]`)) add(node);
  });
}

/** Put the frame around one cell of one group, and around none of the others. */
function placeCursor(state, place) {
  state.figures.forEach(({ cursor }, i) => {
    cursor.hidden = place?.group !== i;
    if (cursor.hidden) return;
    cursor.style.setProperty("--row", place.strip);
    cursor.style.setProperty("--column", Math.floor(place.column / state.layout.groups[i].pool));
  });
}

function showToken(state, { side, index }) {
  mark(state, [[side, Number(index)]]);
  placeCursor(state, null);
  hideTooltip(state);
}

function showCell(state, place, point) {
  const { view } = state;
  const group = view.groups[place.group];
  // The token across comes first: its column is the one with a frame.
  mark(state, [[group.across, place.column], [view.side, view.index]]);
  placeCursor(state, place);
  const word = ([text]) => element("bdi", "", text);
  const [here, there] = [word(view.followed), word(group.labels[place.column])];
  const lines = [element("span", "line"), element("span", "line quiet")];
  lines[0].append(...fillParts(view.texts.cell, {
    query: view.direction === "at" ? here : there, key: view.direction === "at" ? there : here,
    weight: element("b", "", weightText(view, group, place.strip, place.column)),
  }));
  lines[1].textContent = stripName(view, group, place.strip);
  showTooltip(state, lines, point);
}

/** What is marked while nothing is pointed at: the keyboard's cell, if there is one. */
function rest(state) {
  if (state.cursor) return showCell(state, state.cursor, besidePlace(state, state.cursor));
  mark(state, []);
  placeCursor(state, null);
  return hideTooltip(state);
}

function besidePlace({ figures, layout }, { group, strip, column }) {
  const box = figures[group].cells.getBoundingClientRect();
  return {
    clientX: box.left + (column + 1) * layout.groups[group].perToken,
    clientY: box.top + (strip + 1) * STRIP.height,
  };
}
