// The picture to take away: SVG for white paper, at the stage that is shown.

import { figureStyle, figureSvg, svgMoved, svgNode, svgText, SvgContext } from "../component/figure.js";
import { drawBehind, drawLines, drawStreams } from "../whole/drawing.js";
import { paperInk, svgNames, svgWords } from "../whole/picture.js";
import { drawDescent, labelsOf, LOWER } from "./drawing.js";

/** The model behind a training step: streams, blocks, and lines of attention. */
export function drawModel(context, state, ink) {
  const { layout } = state;
  drawBehind(context, layout, ink);
  drawStreams(context, state, layout, ink);
  const encoder = layout.stacks.find(({ side }) => side === "source");
  for (const stack of layout.stacks) {
    for (const block of stack.blocks.filter(({ heads }) => heads)) {
      drawLines(context, { block, stack, encoder, ink, count: stack.tokens.length, active: null });
    }
  }
}

export function descentSvg(state) {
  const style = figureStyle(state.root);
  const { layout, view } = state;
  const [model, drawn, ink] = [new SvgContext(), new SvgContext(), paperInk(style)];
  const whole = { ...state, reached: Infinity };
  drawModel(model, whole, ink);
  drawDescent(drawn, whole, ink);
  const labels = labelsOf(whole).map(({ kind, x, y, text, number }) => (kind === "true"
    ? svgMoved(x + 3, y - 2, -52, svgText(0, 0, `${text} ${number}`, { "font-size": 12, fill: style.ink }))
    : svgText(x, y + 4, text, { "font-size": 11, fill: style.quiet, "text-anchor": kind === "share" ? "start" : "end" })));
  const said = svgText(0, layout.height + 14, state.nodes.said.textContent, { fill: style.ink, "font-size": 13 });
  const turned = layout.flips ? { transform: `matrix(1 0 0 -1 0 ${layout.height})` } : {};
  return figureSvg({
    title: view.title, width: layout.width, height: layout.height + 22,
    body: [svgNode("g", turned, model.parts), drawn.parts, svgWords(state, style, LOWER), svgNames(state, style), labels, said],
  }, style);
}
