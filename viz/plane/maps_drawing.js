// Weights to pixels. Colour 0 of the table is transparent: what is hidden shows the hatch behind.

/** Colour numbers of a part of a head; of `pool` × `pool` weights the largest, lest any vanish. */
function pooledPart(sent, { pool, row: top, column: left, rows, columns }) {
  const { visible, weights, scale } = sent;
  const across = Math.ceil(columns / pool);
  const pooled = new Uint16Array(across * Math.ceil(rows / pool));
  for (let row = 0; row < rows; row += 1) {
    const line = Math.floor(row / pool) * across;
    const first = Math.floor((top + row) / scale) * sent.columns;
    for (let column = 0, at = line, more = pool; column < columns; column += 1) {
      const cell = first + (scale === 1 ? left + column : Math.floor((left + column) / scale));
      const number = visible[cell] ? weights[cell] + 1 : 0;
      if (number > pooled[at]) pooled[at] = number;
      more -= 1;
      if (more > 0) continue;
      at += 1;
      more = pool;
    }
  }
  return pooled;
}

/** The pixels of a part of one head: one per cell, 0 where it is hidden. */
const pixelsOf = (maps, layer, head, view) =>
  Uint32Array.from(
    pooledPart(finestHead(maps, layer, head), view), (number) => COLOURS[number]);

/** The large map: one canvas pixel per cell, which CSS enlarges without smoothing. */
function drawMap(canvas, maps, layer, head, view) {
  const context = resized(canvas, view.across, view.down);
  const image = context.createImageData(view.across, view.down);
  const pixels = new Uint32Array(image.data.buffer);
  const numbers = pooledPart(finestHead(maps, layer, head), view);
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
  const { rows, columns } = maps.sent;
  const [across, down] = [columns, rows].map((count) => Math.ceil(count / grid.pool));
  const whole = { row: 0, column: 0, rows, columns, pool: grid.pool };
  const columnOf = Uint16Array.from({ length: grid.deviceWidth },
    (_, x) => Math.floor((x * across) / grid.deviceWidth));
  for (let layer = 0; layer < maps.layers; layer += 1) {
    for (let head = 0; head < maps.heads; head += 1) {
      const numbers = pooledPart({ ...sentHead(maps, layer, head), scale: 1 }, whole);
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
