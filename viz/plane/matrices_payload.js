// Reading the payload of viz.matrices.pack, and writing its numbers.

/** The header's fields, each panel with its numbers and its axes. */
function readMatrices(data) {
  const { header, buffer, start } = readFrame(data);
  const sizes = header.panels.map(({ shape: [rows, columns] }) => rows * columns);
  const numbers = new Map();
  let at = start;
  let seen = start + 4 * sizes.reduce((sum, size) => sum + size, 0);
  const panels = header.panels.map((written, i) => {
    const panel = panelOf(written, numbers);
    panel.values = new Float32Array(buffer, at, sizes[i]);
    panel.visible = written.masked ? new Uint8Array(buffer, seen, sizes[i]) : null;
    panel.hidden ||= header.texts.hidden;
    at += 4 * sizes[i];
    seen += written.masked ? sizes[i] : 0;
    return panel;
  });
  const words = JSON.stringify([panels.map(({ words }) => words), header.texts]);
  return { ...header, panels, words };
}

function panelOf(written, numbers) {
  const [rows, columns] = written.shape;
  // Axes with the same number: what is marked on one is marked on all. It is that of their labels,
  // or, where positions are linked, that of their side.
  const axis = (of) => {
    const labels = JSON.stringify(of.links.length ? ["links", of.side] : [of.side, of.labels]);
    if (!numbers.has(labels)) numbers.set(labels, numbers.size);
    return { ...of, id: numbers.get(labels) };
  };
  return {
    ...written, rows, columns, rowAxis: axis(written.rows), columnAxis: axis(written.columns),
    labels: JSON.stringify([written.rows, written.columns]),
    // What a zoom belongs to: what differs elsewhere, and what is said of it, may change under it.
    tokens: JSON.stringify([written.rows.labels, written.columns.labels]),
    // Everything that decides which words stand where.
    words: JSON.stringify([written.rows, written.columns, written.texts]),
  };
}

/** What a position is called on all axes of the same number, and where that is on one of them. */
const linkOf = ({ links }, at) => (links.length ? links[at] : at);
const positionOf = ({ links }, link) => {
  if (!links.length) return link;
  return links.includes(link) ? links.indexOf(link) : null;
};

const isVisible = ({ visible }, cell) => !visible || visible[cell] === 1;

const withMinus = (text) => text.replace(/^-/, "−");

/** Three digits with a true minus; for the end of a scale as few as it takes. */
const valueDigits = (x) => (x < 0 ? `−${threeDigits(-x)}` : threeDigits(x));
const tickDigits = (x) => withMinus(String(Number(x.toPrecision(3)))).replace("e-", "e−");

function valueText(panel, row, column) {
  const cell = row * panel.columns + column;
  return isVisible(panel, cell) ? valueDigits(panel.values[cell]) : panel.hidden;
}

/** As few digits as say which 32-bit float it is. */
function allDigits(x) {
  for (let digits = 1; digits < 9; digits += 1) {
    const short = Number(x.toPrecision(digits));
    if (Math.fround(short) === x) return String(short);
  }
  return String(Number(x.toPrecision(9)));
}

/** The cell that gives a pixel its colour: of those that share it, the one farthest from 0. */
function largestCell(panel, pool, down, across) {
  const { rows, columns, values } = panel;
  const [bottom, right] = [Math.min(rows, (down + 1) * pool), Math.min(columns, (across + 1) * pool)];
  let [best, found] = [-2, 0];
  for (let row = down * pool; row < bottom; row += 1) {
    for (let column = across * pool; column < right; column += 1) {
      const cell = row * columns + column;
      const strength = isVisible(panel, cell) ? Math.abs(values[cell]) : -1;
      if (strength > best) [best, found] = [strength, cell];
    }
  }
  return found;
}
