// Weights to pixels. Colour 0 of the table is transparent: what is hidden shows the hatch behind.

/** Colour numbers of one head; of `pool` × `pool` weights the largest, lest single ones vanish. */
function pooledHead(maps, layer, head, pool) {
  const { rows, columns, visible, weights } = maps;
  const start = headStart(maps, layer, head);
  const across = Math.ceil(columns / pool);
  const pooled = new Uint16Array(across * Math.ceil(rows / pool));
  for (let row = 0, cell = 0; row < rows; row += 1) {
    const line = Math.floor(row / pool) * across;
    for (let column = 0, at = line, left = pool; column < columns; column += 1, cell += 1) {
      const number = visible[cell] ? weights[start + cell] + 1 : 0;
      if (number > pooled[at]) pooled[at] = number;
      left -= 1;
      if (left === 0) [at, left] = [at + 1, pool];
    }
  }
  return pooled;
}

/** The large map: one canvas pixel per cell, which CSS enlarges without smoothing. */
function drawMap(canvas, maps, layer, head, { pool, across, down }) {
  const context = resized(canvas, across, down);
  const image = context.createImageData(across, down);
  const pixels = new Uint32Array(image.data.buffer);
  const numbers = pooledHead(maps, layer, head, pool);
  for (let i = 0; i < numbers.length; i += 1) pixels[i] = COLOURS[numbers[i]];
  context.putImageData(image, 0, 0);
}

/** All heads on one canvas, one image for all of them. */
function drawSheet(canvas, maps, grid) {
  const [stepX, stepY] = [grid.deviceWidth + grid.gap, grid.deviceHeight + grid.gap];
  const width = maps.heads * stepX - grid.gap;
  const height = maps.layers * stepY - grid.gap;
  const context = resized(canvas, width, height);
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const across = Math.ceil(maps.columns / grid.pool);
  const down = Math.ceil(maps.rows / grid.pool);
  const columnOf = Uint16Array.from({ length: grid.deviceWidth },
    (_, x) => Math.floor((x * across) / grid.deviceWidth));
  for (let layer = 0; layer < maps.layers; layer += 1) {
    for (let head = 0; head < maps.heads; head += 1) {
      const numbers = pooledHead(maps, layer, head, grid.pool);
      for (let y = 0; y < grid.deviceHeight; y += 1) {
        const line = Math.floor((y * down) / grid.deviceHeight) * across;
        const to = (layer * stepY + y) * width + head * stepX;
        for (let x = 0; x < grid.deviceWidth; x += 1) {
          pixels[to + x] = COLOURS[numbers[line + columnOf[x]]];
        }
      }
    }
  }
  context.putImageData(image, 0, 0);
}
