// The picture to take away: SVG for white paper.

import { figureStyle, figureSvg, svgMoved, svgText, SvgContext } from "../component/figure.js";
import { shownOf } from "./drawing.js";
import { nameOf } from "./layout.js";
import { inkOf, paint } from "./painting.js";
import { sayStep } from "./parts.js";

export function wholeSvg(state) {
  const style = figureStyle(state.root);
  const { layout, view } = state;
  const drawn = new SvgContext();
  paint(state, drawn, {
    ...inkOf(state.root), heads: style.heads, norm: style.rule, stream: style.rule,
    active: style.accent, bar: style.quiet, activeBar: style.accent,
  });
  const words = layout.stacks.flatMap((stack) => {
    const { count, active } = shownOf(stack, state);
    return stack.tokens.slice(0, count).map(([text], token) =>
      svgMoved(stack.centre(token) + 3, stack.bottom + 14, -52, svgText(0, 0, text, {
        "text-anchor": "end", "font-family": style.codeFont, "font-size": 12, fill: style.ink,
        "font-weight": token === active && 600,
      })));
  });
  const names = layout.stacks.map((stack) =>
    svgText(stack.left, 14, view.texts[nameOf(stack, layout, view)], {
      fill: style.ink, "font-weight": 600, "font-size": 13,
    }));
  const said = sayStep(state).map((part) => part.textContent ?? part).join("");
  const below = svgText(0, layout.height + 14, said, { fill: style.ink, "font-size": 13 });
  return figureSvg({
    title: view.title, width: layout.width, height: layout.height + 22,
    body: [drawn.parts, words, names, below],
  }, style);
}
