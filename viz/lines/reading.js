// What is said about a token: in the tooltip, and to those who listen.

import { within } from "../component/pixels.js";
import { fill, fillParts, isolated, listed } from "../component/text.js";
import { element, word } from "../component/tokens.js";
import { headColour } from "./columns.js";
import { GUTTER } from "./layout.js";
import { largestOf, lineWeight, otherColumn, shownSlots } from "./payload.js";

const PARTNERS = 5; // of one head; of each of several heads only the first

const textOf = (view, column, index) => view.labels[column][index][0];

/** The largest weights of a token in words: one entry per line, its token set apart. */
function partnersOf(state, token) {
  const { view } = state;
  const slots = shownSlots(state);
  const several = view.heads.length > 1;
  return slots.flatMap((slot) =>
    largestOf(view, slot, token, several ? 1 : PARTNERS).map(({ index, weight }) => ({
      head: several ? view.heads[slot] : null,
      text: textOf(view, otherColumn(token.column), index),
      weight: lineWeight(view, weight),
    })));
}

/** The tooltip of a token. */
function readingOf(state, token) {
  const { view } = state;
  const { texts } = view;
  const name = word(textOf(view, token.column, token.index));
  const first = element("span", "line");
  first.append(...fillParts(texts[token.column === "query" ? "looks" : "looked"], { token: name }));
  const lines = [first];
  const partners = partnersOf(state, token);
  for (const { head, text, weight } of partners) {
    const line = element("span", "line partner");
    if (head !== null) {
      const colour = element("span", "line-colour");
      colour.style.background = headColour(head);
      line.append(colour, `${fill(texts.head, { head })} `);
    }
    line.append(word(text), " ", element("b", "", weight));
    lines.push(line);
  }
  if (!partners.length) lines.push(element("span", "line", texts.nothing));
  if (token.column === "query" && view.predicted.length) {
    const last = element("span", "line quiet");
    last.append(...fillParts(texts["row.decoder"], {
      fed: word(textOf(view, "query", token.index)), predicted: word(view.predicted[token.index][0]),
    }));
    lines.push(last);
  }
  return lines;
}

/** Put the tooltip into the gutter beside a token or, where that is narrow, above or below it. */
export function showReading(state, token) {
  const { root, rows, layout, nodes } = state;
  const { tooltip } = nodes;
  const fits = layout.gutter >= 150;
  tooltip.style.maxWidth = fits ? `${layout.gutter - 10}px` : "";
  tooltip.replaceChildren(...readingOf(state, token));
  tooltip.hidden = false;
  const row = rows[token.column][token.index].getBoundingClientRect();
  const [{ y: upper }, { y: lower }] = [row.top, row.bottom].map((clientY) =>
    within(root, { clientX: row.left, clientY }));
  const room = root.offsetHeight - tooltip.offsetHeight;
  const below = root.offsetHeight - lower >= upper;
  const beside = Math.max(0, Math.min(upper - 2, room));
  const outside = below ? Math.min(lower + 4, Math.max(room, 0)) : upper - 4 - tooltip.offsetHeight;
  const away = layout.width - layout.gutter + GUTTER.gap;
  const left = token.column === "query" ? 0 : Math.min(away, root.offsetWidth - tooltip.offsetWidth);
  tooltip.style.translate = `${Math.round(left)}px ${Math.round(fits ? beside : Math.max(0, outside))}px`;
}

/** Tell those who listen which token it is and what its largest weights are. */
export function say(state, token) {
  const { view } = state;
  const partners = partnersOf(state, token).map(({ head, text, weight }) =>
    [...(head === null ? [] : [fill(view.texts.head, { head })]), isolated(text), weight].join(" "));
  const more = view.counts[otherColumn(token.column)] > partners.length && view.heads.length === 1;
  state.nodes.live.textContent = fill(view.texts.said, {
    token: textOf(view, token.column, token.index),
    partners: (listed(partners) || view.texts.nothing) + (more ? " …" : ""),
  });
}
