// Reading the payload of viz.attention_maps.pack, and writing its numbers and sentences.

/** Split the bytes into the header's fields and typed arrays. */
function readPayload(data) {
  const { header, buffer, start } = readFrame(data);
  const [layers, heads, rows, columns] = header.shape;
  const cells = rows * columns;
  const visible = new Uint8Array(buffer, start, cells);
  // What all heads are sent as: of very many weights the largest of each block.
  const sent = { rows: Math.ceil(rows / header.pool), columns: Math.ceil(columns / header.pool) };
  const count = layers * heads * sent.rows * sent.columns;
  return {
    ...header, layers, heads, rows, columns, zoom: readWindow(header.zoom),
    rowSide: header.kind === "encoder.self" ? "source" : "target",
    columnSide: header.kind === "decoder.self" ? "target" : "source",
    decoder: header.kind !== "encoder.self",
    // Everything that decides which words stand where.
    words: JSON.stringify({
      ...header, content: 0, selected: 0, zoom: 0, finding: Boolean(header.finding),
    }),
    // What a zoom belongs to: the words that the model makes of them may change under it.
    sentence: JSON.stringify([header.kind, rows, columns, header.source]),
    visible,
    sent: { ...sent, visible: pooledVisible(visible, rows, columns, header.pool, sent) },
    weights: new Uint8Array(buffer, start + cells, count),
    exact: new Float32Array(buffer, aligned(start + cells + count), cells),
  };
}

/** Where at least one of the cells that are pooled can be seen. */
function pooledVisible(visible, rows, columns, pool, sent) {
  if (pool === 1) return visible;
  const pooled = new Uint8Array(sent.rows * sent.columns);
  for (let row = 0, cell = 0; row < rows; row += 1) {
    const line = Math.floor(row / pool) * sent.columns;
    for (let column = 0; column < columns; column += 1, cell += 1) {
      if (visible[cell]) pooled[line + Math.floor(column / pool)] = 1;
    }
  }
  return pooled;
}

const readWindow = (zoom) =>
  zoom && { row: zoom[0], column: zoom[1], rows: zoom[2], columns: zoom[3] };

/** A head's weights as they were sent: 0 to 255, each for `scale` × `scale` cells. */
function sentHead({ sent, weights, heads, pool }, layer, head) {
  const size = sent.rows * sent.columns;
  const start = (layer * heads + head) * size;
  return {
    columns: sent.columns, visible: sent.visible, scale: pool,
    weights: weights.subarray(start, start + size),
  };
}

const isExact = ({ selected }, layer, head) => layer === selected[0] && head === selected[1];

/** A head's weights for the large map, as finely as they are known. */
function finestHead(maps, layer, head) {
  if (maps.pool === 1 || !isExact(maps, layer, head)) return sentHead(maps, layer, head);
  maps.bytes ??= Uint8Array.from(maps.exact, asByte);
  return { columns: maps.columns, visible: maps.visible, weights: maps.bytes, scale: 1 };
}

/** As Python rounds: halves to the even number, in 32-bit floats. */
function asByte(weight) {
  const scaled = Math.min(255, Math.fround(weight * 255));
  const rounded = Math.round(scaled);
  return rounded - scaled === 0.5 && rounded % 2 ? rounded - 1 : rounded;
}

/** Where a cell of the map is in a head that was sent so. */
const placeIn = ({ scale, columns }, row, column) =>
  Math.floor(row / scale) * columns + Math.floor(column / scale);

/** The weight of a cell in words: exact for the head the server sent so, else two digits. */
function weightText(maps, layer, head, row, column) {
  const cell = row * maps.columns + column;
  if (!maps.visible[cell]) return maps.texts.hidden;
  if (isExact(maps, layer, head)) return threeDigits(maps.exact[cell]);
  const sent = sentHead(maps, layer, head);
  const weight = (sent.weights[placeIn(sent, row, column)] / 255).toFixed(2);
  return fill(maps.texts[maps.pool > 1 ? "most" : "about"], { weight });
}

/** What a pixel shows where there are too many weights. */
const pooledText = (maps, n) => fill(maps.texts.pooled, { n });
