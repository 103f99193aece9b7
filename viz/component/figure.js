// A picture to take away: SVG for white paper, its parts, and saving it, as it is or as PNG.
//
// In all parts x, y, sizes and widths are pixels, `style` comes from figureStyle(root), and what comes
// back is SVG as text. A picture is figureSvg({ title, width, height, body }, style).

import { fill, isolated, lettersOf } from "./text.js";
import { FLAGS } from "./tokens.js";

/** The page may say of what all its files are. */
export function saveFile(blob, name) {
  const begins = document.querySelector("[data-files-begin]")?.dataset.filesBegin ?? "";
  const link = document.createElement("a");
  Object.assign(link, { href: URL.createObjectURL(blob), download: begins + name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const PNG = { scale: 2, longest: 16_000 }; // pixels per unit, and along a side at most

// What XML cannot say: control characters and halves of surrogate pairs.
const UNSAYABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

/** A text as it stands in XML, in an attribute too. */
export function svgEscaped(text) {
  const clean = String(text).replace(UNSAYABLE, "\ufffd");
  const [amp, lt, gt, quote] = ["&amp;", "&lt;", "&gt;", "&quot;"];
  return clean.replaceAll("&", amp).replaceAll("<", lt).replaceAll(">", gt).replaceAll('"', quote);
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

/**
 * Takes the calls of a canvas that draw lines, boxes and words, and keeps them as SVG: what is drawn on
 * the screen is drawn in a picture by the same function.
 */
export class SvgContext {
  constructor() {
    Object.assign(this, { parts: [], path: "", globalAlpha: 1, textAlign: "left" });
  }

  beginPath() {
    this.path = "";
  }

  moveTo(...at) {
    this.to("M", at);
  }

  lineTo(...at) {
    this.to("L", at);
  }

  bezierCurveTo(...at) {
    this.to("C", at);
  }

  to(how, at) {
    this.path += how + at.map((x) => Number(x.toFixed(2))).join(" ");
  }

  stroke() {
    const { path: d, strokeStyle: stroke, lineWidth, globalAlpha: alpha } = this;
    this.parts.push(svgNode("path", {
      d, stroke, "stroke-width": lineWidth, "stroke-opacity": alpha < 1 && alpha, fill: "none",
    }));
  }

  fillRect(x, y, width, height) {
    const { fillStyle: fill, globalAlpha: alpha } = this;
    this.parts.push(svgNode("rect", { x, y, width, height, fill, "fill-opacity": alpha < 1 && alpha }));
  }

  /** Words around a height: a canvas has them so where its `textBaseline` is "middle". */
  fillText(text, x, y) {
    const size = Number.parseFloat(this.font);
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign];
    this.parts.push(svgText(x, y + 0.34 * size, text, {
      fill: this.fillStyle, "text-anchor": anchor, "font-size": size,
      "font-family": this.font.slice(this.font.indexOf(" ") + 1),
    }));
  }
}

/** Something moved to x, y and there turned by an angle in degrees. */
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

export const FIGURE = { padding: 16, title: 16, line: 21, below: 10, text: 12, narrowest: 340 };
const INSIDE_CHIP = 8; // left and right of its words together

const measuring = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const onPaper = new Map();

/** A colour as every program reads it; a translucent one as it looks on the paper. */
function paperColour(written, paper) {
  const key = `${written} on ${paper}`;
  if (!onPaper.has(key)) {
    for (const colour of [paper, written]) {
      measuring.fillStyle = colour;
      measuring.fillRect(0, 0, 1, 1);
    }
    onPaper.set(key, hexOf(measuring.getImageData(0, 0, 1, 1).data));
  }
  return onPaper.get(key);
}

const hexOf = ([red, green, blue]) =>
  `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;

/** A pixel of scale.js as a colour. */
export const pixelHex = (pixel) => hexOf([pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255]);

/** Fonts and colours of a component for white paper, whatever the theme; `heads` are 16 colours. */
export function figureStyle(root) {
  const named = getComputedStyle(root);
  const font = (name, generic) => {
    const fonts = named.getPropertyValue(name).trim() || generic;
    return fonts.endsWith(generic) ? fonts : `${fonts}, ${generic}`;
  };
  const paper = named.getPropertyValue("--lab-paper").trim();
  const colour = (name) => paperColour(named.getPropertyValue(`--lab-${name}`).trim(), paper);
  return {
    font: font("--lab-font", "sans-serif"), codeFont: font("--lab-code-font", "monospace"),
    paper: colour("paper"), ink: colour("ink"), quiet: colour("ink-quiet"), rule: colour("ink-rule"),
    white: colour("mark"), accent: colour("accent"), true: colour("true"), differs: colour("differs"),
    source: colour("source"), sourceStrong: colour("source-strong"),
    target: colour("target"), targetStrong: colour("target-strong"),
    heads: Array.from({ length: 16 }, (_, head) => colour(`head-${head}`)),
  };
}

/** The width of a text: a reader of the file may have the page's font or the generic one. */
export function figureTextWidth(text, size, fonts, weight = 400) {
  const generic = fonts.split(",").at(-1);
  return Math.max(...[fonts, generic].map((family) => {
    measuring.font = `${weight} ${size}px ${family}`;
    return measuring.measureText(text).width;
  }));
}

/** A text in lines of at most this width; `textWidth(text)` is that of a text. */
export function brokenLines(text, width, textWidth) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (!lines.at(-1) || textWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return wholeIsolates(lines);
}

/** What is isolated in a text stays so in each of the lines over which it goes. */
function wholeIsolates(lines) {
  let open = 0;
  return lines.map((line) => {
    const begun = "\u2068".repeat(open) + line;
    open = begun.split("\u2068").length - begun.split("\u2069").length;
    return begun + "\u2069".repeat(open);
  });
}

/** A whole document: the title in as many lines as it takes, and the body below it, at 0, 0. */
export function figureSvg({ title, width, height, body }, style) {
  const { padding, line, below } = FIGURE;
  const inside = Math.ceil(Math.max(width, FIGURE.narrowest));
  const written = (text) => figureTextWidth(text, FIGURE.title, style.font, 600);
  const lines = title ? brokenLines(title, inside, written) : [];
  const top = padding + lines.length * line + (lines.length ? below : 0);
  const size = { width: inside + 2 * padding, height: Math.ceil(top + height + padding) };
  const titles = lines.map((text, i) => svgText(padding, padding + (i + 0.75) * line, text, {
    "font-size": FIGURE.title, "font-weight": 600, fill: style.ink,
  }));
  return svgNode(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg", ...size, viewBox: `0 0 ${size.width} ${size.height}`,
      role: "img", "xml:space": "preserve", "font-family": style.font, "font-size": FIGURE.text,
    },
    svgNode("title", {}, svgEscaped(title)),
    svgNode("rect", { ...size, fill: style.paper }), titles, svgMoved(padding, top, 0, body));
}

/** Diagonal lines that fill a box at 0, 0: what is hidden. */
export function svgHatch(width, height, style) {
  const lines = [];
  for (let from = -height; from < width; from += 5.5) {
    const [start, end] = [Math.max(0, -from), Math.min(height, width - from)];
    const points = [start, end].map((at) => [from + at, height - at].map((x) => Number(x.toFixed(2))));
    lines.push(`M${points[0].join(" ")}L${points[1].join(" ")}`);
  }
  return svgNode("path", { d: lines.join(""), stroke: style.rule, fill: "none" });
}

/** How wide svgChip gets. */
export function chipWidth({ text, side, size = FIGURE.text }, style) {
  const written = figureTextWidth(text, size, style.codeFont);
  return side ? Math.max(written, size) + INSIDE_CHIP : written;
}

/**
 * A token: words on the tint of their side, special ones in a box, unknown ones dotted; without a
 * side a plain label; hidden ones are hatched. `y` is its middle; `align` says what is at `x`: left,
 * center or right;
 * `strong` takes the tint of what is marked, `tint` any other colour, `differs` a line below.
 */
export function svgChip(chip, style) {
  const { text, flags = 0, side = "", x = 0, y = 0, align = "left", size = FIGURE.text } = chip;
  const [width, height] = [chipWidth({ text, side, size }, style), 1.25 * size];
  const left = x - { left: 0, center: width / 2, right: width }[align];
  const special = flags & FLAGS.special;
  const isQuiet = !side || special || chip.hidden;
  const [middle, colour] = [left + width / 2, isQuiet ? style.quiet : style.ink];
  const box = { x: left, y: y - height / 2, width, height, rx: 3 };
  const hollow = { x: left + 0.5, y: box.y + 0.5, width: width - 1, height: height - 1, rx: 3 };
  // What was typed of a text that a model goes on from looks like a source.
  const kind = flags & FLAGS.given ? "source" : side;
  const tint = chip.tint ?? style[chip.strong ? `${kind}Strong` : kind];
  const parts = [];
  if (chip.hidden) parts.push(svgMoved(left, box.y, 0, svgHatch(width, height, style)));
  else if (side && special) parts.push(svgNode("rect", { ...hollow, fill: "none", stroke: style.rule }));
  else if (side) parts.push(svgNode("rect", { ...box, fill: tint }));
  parts.push(svgText(middle, y + 0.34 * size, text, {
    "font-family": style.codeFont, "font-size": size, "text-anchor": "middle", fill: colour,
    "font-weight": chip.strong && 600,
  }));
  if (chip.differs) {
    parts.push(svgNode("rect", {
      x: left, y: y + height / 2, width, height: 2, fill: style.differs,
    }));
  }
  if (flags & FLAGS.unknown) {
    const inset = side ? INSIDE_CHIP / 2 : 0;
    parts.push(svgNode("line", {
      x1: left + inset, x2: left + width - inset, y1: y + 0.55 * size, y2: y + 0.55 * size,
      stroke: colour, "stroke-dasharray": "1 1.5",
    }));
  }
  return svgNode("g", {}, parts);
}

/** Answer the two buttons that save a picture: `titleOf(state)` is what the picture says it is, `drawn(state)` its SVG. */
export function answerTools(state, find, titleOf, drawn) {
  for (const [ending, save] of [["png", savePng], ["svg", saveSvg]]) {
    find(`.tools .${ending}`).onclick = () => {
      save(drawn(state), `${fileNameOf(titleOf(state), state.view.texts.file)}.${ending}`);
    };
  }
}

/** What the buttons below a picture are called; those without a text are left out. */
export function nameTools(tools, title, texts) {
  for (const button of tools.children) {
    const name = button.className;
    button.hidden = !texts[name];
    button.textContent = texts[name];
    button.setAttribute("aria-label", fill(texts[`${name}.help`] ?? "", { title }));
  }
}
