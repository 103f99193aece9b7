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

/** One canvas pixel per cell, which CSS enlarges without smoothing; hidden ones stay clear. */
function drawCells(canvas, panel, { pool, across, down }) {
  const context = resized(canvas, across, down);
  const image = context.createImageData(across, down);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < pixels.length; i += 1) {
    const [row, column] = largestOfBlock(panel, pool, Math.floor(i / across), i % across);
    const cell = row * panel.columns + column;
    if (!isVisible(panel, cell)) continue;
    pixels[i] = PIXELS[panel.scale][1 + colourNumber(panel, panel.values[cell])];
  }
  context.putImageData(image, 0, 0);
}

/** What canvases need from the style sheet. */
function styleOf({ root, nodes }) {
  const style = getComputedStyle(root);
  const named = (name) => style.getPropertyValue(name).trim();
  return {
    font: style.fontFamily, codeFont: getComputedStyle(nodes.measured).fontFamily,
    white: named("--lab-mark"), paper: named("--lab-paper"), ink: named("--lab-ink"),
    quiet: named("--lab-ink-quiet"), rule: named("--lab-ink-rule"),
    source: named("--lab-source"), target: named("--lab-target"),
  };
}

// The luminance against which white and the ink have the same contrast.
const EQUAL_CONTRAST = 0.2;

function luminance([red, green, blue]) {
  const linear = (part) => (part / 255) ** 2.2;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** Words in the middle of their cells, dark on light colours and light on dark ones. */
function writeWords(context, panel, { cellWidth, cellHeight }, style, textWidth) {
  Object.assign(context, {
    font: `${LABEL.size}px ${style.codeFont}`, textAlign: "center", textBaseline: "middle",
  });
  panel.texts.forEach((line, row) => line.forEach((word, column) => {
    const cell = row * panel.columns + column;
    if (!isVisible(panel, cell)) return;
    const at = 3 * colourNumber(panel, panel.values[cell]);
    const colour = TABLES[panel.scale].subarray(at, at + 3);
    context.fillStyle = luminance(colour) > EQUAL_CONTRAST ? style.ink : style.white;
    const short = shortened(word, cellWidth - 6, textWidth);
    context.fillText(short, (column + 0.5) * cellWidth, (row + 0.5) * cellHeight + 0.5);
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
  writeWords(context, panel, layout, style, textWidth);
}
