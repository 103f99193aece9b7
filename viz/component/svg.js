// Writing SVG, and saving it, as it is or as PNG.

import { saveFile } from "./save.js";
import { isolated, lettersOf } from "./text.js";

const PNG = { scale: 2, longest: 16_000 }; // pixels per unit, and along a side at most

// What XML cannot say: control characters and halves of surrogate pairs.
const UNSAYABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

/** A text as it stands in XML, in an attribute too. */
export function svgEscaped(text) {
  const said = String(text).replace(UNSAYABLE, "\ufffd");
  const [amp, lt, gt, quote] = ["&amp;", "&lt;", "&gt;", "&quot;"];
  return said.replaceAll("&", amp).replaceAll("<", lt).replaceAll(">", gt).replaceAll('"', quote);
}

/**
 * An element as text. Attributes are escaped, numbers have three decimals at most, and what is null,
 * undefined or false is left out. Children are SVG already: a text goes through svgText.
 */
export function svgNode(name, attributes = {}, ...children) {
  const written = Object.entries(attributes)
    .filter(([, value]) => value != null && value !== false)
    .map(([key, value]) => ` ${key}="${svgEscaped(
      typeof value === "number" ? Number(value.toFixed(3)) : value)}"`);
  const inside = children.flat(Infinity).join("");
  return inside ? `<${name}${written.join("")}>${inside}</${name}>` : `<${name}${written.join("")}/>`;
}

/** A text whose baseline is at y. */
export const svgText = (x, y, text, attributes = {}) =>
  svgNode("text", { x, y, ...attributes }, svgEscaped(isolated(String(text))));

/** Something moved to x, y and there turned by so many degrees. */
export const svgMoved = (x, y, degrees, ...children) => {
  const [left, top] = [x, y].map((at) => Number(at.toFixed(3)));
  const turn = degrees ? ` rotate(${degrees})` : "";
  return svgNode("g", { transform: `translate(${left} ${top})${turn}` }, ...children);
};

/** Save a whole SVG document. */
export function saveSvg(svg, fileName) {
  saveFile(new Blob([svg], { type: "image/svg+xml;charset=utf-8" }), fileName);
}

/** Save a whole SVG document as PNG, twice as fine as the screen. */
export async function savePng(svg, fileName) {
  const canvas = await rastered(svg);
  canvas.toBlob((blob) => saveFile(blob, fileName), "image/png");
}

/** A document on a canvas; as a data: URL it comes from nowhere else, so the canvas can be read. */
async function rastered(svg) {
  const image = new Image();
  await new Promise((resolve, reject) => {
    Object.assign(image, { onload: resolve, onerror: reject });
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  });
  const { naturalWidth: width, naturalHeight: height } = image;
  const scale = Math.min(PNG.scale, PNG.longest / Math.max(width, height));
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** The words of a title, as many as any file system takes; without any, the other name. */
export function fileNameOf(title, otherwise) {
  const words = title.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? [];
  while (words.length > 1 && lettersOf(words.join("-")).length > 50) words.pop();
  return lettersOf(words.join("-")).slice(0, 50).join("") || otherwise;
}
