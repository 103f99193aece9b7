// The table of inputs per step: what training and inference feed the decoder. Made when opened.

import { element, FLAGS } from "../component/tokens.js";
import { sameLabel } from "./payload.js";

const COLUMNS = ["step", "free", "chosen", "forced", "true"];

export function drawTable(state) {
  const { view, nodes } = state;
  const { texts } = view;
  nodes.table.querySelector("summary").textContent = texts.table;
  state.rowNow = null;
  const shown = COLUMNS.filter((name) => view.sides.length > 1 || !["forced", "true"].includes(name));
  const head = element("tr", "");
  head.append(...shown.map((name) => {
    const cell = element("th", name, texts[`table.${name}`]);
    cell.scope = "col";
    return cell;
  }));
  const body = nodes.table.open
    ? Array.from({ length: view.count }, (_, i) => tableRow(view, shown, i)) : [];
  nodes.table.querySelector("thead").replaceChildren(head);
  nodes.table.querySelector("tbody").replaceChildren(...body);
}

function tableRow({ sides: [free, forced], before }, shown, i) {
  const row = element("tr", "");
  row.dataset.step = i;
  const next = i + 1 + before;
  const prefix = (side) => side.fed.length >= next ? words(side.fed.slice(0, next)) : [];
  const chosen = free.steps[i]?.chosen.label;
  const truth = forced?.steps[i]?.true?.label ?? forced?.fed[next];
  const contents = {
    step: () => [String(i)],
    free: () => prefix(free),
    chosen: () => words(chosen ? [chosen] : []),
    forced: () => prefix(forced),
    true: () => words(truth ? [truth] : []),
  };
  row.append(...shown.map((name) => {
    const cell = element(name === "step" ? "th" : "td", name);
    if (name === "step") cell.scope = "row";
    cell.append(...contents[name]());
    return cell;
  }));
  row.classList.toggle("differs", Boolean(chosen && truth && !sameLabel(chosen, truth)));
  return row;
}

const words = (labels) => labels.flatMap(([text, flags], i) => {
  const word = element("bdi", flags & FLAGS.special ? "token special" : "token", text);
  return i ? [" ", word] : [word];
});

export function drawTableStep(state) {
  const { nodes, step } = state;
  if (!nodes.table.open) return;
  state.rowNow?.removeAttribute("aria-current");
  state.rowNow = nodes.table.querySelector("tbody").children[step] ?? null;
  if (!state.rowNow) return;
  state.rowNow.setAttribute("aria-current", "step");
  // Scrolls the table's own box and nothing around it.
  const box = state.rowNow.closest(".scrolled");
  const [top, bottom] = [state.rowNow.offsetTop, state.rowNow.offsetTop + state.rowNow.offsetHeight];
  const names = nodes.table.querySelector("thead").offsetHeight;
  if (top - names < box.scrollTop) box.scrollTop = top - names;
  if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}
