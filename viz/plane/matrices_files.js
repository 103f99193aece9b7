// Saving a panel as a table.

const FORMULA = /^[=+\-@'\t\r\n]/;

const csvLine = (fields) => fields.map(csvField).join(",");

/** The panel's cells with their labels. */
function tableText(panel) {
  const lines = panel.texts ? wordLines(panel) : valueLines(panel);
  return `${lines.map(csvLine).join("\r\n")}\r\n`;
}

/** A row for each row; what is hidden is written as the panel says. */
function valueLines(panel) {
  const { rowAxis, columnAxis, columns, values } = panel;
  const rows = rowAxis.labels.map(([label], row) => {
    const cells = Array.from({ length: columns }, (_, column) => row * columns + column);
    return [plainText(label), ...cells.map((cell) =>
      (isVisible(panel, cell) ? allDigits(values[cell]) : panel.hidden_value))];
  });
  return [["", ...columnAxis.labels.map(([label]) => plainText(label))], ...rows];
}

/** A row for each cell that can be seen: its labels, its word, its value. */
function wordLines(panel) {
  const { rowAxis, columnAxis, columns, values, texts } = panel;
  const cells = Array.from(values.keys()).filter((cell) => isVisible(panel, cell));
  const name = panel.value_name || "value";
  return [[rowAxis.name, columnAxis.name, "word", name].map(plainText), ...cells.map((cell) => {
    const [row, column] = [Math.floor(cell / columns), cell % columns];
    const words = [rowAxis.labels[row][0], columnAxis.labels[column][0], texts[row][column]];
    return [...words.map(plainText), allDigits(values[cell])];
  })];
}

/** A text, marked with an apostrophe where a spreadsheet might take it for a formula. */
const plainText = (text) => (FORMULA.test(text) ? `'${text}` : text);

const csvField = (text) => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function saveTable({ view }, index) {
  const panel = view.panels[index];
  const table = new Blob([tableText(panel)], { type: "text/csv;charset=utf-8" });
  saveFile(table, `${fileNameOf(panel.title, view.texts.file)}.csv`);
}
