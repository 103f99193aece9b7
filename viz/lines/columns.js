// The two columns of tokens, and the heads above them.

import { axisToken, setPixels } from "../component/plot.js";
import { ended, fill, joined } from "../component/text.js";
import { element } from "../component/tokens.js";

/** Rows of both columns; the one that the keyboard reaches first is row 0. */
export function placeColumns(state) {
  const { view, nodes, layout } = state;
  const { texts, counts } = view;
  const names = axisNames(view);
  setPixels(nodes.figure, {
    "--step": layout.step, "--left": layout.left, "--right": layout.right,
    "--width": layout.width, "--height": layout.height, "--content": layout.content,
    "--gutter": layout.gutter, "--query": layout.query, "--key": layout.key, "--fed": layout.fed,
    "--out": layout.out, "--thickest": layout.thickest,
  });
  nodes.figure.classList.toggle("small", layout.small);
  nodes.figure.classList.toggle("narrow", layout.narrow);
  nodes.box.classList.toggle("scrolls", layout.scrolls);
  for (const column of ["query", "key"]) {
    nodes.axes[column].textContent = names[column];
    nodes.columns[column].setAttribute("aria-label", joined(ended(names[column]), texts.help));
    const rows = Array.from({ length: counts[column] }, (_, index) => rowOf(state, column, index));
    state.rows[column] = rows;
    state.roving[column] = Math.min(state.roving[column], counts[column] - 1);
    rows[state.roving[column]].tabIndex = 0;
    nodes.columns[column].replaceChildren(...rows);
  }
}

/** Whose tokens stand in each column, and what they are there for. */
export function axisNames({ texts, sides, predicted }) {
  const role = predicted.length ? texts["query.decoder"] : texts.query;
  return {
    query: fill(texts.axis, { side: texts[sides[0]], role }),
    key: fill(texts.axis, { side: texts[sides[1]], role: texts.key }),
  };
}

function rowOf({ view, layout, textWidth }, column, index) {
  const row = element("div", "row");
  row.setAttribute("role", "option");
  row.tabIndex = -1;
  Object.assign(row.dataset, { column, index });
  const side = view.sides[column === "query" ? 0 : 1];
  const name = (label, of, at) => axisToken(label, of, at, view.texts, textWidth, layout.longest);
  row.append(name(view.labels[column][index], side, index));
  if (column === "query" && view.predicted.length) {
    const out = name(view.predicted[index], "target", index + 1);
    out.classList.add("predicted");
    row.append(element("span", "arrow", "→"), out);
  }
  return row;
}

/** One entry per head: a switch where there are several. */
export function placeHeads({ view, nodes }) {
  const { heads, texts } = view;
  nodes.heads.setAttribute("aria-label", texts.heads);
  nodes.heads.replaceChildren(...heads.map((head) => {
    const entry = element(heads.length > 1 ? "button" : "span", "head");
    if (heads.length > 1) {
      entry.type = "button";
      entry.setAttribute("role", "checkbox");
    }
    entry.dataset.head = head;
    const line = element("span", "line-colour");
    line.style.background = headColour(head);
    entry.append(line, fill(texts.head, { head }));
    return entry;
  }));
}

/** The head's name among the theme's colours; after the sixteenth they begin again. */
export const headColour = (head) => `var(--lab-head-${head % 16})`;

export function markHeads({ nodes, hidden }) {
  for (const entry of nodes.heads.children) {
    const shown = !hidden.has(Number(entry.dataset.head));
    entry.classList.toggle("off", !shown);
    if (entry.type) entry.setAttribute("aria-checked", shown);
  }
}

/** Mark the token whose lines are shown, and the one that is kept. */
export function markTokens(state, active) {
  const { marked, pinned, spoken, rows } = state;
  for (const row of marked) {
    row.classList.remove("active", "pinned", "spoken");
    row.removeAttribute("aria-selected");
  }
  marked.length = 0;
  const add = (token, name) => {
    const row = token && rows[token.column][token.index];
    if (!row) return;
    row.classList.add(name);
    if (name === "pinned") row.setAttribute("aria-selected", true);
    marked.push(row);
  };
  add(spoken, "spoken");
  add(pinned, "pinned");
  add(active, "active");
}
