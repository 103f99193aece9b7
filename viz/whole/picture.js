// The picture to take away: SVG for white paper.

import { figureStyle, figureSvg, svgMoved, svgNode, svgText, SvgContext } from "../component/figure.js";
import { shownOf } from "./drawing.js";
import { nameOf, titleTop, topOf } from "./layout.js";
import { paint } from "./painting.js";
import { hasName, nameHeight, sayStep } from "./parts.js";

export function wholeSvg(state) {
  const style = figureStyle(state.root);
  const { layout, view } = state;
  const drawn = new SvgContext();
  paint(state, drawn, paperInk(style));
  const said = sayStep(state).map((part) => part.textContent ?? part).join("");
  const turned = layout.flips ? { transform: `matrix(1 0 0 -1 0 ${layout.height})` } : {};
  const below = svgText(0, layout.height + 14, said, { fill: style.ink, "font-size": 13 });
  return figureSvg({
    title: view.title, width: layout.width, height: layout.height + 22,
    body: [svgNode("g", turned, drawn.parts), svgWords(state, style), svgNames(state, style), below],
  }, style);
}

/** Colours on paper, by the names of those on the screen, whose theme may be dark. */
export const paperInk = (style) => ({
  heads: style.heads, attention: style.paper, other: style.source, norm: style.rule, stream: style.rule,
  active: style.accent, bar: style.quiet, activeBar: style.accent, differs: style.differs,
});

/** The words below their streams, `lower` by some pixels. */
export function svgWords(state, style, lower = 0) {
  const { layout } = state;
  const [angle, anchor] = layout.flips ? [-90, "start"] : [-52, "end"];
  return layout.stacks.flatMap((stack) => {
    const { count, active } = shownOf(stack, state);
    const y = stack.bottom + 14 + lower;
    return stack.tokens.slice(0, count).map(([text], token) =>
      svgMoved(stack.centre(token) + 3, topOf(layout, y, y), angle, svgText(0, 0, text, {
        "text-anchor": anchor, "font-family": style.codeFont, "font-size": 12, fill: style.ink,
        "font-weight": token === active && 600,
      })));
  });
}

/** The names of the stacks and, where there is room beside them, of their blocks. */
export function svgNames({ layout, view }, style) {
  return layout.stacks.flatMap((stack) => {
    const title = svgText(stack.left, titleTop(stack, layout) + 14, view.texts[nameOf(stack, layout, view)], {
      fill: style.ink, "font-weight": 600, "font-size": 13,
    });
    const blocks = layout.narrow ? [] : stack.blocks.filter(hasName).map((block) =>
      svgText(stack.left - 8, nameHeight(block, layout) + 4, block.label, {
        fill: style.quiet, "font-size": 11, "text-anchor": "end",
      }));
    return [title, ...blocks];
  });
}
