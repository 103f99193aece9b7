// What an id says, what a part is called, and how its words fit into a box.

const FAMILIES = {
  self: "attention", cross: "attention", feed_forward: "feed-forward", norm: "norm",
  embedding: "embedding", positions: "embedding", output: "embedding", softmax: "plain",
};

/** An id's stack, layer (null outside of the layers), sublayer and kind. */
function readId(id) {
  const [stack, ...rest] = id.split(".");
  if (!rest.length) return { stack: "decoder", layer: null, kind: stack };
  const layer = /^\d+$/.test(rest[0]) ? Number(rest.shift()) : null;
  return { stack, layer, sublayer: rest[0], kind: rest.at(-1) };
}

/** What stands in the box. */
function labelOf({ texts, norm }, id) {
  const { stack, layer, kind } = readId(id);
  if (kind === "norm") return texts[layer === null ? "norm.final" : `norm.${norm}`];
  if (kind === "self" && stack === "decoder") return texts.masked;
  return texts[kind];
}

const layerName = ({ texts }, stack, number) =>
  fill(texts.layer, { stack: texts[stack], number });

/** The whole name, which says where the part is. */
function nameOf(view, id) {
  const { texts, norm } = view;
  const { stack, layer, kind } = readId(id);
  let part = labelOf(view, id);
  if (kind === "output" || kind === "softmax") return part;
  if (kind === "norm" && layer !== null) {
    const sublayer = labelOf(view, id.slice(0, -".norm".length));
    part = fill(texts[norm === "post" ? "norm.after" : "norm.before"], { norm: part, part: sublayer });
  }
  const place = layer === null ? texts[stack] : layerName(view, stack, layer);
  return fill(texts.name, { place, part });
}

const ruler = document.createElement("canvas").getContext("2d");

function widthOf(text, size, font) {
  ruler.font = `${size}px ${font}`;
  return ruler.measureText(text).width;
}

/** A text that fits; what is cut is its end, the whole is in the tooltip. */
function fitted(text, width, size, font) {
  if (widthOf(text, size, font) <= width) return text;
  const letters = Array.from(text);
  while (letters.length && widthOf(`${letters.join("")}…`, size, font) > width) letters.pop();
  return letters.length ? `${letters.join("").trimEnd()}…` : "";
}

/** A label on one line or, where that is too long, on two. */
function inLines(text, width, size, font) {
  if (widthOf(text, size, font) <= width) return [text];
  const words = text.split(" ");
  let first = words.shift();
  while (words.length > 1 && widthOf(`${first} ${words[0]}`, size, font) <= width) {
    first += ` ${words.shift()}`;
  }
  const lines = words.length ? [first, words.join(" ")] : [first];
  return lines.map((line) => fitted(line, width, size, font));
}
