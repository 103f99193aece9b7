// The strips as a picture to take away: all of them, on white, whatever the theme.

const PICTURE = { width: 900, heading: 14, headingLine: 26, gap: 26 };

const pictureTitle = ({ texts, direction, followed }) =>
  fill(texts[`picture.${direction}`], { token: brief(followed[0]) });

function saveAs(save, ending, { view, root }) {
  const name = fileNameOf(pictureTitle(view), view.texts.file);
  save(pictureOf(view, figureStyle(root)), `${name}.${ending}`);
}

/** One group below the other, as a whole SVG document. */
function pictureOf(view, style) {
  const width = (fonts) => (text) => Math.ceil(figureTextWidth(text, LABEL.size, fonts));
  const textWidth = ([text]) => width(style.codeFont)(text);
  const measure = { textWidth, nameWidth: width(style.font) };
  const body = [];
  let [at, widest] = [0, 0];
  for (const group of view.groups) {
    const layout = groupLayout(PICTURE.width, view, group, measure);
    body.push(svgMoved(0, at, 0, svgGroup(view, group, layout, textWidth, style)));
    at += PICTURE.headingLine + layout.top + layout.whole + PICTURE.gap;
    widest = Math.max(widest, layout.left + layout.width + layout.tops);
  }
  const legend = svgLegend({
    name: view.texts.weight, ticks: ["0", "0.5", "1"], colours: COLOURS,
    hidden: view.groups.some(({ visible }) => visible.includes(0)) ? view.texts.hidden : "",
  }, style);
  body.push(svgMoved(0, at, 0, legend.body));
  const title = pictureTitle(view);
  return figureSvg({ title, width: widest, height: at + legend.height, body }, style);
}

function svgGroup(view, group, layout, textWidth, style) {
  const { left, top, width, across, size, pool } = layout;
  const cells = svgCells({
    across, down: group.strips, cellWidth: size, cellHeight: STRIP.height,
    pixels: stripPixels(group, layout),
  }, style);
  // Strips are apart from each other.
  const gaps = group.heads.map((_, strip) => svgNode("rect", {
    x: -1, y: (strip + 1) * STRIP.height - STRIP.gap, width: width + 2,
    height: STRIP.gap + (strip === group.strips - 1 ? 2 : 0), fill: style.paper,
  }));
  const note = pool > 1 ? `; ${fill(view.texts.pooled, { n: pool })}` : "";
  return [
    svgText(0, PICTURE.heading, titleOf(view, group), {
      "font-size": PICTURE.heading, "font-weight": 600, fill: style.ink,
    }),
    svgMoved(0, PICTURE.headingLine, 0, [
      svgText(left, AXIS / 2 + 2, axisName(view, group) + note, { fill: style.quiet }),
      svgColumns(group, layout, textWidth, style),
      svgMoved(left, top, 0, cells, gaps),
      group.heads.map((_, strip) => svgMoved(
        0, top + (strip + 0.5) * STRIP.height - STRIP.gap / 2, 0,
        svgStrip(view, group, strip, layout, textWidth, style))),
    ]),
  ];
}

function svgColumns({ labels }, { left, top, angle, every, perToken }, textWidth, style) {
  const baseline = top - LABEL.gap - (angle ? 0 : LABEL.size / 2);
  const count = Math.ceil(labels.length / every);
  return Array.from({ length: count }, (_, i) => {
    const [text, flags] = labels[i * every];
    const short = shortened(text, LABEL.longest, textWidth);
    const align = angle ? "left" : "center";
    const chip = { text: short, flags, align, size: LABEL.size };
    return svgMoved(left + (i * every + 0.5) * perToken, baseline, -angle, svgChip(chip, style));
  });
}

/** The name before a strip, and behind it the token with the largest weight. */
function svgStrip(view, group, strip, { left, width, widest }, textWidth, style) {
  const column = strongest(group, strip);
  const [text, flags] = group.labels[column];
  const [y, x] = [LABEL.size / 3, left + width + TOP.gap];
  const token = { text: shortened(text, LABEL.longest, textWidth), flags, x: x + TOP.arrow };
  return [
    svgText(left - LABEL.gap - 4, y, stripName(view, group, strip), {
      "text-anchor": "end", fill: style.ink,
    }),
    svgText(x, y, arrowOf(view), { fill: style.quiet }),
    svgChip({ ...token, size: LABEL.size }, style),
    svgText(x + TOP.arrow + widest + 6, y, weightText(view, group, strip, column), {
      fill: style.ink,
    }),
  ];
}
