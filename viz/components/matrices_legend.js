// How to read the colours: each scale once, and what the hatch means.

/** The ends of a scale and its middle; a mask has one colour, and so none. */
function ticksOf({ scale, limit }) {
  if (scale === "mask") return [];
  return (scale === "signed" ? [-limit, 0, limit] : [0, limit / 2, limit]).map(tickDigits);
}

/** Distinct scales, and distinct names of what is hidden. */
function legendsOf(panels) {
  const scales = new Map();
  for (const panel of panels) {
    const { scale, limit, value_name: name } = panel;
    scales.set(JSON.stringify([scale, limit, name]), { scale, name, ticks: ticksOf(panel) });
  }
  const hidden = panels.filter(({ visible }) => visible?.includes(0)).map((panel) => panel.hidden);
  return { scales: [...scales.values()], hidden: [...new Set(hidden)] };
}

function drawLegends(node, panels) {
  const { scales, hidden } = legendsOf(panels);
  const shown = JSON.stringify([scales, hidden]);
  if (node.dataset.shown === shown) return;
  node.dataset.shown = shown;
  node.replaceChildren(...scales.map(scaleLegend), ...hidden.map(hatchLegend));
}

function scaleLegend({ scale, name, ticks }) {
  const legend = element("div", "legend");
  const bar = element("span", ticks.length ? "scale" : "swatch");
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { height: 1, ariaHidden: "true" });
  drawLegend(canvas, PIXELS[scale]);
  const marks = element("span", "ticks");
  marks.append(...ticks.map((tick) => element("i", "", tick)));
  bar.append(canvas, marks);
  if (name) legend.append(element("span", "name", name));
  legend.append(bar);
  return legend;
}

function hatchLegend(hidden) {
  const legend = element("div", "legend");
  const masked = element("span", "masked");
  masked.append(element("span", "swatch"), element("span", "hidden-name", hidden));
  legend.append(masked);
  return legend;
}
