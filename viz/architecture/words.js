// What belongs to what in a picture that was handed over, and how words fit into boxes.

/** The arrows that come straight up from the node below. */
export const STRAIGHT = ["flow", "query", "key", "value"];

/** A picture with its nodes by id, and with what leads into each of them. */
export function indexed(view) {
  const nodes = new Map(view.nodes.map((node) => [node.id, { ...node, entering: [] }]));
  for (const { kind, end } of view.arrows) nodes.get(end).entering.push(kind);
  return { ...view, nodes };
}

export const nodesOf = (view, stack) => [...view.nodes.values()].filter((node) => node.stack === stack);

/** Whether a box stands beside the way of the data, into which nothing leads. */
export const isBeside = ({ shape, entering }) =>
  shape === "part" && !entering.some((kind) => STRAIGHT.includes(kind));

/** Boxes in which label and detail stand side by side. */
export const isLow = ({ group }) => group === "norms" || group === "";

export const classOf = (group) => group.replace(/[^a-z]+/g, "-") || "plain";

const ruler = document.createElement("canvas").getContext("2d");

export function widthOf(text, size, font) {
  ruler.font = `${size}px ${font}`;
  return ruler.measureText(text).width;
}

/** A text that fits; what is cut is its end, the whole is in the tooltip. */
export function fitted(text, width, size, font) {
  if (widthOf(text, size, font) <= width) return text;
  const letters = Array.from(text);
  while (letters.length && widthOf(`${letters.join("")}…`, size, font) > width) letters.pop();
  return letters.length ? `${letters.join("").trimEnd()}…` : "";
}

/** A label on one line or, where that is too long, on two. */
export function inLines(text, width, size, font) {
  if (widthOf(text, size, font) <= width) return [text];
  const words = text.split(" ");
  let first = words.shift();
  while (words.length > 1 && widthOf(`${first} ${words[0]}`, size, font) <= width) {
    first += ` ${words.shift()}`;
  }
  const lines = words.length ? [first, words.join(" ")] : [first];
  return lines.map((line) => fitted(line, width, size, font));
}
