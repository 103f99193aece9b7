// Elements of SVG within a page; writing a file of SVG is svg.js.

export function svg(name, attributes = {}, text = "") {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  assign(node, attributes);
  if (text) node.textContent = text;
  return node;
}

export function assign(node, attributes) {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
}
