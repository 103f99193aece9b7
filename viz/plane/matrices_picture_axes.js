// The axes of a picture to take away: their names, and their labels as chips.

function svgAxes({ rowAxis, columnAxis, rows, columns }, layout, longest, textWidth, style) {
  const { left, top, angle, rowStep, columnStep, rowEvery, columnEvery, labelSize: size } = layout;
  const quiet = { fill: style.quiet };
  const chip = ({ labels, side, differs: positions }, i, align) => {
    const [text, flags] = labels[i];
    const short = shortened(text, longest - (side ? CHIP : 0), textWidth);
    const differs = positions.includes(i);
    return svgChip({ text: short, flags, side, align, size, differs }, style);
  };
  // As on the page the same ones have a label, wherever a part of the axis begins.
  const every = (count, step, first = 0) => {
    const begin = Math.ceil(first / step) * step - first;
    return Array.from({ length: Math.ceil((count - begin) / step) }, (_, i) => begin + i * step);
  };
  const baseline = top - LABEL.gap - (angle ? 0 : LABEL.size / 2);
  return [
    svgText(left, AXIS / 2 + 2, columnAxis.name, quiet),
    svgMoved(AXIS / 2 + 2, top, -90, svgText(0, 0, rowAxis.name, { "text-anchor": "end", ...quiet })),
    every(rows, rowEvery, rowAxis.first).map((row) =>
      svgMoved(left - LABEL.gap, top + (row + 0.5) * rowStep, 0, chip(rowAxis, row, "right"))),
    every(columns, columnEvery, columnAxis.first).map((column) => svgMoved(
      left + (column + 0.5) * columnStep, baseline, -angle,
      chip(columnAxis, column, angle ? "left" : "center"))),
  ];
}
