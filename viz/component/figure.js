// The parts of a picture to take away, as SVG for white paper.
//
// In all of them x, y, sizes and widths are pixels, `style` comes from figureStyle(root), and what
// comes back is SVG as text. A picture is figureSvg({ title, width, height, body }, style).

import { svgEscaped, svgMoved, svgNode, svgText } from "./svg.js";
import { FLAGS } from "./tokens.js";

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

/** How wide a text is: whoever opens the file may have the page's font or the generic one. */
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
