// What is pointed at: finding the cell, marking it, and saying its number.

function cellUnder(state, event) {
  const box = state.nodes.cells.getBoundingClientRect();
  const { size, down, across } = state.view;
  const inside = (offset, count) => Math.min(count - 1, Math.max(0, Math.floor(offset / size)));
  return largestOfBlock(
    state, inside(event.clientY - box.top, down), inside(event.clientX - box.left, across));
}

/** The weight that gives a pixel its colour: the largest of those that share it. */
function largestOfBlock({ maps, layer, head, view }, down, across) {
  const { pool } = view;
  const sent = finestHead(maps, layer, head);
  let [best, found] = [-1, null];
  const lines = { from: view.row + down * pool, to: view.row + Math.min(view.rows, (down + 1) * pool) };
  const left = view.column + across * pool;
  const right = view.column + Math.min(view.columns, (across + 1) * pool);
  for (let row = lines.from; row < lines.to; row += 1) {
    for (let column = left; column < right; column += 1) {
      const cell = row * maps.columns + column;
      const weight = maps.visible[cell] ? sent.weights[placeIn(sent, row, column)] : -1;
      if (!found || weight > best) [best, found] = [weight, [row, column]];
    }
  }
  return found;
}

function moveCursor(state, cell) {
  [state.cursor, state.closed] = [cell, false];
  showWindow(state, windowWith(state, cell));
  rest(state);
  say(state);
}

/** Have screen readers say something, and the number of the keyboard's cell after it. */
function say({ nodes, cursor }, ...first) {
  const lines = cursor && !nodes.tooltip.hidden ? [...nodes.tooltip.children] : [];
  nodes.live.textContent = [...first, ...lines.map((line) => line.textContent)].join(". ");
}

/** What is marked while nothing is pointed at: the keyboard's cell, if there is one. */
function rest(state) {
  const { cursor, nodes, view } = state;
  const row = cursor && inView(cursor[0], view.row, view.rows);
  const column = cursor && inView(cursor[1], view.column, view.columns);
  if (row == null || column == null) {
    mark(state, null);
    nodes.cursor.hidden = true;
    return hideTooltip(state);
  }
  const box = nodes.cells.getBoundingClientRect();
  showCell(state, ...cursor, {
    clientX: box.left + (column + 1) * view.perToken, clientY: box.top + (row + 1) * view.perToken,
  });
  return state.closed && hideTooltip(state);
}

function showToken(state, node) {
  mark(state, placesOfToken(state.maps, node.dataset.side, Number(node.dataset.index)));
  state.nodes.cursor.hidden = true;
  hideTooltip(state);
}

function showCell(state, row, column, point) {
  const { maps, nodes, layer, head, layout, view } = state;
  mark(state, placesOfCell(maps, row, column));
  nodes.cursor.hidden = false;
  nodes.cursor.style.setProperty("--row", Math.floor((row - view.row) / view.pool));
  nodes.cursor.style.setProperty("--column", Math.floor((column - view.column) / view.pool));
  const word = ([text]) => element("bdi", "", text);
  const lines = [element("span", "line")];
  lines[0].append(...fillParts(maps.texts.cell, {
    query: word(maps.queries[row]),
    key: word(maps.keys[column]),
    weight: element("b", "", weightText(maps, layer, head, row, column)),
  }));
  if (maps.decoder) {
    lines.push(element("span", "line quiet"));
    lines[1].append(...fillParts(maps.texts["row.decoder"], {
      fed: word(maps.queries[row]), predicted: word(maps.predicted[row]),
    }));
  }
  // The same word may stand at several places, and where there are many nobody counts them.
  const twice = (labels, i) => labels.some(([text], at) => at !== i && text === labels[i][0]);
  if (layout.map.zoomable || twice(maps.queries, row) || twice(maps.keys, column)) {
    lines.push(element("span", "line quiet", fill(maps.texts.place, { row, column })));
  }
  showTooltip(state, lines, point);
}
