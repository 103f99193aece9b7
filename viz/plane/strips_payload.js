// Reading the payload of viz.strips.pack, and what a strip says.

/** The header's fields, each group with its numbers. */
function readStrips(data) {
  const { header, buffer, start } = readFrame(data);
  const sizes = header.groups.map(({ shape: [strips, columns] }) => strips * columns);
  let at = start;
  let seen = start + 4 * sizes.reduce((sum, size) => sum + size, 0);
  // The last target token is predicted and never fed: it looks at nothing.
  const tokens = { source: header.source, target: header.target.slice(0, -1) };
  const groups = header.groups.map((written, i) => {
    const [strips, columns] = written.shape;
    const group = {
      ...written, strips, columns, labels: tokens[written.across],
      weights: new Float32Array(buffer, at, sizes[i]),
      visible: new Uint8Array(buffer, seen, columns),
    };
    at += 4 * sizes[i];
    seen += columns;
    return group;
  });
  return {
    ...header, tokens, groups, followed: tokens[header.side][header.index],
    // Everything that decides which chips stand there.
    words: JSON.stringify([header.source, header.target, header.texts]),
    // And everything that decides where strips stand.
    places: JSON.stringify([groups.map(({ kind, across, labels, strips }) =>
      [kind, across, labels, strips]), header.texts]),
  };
}

const weightAt = (group, strip, column) => group.weights[strip * group.columns + column];

function weightText({ texts }, group, strip, column) {
  return group.visible[column] ? threeDigits(weightAt(group, strip, column)) : texts.hidden;
}

/** Of some columns, the one with the largest weight: what gives their pixel its colour. */
function strongest({ weights, visible, columns }, strip, from = 0, to = columns) {
  let [best, found] = [-1, from];
  for (let column = from; column < Math.min(to, columns); column += 1) {
    const weight = visible[column] ? weights[strip * columns + column] : -1;
    if (weight > best) [best, found] = [weight, column];
  }
  return found;
}

/** A token short enough for a sentence. */
function brief(text) {
  const letters = Array.from(text);
  return letters.length > 32 ? [...letters.slice(0, 20), "…", ...letters.slice(-10)].join("") : text;
}

const stripName = ({ texts }, { kind, heads }, strip) =>
  fill(texts[`name.${kind}`], { layer: heads[strip][0], head: heads[strip][1] });

const titleOf = ({ texts, direction, followed }, { kind }) =>
  fill(texts[`title.${direction}.${kind}`], { token: brief(followed[0]) });

const axisName = ({ texts, direction }, { across }) =>
  texts[direction === "at" ? "axis.at" : `axis.by.${across}`];

const arrowOf = ({ direction }) => (direction === "at" ? "→" : "←");
