// The component: one picture of a model.

import { answerTools, figureTextWidth, nameTools, paperColour } from "../component/figure.js";
import { markDrawn, mount } from "../component/mount.js";
import { listed, readFrame } from "../component/text.js";
import { assign, element, svg } from "../component/tokens.js";
import { hideTooltip, showTooltip } from "../component/tooltip.js";
import { classOf, fitted, indexed, inLines, layoutOf, RADIUS } from "./layout.js";

const WIDEST = 700;
const NARROWEST = 340;

export default function (component) {
  return mount(component, ".architecture", { create, receive, draw });
}

function create(state, find) {
  state.nodes = { picture: find(".picture"), tooltip: find(".tooltip") };
  // Words were measured in another font if the page's own comes later.
  if (document.fonts.status !== "loaded") {
    document.fonts.ready.then(() => state.root.isConnected && state.width && draw(state));
  }
  answer(state);
  answerTools(state, find, ({ view }) => view.texts.file, () => printedSvg(state.nodes.picture));
}

function receive(state, data) {
  state.view = indexed(readFrame(data).header);
}

function draw(state) {
  const { view, nodes: { picture } } = state;
  state.font = getComputedStyle(picture).fontFamily;
  hideTooltip(state);
  nameTools(state.root.querySelector(".tools"), view.texts.title, view.texts);
  const width = Math.min(WIDEST, Math.max(NARROWEST, state.width));
  drawPicture(state, layoutOf(view, width, state.font));
  markDrawn(state, "architecture-drawn");
}

function drawPicture(state, layout) {
  const { view, nodes: { picture } } = state;
  const { width, height, top } = layout;
  assign(picture, {
    width, height, viewBox: `0 ${top} ${width} ${height}`,
    "aria-label": view.texts.title,
  });
  const group = (name) => picture.querySelector(`.${name}`);
  group("frames").replaceChildren(...layout.frames.map((frame) => svg("rect", {
    class: "frame", ...frame, rx: 8 })));
  group("arrows").replaceChildren(
    ...layout.arrows.map(arrowShape), ...layout.sums.map(sumShape));
  group("words").replaceChildren(...layout.words.flatMap(wordShapes));
  group("parts").replaceChildren(...layout.parts.map((part) => partShape(part, state.font)));
}

/** A line with rounded corners, and its head. */
function arrowShape({ kind, lines }) {
  const node = svg("g", { class: `arrow ${kind}` });
  for (const line of lines) {
    const moves = (point, i) => !i || point.some((x, axis) => Math.abs(x - line[i - 1][axis]) > 0.01);
    const bare = line.filter(moves);
    node.append(svg("path", { d: curved(bare) }));
    if (kind !== "tied") node.append(headShape(bare));
  }
  return node;
}

const rounded = (point) => point.map((x) => Math.round(100 * x) / 100);

function curved(points) {
  const parts = [`M${rounded(points[0])}`];
  for (let i = 1; i < points.length - 1; i += 1) {
    const towards = ([x, y], [toX, toY], distance) => {
      const long = Math.hypot(toX - x, toY - y);
      const step = Math.min(distance, long / 2) / long;
      return rounded([x + (toX - x) * step, y + (toY - y) * step]);
    };
    const before = towards(points[i], points[i - 1], 5);
    parts.push(`L${before} Q${rounded(points[i])} ${towards(points[i], points[i + 1], 5)}`);
  }
  return `${parts.join(" ")} L${rounded(points.at(-1))}`;
}

function headShape(points) {
  const [[x, y], [tipX, tipY]] = points.slice(-2);
  const long = Math.hypot(tipX - x, tipY - y);
  const [across, down] = [(tipX - x) / long, (tipY - y) / long];
  const size = Math.min(6, long);
  const corner = (side) => rounded([
    tipX - size * across - 3 * side * down, tipY - size * down + 3 * side * across]);
  return svg("path", { class: "head", d: `M${rounded([tipX, tipY])} L${corner(1)} L${corner(-1)} Z` });
}

function sumShape({ id, x, y }) {
  const node = svg("g", { class: "sum", "data-sum": id });
  const r = RADIUS;
  const cross = `M${x - r} ${y} h${2 * r} M${x} ${y - r} v${2 * r}`;
  node.append(svg("circle", { cx: x, cy: y, r }), svg("path", { d: cross }));
  return node;
}

function wordShapes({ kind, x, y, text, pill }) {
  const turned = kind === "turned";
  const word = svg("text", turned
    ? { class: "word turned", transform: `translate(${x} ${y}) rotate(-90)` }
    : { class: `word ${kind}`, x, y }, text);
  if (!pill) return [word];
  const { side, ...place } = pill;
  return [svg("rect", { class: `token-pill ${side}`, ...place, rx: 4 }), word];
}

function partShape(part, font) {
  const { id, x, y, width, height, node: { group, label, name, detail } } = part;
  const node = svg("g", {
    class: `part ${classOf(group)}`, role: "img", "aria-label": listed([name, detail].filter(Boolean)),
    "data-part": id, "data-name": name, "data-detail": detail,
  });
  const shape = { x, y, width, height, rx: 4 };
  node.append(
    svg("rect", { class: "ground", ...shape }), svg("rect", { class: "box", ...shape }),
    ...partWords(label, detail, part, font));
  return node;
}

/** Label and detail: below each other where the box is high enough, else beside each other. */
function partWords(label, detail, { x, y, width, height }, font) {
  const [middle, room] = [x + width / 2, width - 8];
  const baseline = y + height / 2 + 4;
  if (height < 26) {
    const beside = `${label} ${detail}`;
    const fits = detail && figureTextWidth(beside, 12, font) + 6 <= room;
    const text = svg("text", { x: middle, y: baseline }, fitted(label, room, 12, font));
    if (fits) text.append(svg("tspan", { class: "detail", dx: 7 }, detail));
    return [text];
  }
  const lines = inLines(label, room, 12, font);
  const top = baseline - 7 * (lines.length - 1) - (detail ? 6.5 : 0);
  const texts = lines.map((line, i) => svg("text", { x: middle, y: top + 14 * i }, line));
  if (detail) {
    texts.push(svg("text", { class: "detail", x: middle, y: top + 14 * lines.length - 1 },
      fitted(detail, room, 11, font)));
  }
  return texts;
}

const COLOURED = ["fill", "stroke"];
const OF_THE_PAGE = ["role", "data-part", "data-name", "data-detail"];
const KEPT = ["stroke-width", "stroke-dasharray", "font-size", "font-style", "text-anchor"];

function printedSvg(picture) {
  picture.classList.add("printed");
  const copy = picture.cloneNode(true);
  const [x, y, width, height] = picture.getAttribute("viewBox").split(" ");
  const paper = getComputedStyle(picture).getPropertyValue("--lab-paper");
  const ground = svg("rect", { x, y, width, height, fill: paperColour(paper, paper) });
  copy.setAttribute("font-family", getComputedStyle(picture).fontFamily);
  const copies = copy.querySelectorAll("*");
  picture.querySelectorAll("*").forEach((node, i) => writeStyle(node, copies[i], paper));
  picture.classList.remove("printed");
  copy.prepend(ground);
  copy.removeAttribute("class");
  return new XMLSerializer().serializeToString(copy);
}

function writeStyle(node, copy, paper) {
  for (const name of OF_THE_PAGE) copy.removeAttribute(name);
  if (node.tagName === "g") return;
  const style = getComputedStyle(node);
  for (const name of COLOURED) {
    copy.setAttribute(name, style[name] === "none" ? "none" : paperColour(style[name], paper));
  }
  const isText = ["text", "tspan"].includes(node.tagName);
  const drawn = KEPT.filter((name) => name.startsWith("stroke") !== isText);
  for (const name of drawn) copy.setAttribute(name, style.getPropertyValue(name));
}

function answer(state) {
  const { root, nodes: { picture } } = state;
  picture.onpointermove = (event) => {
    const part = event.target.closest?.(".part");
    if (part) showTooltip(state, partLines(part), event);
    else hideTooltip(state);
  };
  root.onpointerleave = () => hideTooltip(state);
}

function partLines({ dataset: { name, detail } }) {
  return [element("span", "line", name), ...(detail ? [element("span", "line quiet", detail)] : [])];
}
