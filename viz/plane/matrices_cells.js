// How wide and how high the cells of a panel are.

const WORDS = { height: 24, narrowest: 34, widest: 96, tallest: 6000, padding: 12 };
const MUCH_LONGER = 3; // times as many: cells need not be square
const LABELLED = { row: 16, column: 24 }; // pixels from label to label

/** Numbers may be left out, so that rows of numbers fit the window unless they had to be pooled. */
function panelHeight(panel) {
  const left = windowHeight();
  return panel.rowAxis.side || panel.rows > left ? plotHeight(panel) : left;
}

/** Square cells, or wider ones that hold words where there is room for words. */
function cellsOf(panel, sizes, { width, height, tallest }, ratio) {
  const { rows, columns } = panel;
  const cellWidth = Math.floor(Math.min(sizes.words, width / columns) * ratio) / ratio;
  const words = panel.texts && cellWidth >= WORDS.narrowest && rows * WORDS.height < WORDS.tallest;
  if (!words) return plainCells(panel, { width, height, tallest }, ratio);
  const cellHeight = Math.round(WORDS.height * ratio) / ratio;
  return {
    pool: 1, down: rows, across: columns, cellWidth, cellHeight, words,
    rowStep: cellHeight, columnStep: cellWidth, width: columns * cellWidth, height: rows * cellHeight,
    square: rows * cellHeight,
  };
}

/** Square cells; beside a much longer axis words get longer ones, so that each of them is read. */
function plainCells(panel, { width, height, tallest }, ratio) {
  const cells = cellLayout(width, height, panel, ratio);
  const { size, perToken: step, pool } = cells;
  const longer = ({ side, labels: { length } }, across, wanted, room) =>
    (pool > 1 || !side || across.labels.length < MUCH_LONGER * length
      ? size : Math.max(size, Math.floor(Math.min(wanted, room / length) * ratio) / ratio));
  const cellWidth = longer(panel.columnAxis, panel.rowAxis, LABELLED.column, width);
  const cellHeight = longer(panel.rowAxis, panel.columnAxis, LABELLED.row, tallest);
  return {
    ...cells, cellWidth, cellHeight, words: false,
    rowStep: pool > 1 ? step : cellHeight, columnStep: pool > 1 ? step : cellWidth,
    width: cells.across * cellWidth, height: cells.down * cellHeight, square: cells.height,
  };
}
