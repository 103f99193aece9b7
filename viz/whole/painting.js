// Colours, and the order in which the picture is drawn.

import { element } from "../component/tokens.js";
import { drawBehind, drawBlocks, drawStreams, drawTiles } from "./drawing.js";

/** Colours on the screen, from the theme. */
export function inkOf(root) {
  // What a property holds may name colours of the theme; an element has them as they are.
  const sample = root.appendChild(element("span", ""));
  const colour = (name) => {
    sample.style.color = `var(--lab-${name})`;
    return getComputedStyle(sample).color;
  };
  const ink = {
    heads: Array.from({ length: 16 }, (_, head) => colour(`head-${head}`)),
    attention: colour("raised"), other: colour("source"),
    norm: colour("rule"), stream: colour("rule"), active: colour("accent"),
    bar: colour("faint"), activeBar: colour("accent"), differs: colour("differs"),
  };
  sample.remove();
  return ink;
}

/** Draw stacks on a canvas or as SVG: the encoder's alone, the decoder's, or both. */
export function paint(state, context, ink, sides = ["source", "target"]) {
  const { layout } = state;
  const chosen = { ...layout, stacks: layout.stacks.filter(({ side }) => sides.includes(side)) };
  const encoder = layout.stacks.find(({ side }) => side === "source");
  drawBehind(context, chosen, ink);
  drawStreams(context, state, chosen, ink);
  drawBlocks(context, state, chosen, ink, encoder);
  drawTiles(context, state, chosen, ink);
}
