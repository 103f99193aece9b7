// Saving a panel as a table.

/** The panel's cells with their labels; hidden cells are empty. */
function tableText(panel) {
  const { rowAxis, columnAxis, columns, values } = panel;
  const line = (fields) => fields.map(csvField).join(",");
  const rows = rowAxis.labels.map(([label], row) => {
    const cells = Array.from({ length: columns }, (_, column) => row * columns + column);
    return line([label, ...cells.map((cell) =>
      (isVisible(panel, cell) ? allDigits(values[cell]) : ""))]);
  });
  const head = line(["", ...columnAxis.labels.map(([label]) => label)]);
  return `${[head, ...rows].join("\r\n")}\r\n`;
}

const csvField = (text) => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function saveTable({ view }, index) {
  const panel = view.panels[index];
  const table = new Blob([tableText(panel)], { type: "text/csv;charset=utf-8" });
  saveFile(table, `${fileName(panel, view.texts)}.csv`);
}

/** The title in letters and digits that any file system takes. */
function fileName({ title }, texts) {
  const plain = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  return plain.slice(0, 80) || texts.file;
}
