// A panel as a picture to take away: on white, whatever the theme.

const PICTURE = { width: 860, height: 560, sharp: 2, gap: 18, line: 17 };

/** What is zoomed is what is saved. */
const saveFigure = (save, ending) => (state, index) => {
  const { view, root, measure, width, figures } = state;
  const { zoom, part } = figures[index];
  const panel = zoom ? { ...part, shown: partSaid(view.texts, planeOf(state, index)) } : part;
  // As wide as the screen if words stand in the cells, so that none of them is cut that was not.
  const room = panel.texts ? Math.max(PICTURE.width, width) : PICTURE.width;
  const picture = pictureOf(panel, view.texts, measure, figureStyle(root), room);
  const name = fileNameOf(panel.title, view.texts.file);
  const place = zoom ? `-rows-${zoom.row}-columns-${zoom.column}` : "";
  save(picture, `${name}${place}.${ending}`);
};
const savePicture = saveFigure(savePng, "png");
const saveVectors = saveFigure(saveSvg, "svg");

/** The panel as a whole SVG document, of a size of its own. */
function pictureOf(panel, texts, measure, style, width) {
  const sizes = sizesOf(panel, measure, width);
  const layout = panelLayout(panel, sizes, { width, height: PICTURE.height }, PICTURE.sharp);
  const { left, top, below, figure } = layout;
  const legend = svgLegend({
    name: panel.value_name, ticks: ticksOf(panel), colours: PIXELS[panel.scale],
    hidden: panel.visible?.includes(0) ? panel.hidden : "",
  }, style);
  const legendTop = top + below + PICTURE.gap;
  const notes = notesOf(panel, layout, texts, style);
  const notesTop = legendTop + legend.height + PICTURE.line;
  const body = [
    svgAxes(panel, layout, sizes.longest, measure.textWidth, style),
    svgMoved(left, top, 0, svgCells({ ...layout, pixels: pixelsOf(panel, layout) }, style)),
    layout.words ? svgMoved(left, top, 0, svgWords(panel, layout, measure.textWidth, style)) : [],
    svgMoved(0, legendTop, 0, legend.body),
    notes.map((line, i) => svgText(0, notesTop + i * PICTURE.line, line, { fill: style.quiet })),
  ];
  const height = notes.length ? notesTop + (notes.length - 1) * PICTURE.line + 4 : notesTop - PICTURE.line;
  return figureSvg({ title: panel.title, width: figure, height, body }, style);
}

/** What stands below the panel on the page, in lines as wide as the picture. */
function notesOf(panel, layout, texts, style) {
  const width = (text) => figureTextWidth(text, FIGURE.text, style.font);
  const lines = (text) => brokenLines(text, Math.max(layout.figure, FIGURE.narrowest), width);
  return [panel.note, panel.shown, leftOutText(panel, layout, texts)].filter(Boolean).flatMap(lines);
}

function svgWords(panel, layout, textWidth, style) {
  const look = { "font-family": style.codeFont, "text-anchor": "middle" };
  const words = wordsOf(panel, layout, textWidth);
  return svgNode("g", look, words.map(({ x, y, text, size, dark }) =>
    svgText(x, y + 0.34 * size, text, { "font-size": size, fill: dark ? style.ink : style.white })));
}
