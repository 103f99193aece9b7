// The picture as a file of its own: on white, with every colour and font written out.

import { svg } from "../component/shapes.js";

const COLOURED = ["fill", "stroke"];
const OF_THE_PAGE = ["tabindex", "role", "aria-pressed", "data-stack", "data-name", "data-detail"];
const KEPT = ["stroke-width", "stroke-dasharray", "font-size", "font-style", "text-anchor"];

export function printedSvg(picture) {
  picture.classList.add("printed");
  const copy = picture.cloneNode(true);
  const [x, y, width, height] = picture.getAttribute("viewBox").split(" ");
  const paper = svg("rect", { x, y, width, height, fill: plainColour(paperOf(picture))[0] });
  copy.setAttribute("font-family", getComputedStyle(picture).fontFamily);
  const copies = copy.querySelectorAll("*");
  picture.querySelectorAll("*").forEach((node, i) => writeStyle(node, copies[i]));
  picture.classList.remove("printed");
  copy.prepend(paper);
  for (const name of ["class", "aria-description"]) copy.removeAttribute(name);
  for (const ring of copy.querySelectorAll(".ring")) ring.remove();
  return new XMLSerializer().serializeToString(copy);
}

/** White as the theme names it, which the ground of any box shows. */
const paperOf = (picture) => getComputedStyle(picture.querySelector(".ground")).fill;

function writeStyle(node, copy) {
  for (const name of OF_THE_PAGE) copy.removeAttribute(name);
  if (node.tagName === "g") return;
  const style = getComputedStyle(node);
  for (const name of COLOURED) {
    const [colour, opacity] = plainColour(style[name]);
    copy.setAttribute(name, colour);
    if (opacity < 1) copy.setAttribute(`${name}-opacity`, opacity);
  }
  const isText = ["text", "tspan"].includes(node.tagName);
  const drawn = KEPT.filter((name) => name.startsWith("stroke") !== isText);
  for (const name of drawn) copy.setAttribute(name, style.getPropertyValue(name));
}

/** A colour as every program reads it, and its opacity; mixtures are computed as parts of 1. */
function plainColour(written) {
  if (written === "none") return [written, 1];
  const numbers = written.match(/[\d.]+(e-?\d+)?/g).map(Number);
  const scale = written.startsWith("color") ? 255 : 1;
  const digits = numbers.slice(0, 3).map((x) => Math.round(x * scale).toString(16).padStart(2, "0"));
  return [`#${digits.join("")}`, numbers[3] ?? 1];
}
