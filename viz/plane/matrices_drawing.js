// Values to pixels, and the words inside the cells.

const DIVERGING = bytesOf("DIVERGING_AS_BASE64");
const MAY_LOOK = bytesOf("MAY_LOOK_AS_BASE64");
const TABLES = { weight: SCALE, signed: DIVERGING, mask: MAY_LOOK };
const PIXELS = {
  weight: COLOURS, signed: pixelColours(DIVERGING), mask: pixelColours(MAY_LOOK),
};

/** A value's place in the table of its scale; beyond the limit it is that of the limit. */
function colourNumber({ scale, limit }, value) {
  if (scale !== "signed") return Math.round(255 * Math.min(1, Math.max(0, value / limit)));
  return 127 + Math.round(127 * Math.min(1, Math.max(-1, value / limit)));
}

/** One 32-bit pixel per cell, or per block of cells; hidden ones stay clear. */
function pixelsOf(panel, { pool, across, down }) {
  const colours = PIXELS[panel.scale];
  const pixels = new Uint32Array(across * down);
  for (let i = 0; i < pixels.length; i += 1) {
    const cell = pool === 1 ? i : largestCell(panel, pool, Math.floor(i / across), i % across);
    if (isVisible(panel, cell)) pixels[i] = colours[1 + colourNumber(panel, panel.values[cell])];
  }
  return pixels;
}

/** The pixels, which CSS enlarges without smoothing. */
function drawCells(canvas, panel, layout) {
  const { across, down } = layout;
  const context = resized(canvas, across, down);
  const image = context.createImageData(across, down);
  new Uint32Array(image.data.buffer).set(pixelsOf(panel, layout));
  context.putImageData(image, 0, 0);
}

// The luminance against which white and the ink have the same contrast.
const EQUAL_CONTRAST = 0.2;

function luminance([red, green, blue]) {
  const linear = (part) => (part / 255) ** 2.2;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

const SMALLEST_DIGITS = 8; // pixels
const NUMBER = /^[≈<>]? ?[−+-]?\d[\d.,]*(e[−+-]?\d+)? ?%?$/;

/** How large the numbers of a panel are written: all as large as the longest that fits at all. */
function digitsSize(panel, room, textWidth) {
  const words = [...new Set(panel.texts.flat())].filter((word) => NUMBER.test(word));
  const sizes = words.map((word) => (LABEL.size * room) / textWidth([word]));
  return Math.min(
    LABEL.size, ...sizes.map((size) => Math.floor(2 * size) / 2).filter((size) => size >= SMALLEST_DIGITS));
}

/**
 * The words in the middle of their cells, dark on light colours and light on dark ones. Words may be
 * shortened, numbers not: without their middle they would be others. Those without room are left out.
 */
function wordsOf(panel, { cellWidth, cellHeight }, textWidth) {
  const room = cellWidth - 6;
  const digits = digitsSize(panel, room, textWidth);
  return panel.texts.flatMap((line, row) => line.flatMap((word, column) => {
    const cell = row * panel.columns + column;
    if (!isVisible(panel, cell)) return [];
    const [text, size] = NUMBER.test(word)
      ? [word, digits] : [shortened(word, room, textWidth), LABEL.size];
    if (text === word && textWidth([text]) * size > room * LABEL.size) return [];
    const at = 3 * colourNumber(panel, panel.values[cell]);
    const colour = TABLES[panel.scale].subarray(at, at + 3);
    return [{
      text, size, dark: luminance(colour) > EQUAL_CONTRAST,
      x: (column + 0.5) * cellWidth, y: (row + 0.5) * cellHeight,
    }];
  }));
}

function drawWords(canvas, panel, layout, style, textWidth) {
  canvas.hidden = !layout.words;
  if (!layout.words) return;
  const ratio = window.devicePixelRatio || 1;
  const context = resized(
    canvas, Math.round(layout.width * ratio), Math.round(layout.height * ratio));
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.scale(ratio, ratio);
  Object.assign(context, { textAlign: "center", textBaseline: "middle" });
  for (const { x, y, text, size, dark } of wordsOf(panel, layout, textWidth)) {
    context.font = `${size}px ${style.codeFont}`;
    context.fillStyle = dark ? style.ink : style.white;
    context.fillText(text, x, y + 0.5);
  }
}
