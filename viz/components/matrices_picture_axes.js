// The axes of a saved picture: their names, and their labels on the same tints as on the page.

/** Do something at a place that is turned by so many degrees. */
function turned(context, x, y, degrees, paint) {
  context.save();
  context.translate(x, y);
  context.rotate((degrees * Math.PI) / 180);
  paint();
  context.restore();
}

function paintAxes(context, panel, layout, sizes, style, textWidth) {
  const { left, top, angle, rowStep, columnStep, rowEvery, columnEvery, labelSize } = layout;
  const { rowAxis, columnAxis } = panel;
  const names = `${PICTURE.text}px ${style.font}`;
  write(context, style.quiet, names);
  context.fillText(columnAxis.name, left, AXIS / 2 - 2);
  write(context, style.quiet, names, "right");
  turned(context, AXIS / 2 - 2, top, -90, () => context.fillText(rowAxis.name, 0, 0));
  const paint = ({ labels, side }, i, align) => {
    const [text, flags] = labels[i];
    const short = shortened(text, sizes.longest - (side ? CHIP : 0), textWidth);
    paintLabel(context, { text: short, flags, side, align, size: labelSize }, style);
  };
  for (let row = 0; row < panel.rows; row += rowEvery) {
    const y = top + (row + 0.5) * rowStep;
    turned(context, left - LABEL.gap, y, 0, () => paint(rowAxis, row, "right"));
  }
  const y = top - LABEL.gap - (angle ? 0 : LABEL.size / 2);
  for (let column = 0; column < panel.columns; column += columnEvery) {
    const x = left + (column + 0.5) * columnStep;
    turned(context, x, y, -angle, () => paint(columnAxis, column, angle ? "left" : "center"));
  }
}

/** A label at 0, 0: words on the tint of their side, special ones in a box, unknown ones dotted. */
function paintLabel(context, { text, flags, side, align, size }, style) {
  const special = flags & FLAGS.special;
  write(context, side && !special ? style.ink : style.quiet, `${size}px ${style.codeFont}`);
  const written = context.measureText(text).width;
  const width = side ? Math.max(written, size) + CHIP : written;
  const start = { left: 0, center: -width / 2, right: -width }[align];
  const at = start + (side ? CHIP / 2 : 0);
  if (side) paintChip(context, start, width, 1.2 * size, style[special ? "rule" : side], special);
  context.fillText(text, at, 0.5);
  if (!(flags & FLAGS.unknown)) return;
  Object.assign(context, { strokeStyle: context.fillStyle, lineWidth: 1 });
  context.setLineDash([1, 1.5]);
  context.beginPath();
  context.moveTo(at, 0.5 * size);
  context.lineTo(at + written, 0.5 * size);
  context.stroke();
}

/** What is behind a word. */
function paintChip(context, start, width, height, colour, hollow) {
  context.save();
  Object.assign(context, { fillStyle: colour, strokeStyle: colour, lineWidth: 1 });
  const edge = hollow ? 0.5 : 0;
  context.beginPath();
  context.roundRect(start + edge, edge - height / 2, width - 2 * edge, height - 2 * edge, 3);
  if (hollow) context.stroke();
  else context.fill();
  context.restore();
}
