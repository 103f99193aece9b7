// One tooltip per component. `state` needs `root` and `nodes.tooltip`.

import { within } from "./pixels.js";

export const besides = (node) => {
  const box = node.getBoundingClientRect();
  return { clientX: box.right, clientY: box.bottom };
};

/** Put the tooltip beside a point, on the other side where it would leave the component. */
export function showTooltip({ root, nodes }, content, point) {
  const { tooltip } = nodes;
  tooltip.replaceChildren(...content);
  tooltip.hidden = false;
  const { x, y } = within(root, point);
  const flipped = x + 14 + tooltip.offsetWidth > root.offsetWidth;
  const left = flipped ? x - 14 - tooltip.offsetWidth : x + 14;
  const top = y + 16 + tooltip.offsetHeight > root.offsetHeight ? y - 12 - tooltip.offsetHeight : y + 16;
  tooltip.style.translate = `${Math.max(0, Math.round(left))}px ${Math.round(top)}px`;
}

export function hideTooltip({ nodes }) {
  nodes.tooltip.hidden = true;
}
