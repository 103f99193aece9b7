// A token's weights beside the tokens at the other end: bars, and numbers at the largest.

import { smallestText } from "../component/pixels.js";
import { rowsInView } from "./layout.js";
import { endsOf, lineWeight, otherColumn, pairsOf, shownSlots } from "./payload.js";

const NUMBERED = { most: 8, least: 0.001 };

/**
 * One bar along the row where there is one head; else one upright bar for each head, from the
 * bottom of the row (0) to its top (1).
 */
export function weightBars({ view, layout, hidden }, token) {
  const away = token.column === "query";
  const { step, right, key, gutter, bar, gap } = layout;
  const start = away ? right + key + gap : gutter - gap;
  const beside = bar ? bar + 6 : gap;
  const several = view.heads.length > 1;
  const width = bar / view.heads.length;
  const bars = [];
  const largest = new Map();
  for (const slot of shownSlots({ view, hidden })) {
    for (const at of pairsOf(view, slot, token)) {
      const index = endsOf(view, at)[otherColumn(token.column)];
      const weight = view.weights[at] * view.unit;
      largest.set(index, Math.max(largest.get(index) ?? 0, weight));
      const [wide, high] = several
        ? [Math.max(1, width - 1), weight * (step - 4)] : [weight * bar, step - 10];
      const offset = several ? slot * width : 0;
      const bottom = (index + 1) * step - (several ? 2 : 5);
      const x = away ? start + offset : start - bar + (several ? offset : bar - wide);
      bars.push({ slot, index, weight, x, y: bottom - high, width: wide, height: high });
    }
  }
  const numbers = [...largest].filter(([, weight]) => weight >= NUMBERED.least)
    .sort((a, b) => b[1] - a[1]).slice(0, NUMBERED.most)
    .map(([index, weight]) => ({
      index, text: lineWeight(view, weight), y: (index + 0.5) * step,
      x: away ? start + beside : start - beside, align: away ? "left" : "right",
    }));
  const rules = several ? [...largest.keys()].map((index) => ({
    x: away ? start : start - bar, y: (index + 1) * step - 2, width: bar,
  })) : [];
  return { bars, numbers, rules };
}

/** The same on the canvas, as far as it is in view. */
export function drawWeights(state, context, token) {
  const { layout, scrolled, colours, ink } = state;
  const [first, last] = rowsInView(layout, scrolled);
  const seen = ({ y }) => y >= first * layout.step && y <= (last + 1) * layout.step;
  const { bars, numbers, rules } = weightBars(state, token);
  context.fillStyle = ink.rule;
  for (const rule of rules.filter(seen)) context.fillRect(rule.x, rule.y - scrolled, rule.width, 1);
  for (const bar of bars) {
    if (!bar.weight || !seen(bar)) continue;
    context.fillStyle = colours[bar.slot];
    context.fillRect(bar.x, bar.y - scrolled, bar.width, bar.height);
  }
  context.fillStyle = ink.text;
  context.textBaseline = "middle";
  context.font = `${layout.small ? Math.max(11, smallestText()) : 12}px ${ink.font}`;
  for (const number of numbers.filter(seen)) {
    context.textAlign = number.align;
    context.fillText(number.text, number.x, number.y - scrolled);
  }
}
