// What folds below the steps: the table of inputs per step, which training and inference feed the decoder,
// and two small charts over the steps. Made when opened.

import { within } from "../component/pixels.js";
import { fill, labelled, listed, localDigits, localNumber } from "../component/text.js";
import { element, FLAGS, svg } from "../component/tokens.js";
import { SIDES } from "./column.js";
import { numberWords, sameLabel } from "./payload.js";

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

const PANEL = { height: 168, left: 38, right: 8, top: 10, bottom: 24 };

export function drawChart(state) {
  const { view, nodes } = state;
  const { texts, sides } = view;
  nodes.chart.querySelector("summary").textContent = texts.chart;
  const truths = sides.map(({ steps }) => steps.map((step) => step.true?.probability));
  const panels = [];
  if (view.divergence.length) {
    panels.push({
      // Less than a tenth is next to nothing, and shall look so.
      name: texts["chart.divergence"], top: rounded(Math.max(0.1, ...view.divergence)),
      series: [{ kind: "divergence", values: view.divergence }],
    });
  }
  if (truths.flat().some((each) => each !== undefined)) {
    panels.push({
      name: texts["chart.true"], top: 1,
      series: sides.map((_, i) => (
        { kind: SIDES[i], values: truths[i], name: texts[`side.${SIDES[i]}`] })),
    });
  }
  nodes.chart.hidden = !panels.length;
  const holder = nodes.chart.querySelector(".panels");
  state.panels = nodes.chart.open ? panels : [];
  holder.replaceChildren(...state.panels.map((panel) => panelFigure(panel, view, holder)));
}

/** The next of 1, 2, 5, 10 … that a scale can end with. */
export function rounded(largest) {
  const power = 10 ** Math.floor(Math.log10(largest));
  return [1, 2, 5, 10].map((step) => step * power).find((end) => end >= largest) ?? 10 * power;
}

function panelFigure(panel, view, holder) {
  const across = holder.clientWidth < 640 ? 1 : 2;
  const width = Math.floor((holder.clientWidth - 32 * (across - 1)) / across);
  const { left, right, top, bottom, height } = PANEL;
  panel.width = width;
  panel.per = (width - left - right) / view.count;
  panel.x = (i) => left + (i + 0.5) * panel.per;
  panel.y = (value) => top + (1 - value / panel.top) * (height - top - bottom);
  const figure = element("figure", "panel");
  const caption = element("figcaption", "", panel.name);
  const picture = svg("svg", { width, height, role: "img", "aria-label": panel.name });
  panel.now = svg("rect", {
    class: "now", y: top, width: panel.per, height: height - top - bottom });
  picture.append(panel.now, ...axes(panel, view), ...panel.series.flatMap((each) => curve(each, panel)));
  if (panel.series.length > 1) {
    caption.append(...panel.series.map(({ kind, name }) => {
      const key = element("span", "key");
      const sample = svg("svg", { width: 26, height: 10 });
      sample.append(svg("line", { class: kind, x1: 0, x2: 26, y1: 5, y2: 5 }), point(kind, 13, 5));
      key.append(sample, ` ${name}`);
      return key;
    }));
  }
  panel.picture = picture;
  picture.dataset.panel = panel.name;
  figure.append(caption, picture);
  return figure;
}

function axes({ x, y, top: end, width, per }, { count, difference }) {
  const parts = [];
  for (const value of [0, end / 2, end]) {
    const ends = { x1: PANEL.left, x2: width - PANEL.right, y1: y(value), y2: y(value) };
    parts.push(svg("line", { class: "grid", ...ends }));
    const tick = svg("text", { class: "tick", x: PANEL.left - 6, y: y(value) + 4, "text-anchor": "end" });
    tick.textContent = localDigits(String(Number(value.toPrecision(2))));
    parts.push(tick);
  }
  const every = Math.ceil(22 / per);
  for (let i = 0; i < count; i += every) {
    const tick = svg("text", { class: "tick", x: x(i), y: PANEL.height - 8, "text-anchor": "middle" });
    tick.textContent = localNumber(i);
    parts.push(tick);
  }
  if (difference !== null) {
    parts.push(svg("line", { class: "parts", x1: x(difference), x2: x(difference), y1: y(end), y2: y(0) }));
  }
  return parts;
}

/** A curve with a point at each step; the sides differ in line and shape. */
function curve({ kind, values }, { x, y }) {
  const known = [...values.keys()].filter((i) => values[i] !== undefined);
  const line = svg("polyline", {
    class: kind, points: known.map((i) => `${x(i)},${y(values[i])}`).join(" ") });
  return [line, ...known.map((i) => point(kind, x(i), y(values[i])))];
}

function point(kind, x, y) {
  return kind === "forced"
    ? svg("rect", { class: `point ${kind}`, x: x - 3, y: y - 3, width: 6, height: 6 })
    : svg("circle", { class: `point ${kind}`, cx: x, cy: y, r: 3.2 });
}

export function drawChartStep({ panels, step, view }) {
  for (const panel of panels) {
    panel.now.setAttribute("x", panel.x(step) - panel.per / 2);
    const values = listed(chartWords(panel, view, step));
    panel.picture.setAttribute("aria-label", labelled(panel.name, values));
  }
}

/** What a panel says of a step, line by line. */
export function chartWords({ series }, { texts, count }, step) {
  const number = (value) => (value === undefined ? "–" : numberWords(Math.max(0, value)));
  return [
    fill(texts.step, { number: step, last: count - 1 }),
    ...series.map(({ name, values }) => [name, number(values[step])].filter(Boolean).join(" ")),
  ];
}

/** The panel and the step under the pointer, if any. */
export function chartUnder({ panels, view }, event) {
  const picture = event.target.closest?.(".panel > svg");
  const panel = panels?.find((each) => each.picture === picture);
  if (!panel) return null;
  const across = within(picture, event).x - PANEL.left;
  const step = Math.floor(across / panel.per);
  return step >= 0 && step < view.count ? { panel, step } : null;
}
