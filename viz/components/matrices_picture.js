// Saving a panel as a picture: on white, twice as fine as the screen, whatever the theme.

const PICTURE = {
  scale: 2, width: 860, height: 560, padding: 16, title: 16, line: 20, text: 12, narrowest: 340,
};
const LEGEND = { width: 180, height: 12, gap: 18, line: 32 };

function savePicture(state, index) {
  const panel = state.view.panels[index];
  const name = `${fileName(panel, state.view.texts)}.png`;
  pictureOf(state, panel).toBlob((blob) => saveFile(blob, name), "image/png");
}

function pictureOf(state, panel) {
  const { padding, scale, width, height } = PICTURE;
  const style = styleOf(state);
  const sizes = sizesOf(panel, state.measure, width);
  const layout = panelLayout(panel, sizes, width, height, scale);
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  context.font = `600 ${PICTURE.title}px ${style.font}`;
  const inside = Math.max(layout.figure, PICTURE.narrowest);
  const title = brokenLines(panel.title, inside, (text) => context.measureText(text).width);
  const plotTop = padding + title.length * PICTURE.line + 8;
  const legendTop = plotTop + layout.top + layout.below + LEGEND.gap;
  const legendHeight = LEGEND.line * (panel.visible?.includes(0) ? 2 : 1);
  canvas.width = Math.ceil((inside + 2 * padding) * scale);
  canvas.height = Math.ceil((legendTop + legendHeight + padding) * scale);
  context.scale(scale, scale);
  context.fillStyle = style.paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.translate(padding, 0);
  write(context, style.ink, `600 ${PICTURE.title}px ${style.font}`);
  title.forEach((line, i) => context.fillText(line, 0, padding + (i + 0.5) * PICTURE.line));
  context.translate(0, plotTop);
  paintAxes(context, panel, layout, sizes, style, state.measure.textWidth);
  context.translate(layout.left, layout.top);
  paintCells(context, panel, layout, style, state.measure.textWidth);
  context.translate(-layout.left, legendTop - plotTop - layout.top);
  paintLegend(context, panel, style);
  return canvas;
}

function write(context, colour, font, textAlign = "left") {
  Object.assign(context, { fillStyle: colour, font, textAlign, textBaseline: "middle" });
}

/** A text in lines of at most this width. */
function brokenLines(text, width, textWidth) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (!lines.at(-1) || textWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function paintCells(context, panel, layout, style, textWidth) {
  const { width, height, cellWidth, cellHeight, across, down } = layout;
  paintHatch(context, width, height, style);
  const cells = document.createElement("canvas");
  drawCells(cells, panel, layout);
  const image = cells.getContext("2d").getImageData(0, 0, across, down).data;
  context.fillStyle = style.paper;
  context.imageSmoothingEnabled = false;
  context.drawImage(cells, 0, 0, width, height);
  if (Math.min(cellWidth, cellHeight) >= 7) paintLines(context, layout, image, style);
  if (layout.words) writeWords(context, panel, layout, style, textWidth);
}

/** Lines between cells; those that are hidden need none. */
function paintLines(context, { cellWidth, cellHeight, across, down }, image, style) {
  context.strokeStyle = style.paper;
  context.globalAlpha = 0.55;
  context.lineWidth = 0.5;
  for (let i = 0; i < across * down; i += 1) {
    if (!image[4 * i + 3]) continue;
    context.strokeRect(
      (i % across) * cellWidth, Math.floor(i / across) * cellHeight, cellWidth, cellHeight);
  }
  context.globalAlpha = 1;
}

function paintHatch(context, width, height, { rule }) {
  context.save();
  context.beginPath();
  context.rect(0, 0, width, height);
  context.clip();
  context.strokeStyle = rule;
  context.beginPath();
  for (let x = -height; x < width; x += 5.5) {
    context.moveTo(x, height);
    context.lineTo(x + height, 0);
  }
  context.stroke();
  context.restore();
}

/** The scale with its ends and its middle, its name, and below it what the hatch means. */
function paintLegend(context, panel, style) {
  const font = `${PICTURE.text}px ${style.font}`;
  const { height, line } = LEGEND;
  const width = panel.scale === "mask" ? height * 1.5 : LEGEND.width;
  const bar = document.createElement("canvas");
  bar.height = 1;
  drawLegend(bar, PIXELS[panel.scale]);
  context.drawImage(bar, 0, 0, width, height);
  ticksOf(panel).forEach((tick, i) => {
    write(context, style.quiet, font, ["left", "center", "right"][i]);
    context.fillText(tick, (i * width) / 2, height + 9);
  });
  write(context, style.quiet, font);
  context.fillText(panel.value_name, width + 10, height / 2);
  if (!panel.visible?.includes(0)) return;
  context.translate(0, line);
  paintHatch(context, height * 1.5, height, style);
  write(context, style.quiet, font);
  context.fillText(panel.hidden, height * 1.5 + 8, height / 2);
}
