// Reading the payload of viz.attention_maps.pack, and writing its numbers and sentences.

/** Split the bytes into the header's fields and typed arrays. */
function readPayload(data) {
  const { header, buffer, start } = readFrame(data);
  const [layers, heads, rows, columns] = header.shape;
  const cells = rows * columns;
  return {
    ...header, layers, heads, rows, columns,
    rowSide: header.kind === "encoder.self" ? "source" : "target",
    columnSide: header.kind === "decoder.self" ? "target" : "source",
    decoder: header.kind !== "encoder.self",
    // Everything that decides which words stand where.
    words: JSON.stringify({ ...header, content: 0, selected: 0, finding: Boolean(header.finding) }),
    visible: new Uint8Array(buffer, start, cells),
    weights: new Uint8Array(buffer, start + cells, layers * heads * cells),
    exact: new Float32Array(buffer, aligned(start + cells * (1 + layers * heads)), cells),
  };
}

const headStart = (maps, layer, head) => (layer * maps.heads + head) * maps.rows * maps.columns;

/** The weight of a cell in words: exact for the head the server sent whole, else two digits. */
function weightText(maps, layer, head, row, column) {
  const cell = row * maps.columns + column;
  if (!maps.visible[cell]) return maps.texts.hidden;
  if (layer === maps.selected[0] && head === maps.selected[1]) {
    return threeDigits(maps.exact[cell]);
  }
  const weight = maps.weights[headStart(maps, layer, head) + cell] / 255;
  return fill(maps.texts.about, { weight: weight.toFixed(2) });
}
