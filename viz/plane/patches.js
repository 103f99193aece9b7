// The keys of a map as patches of an image: what a row looks at in it.

import { within } from "../component/pixels.js";
import { cleared, putPixels, setPixels } from "../component/plot.js";
import { CSS_COLOURS } from "../component/scale.js";
import { ended, fill, joined, threeDigits } from "../component/text.js";

const LONGER_SIDE = 224;
const DARKEST = 0.8; // what is not looked at can still be recognized

/** Draw the row that is pointed at, or was last: its weights, and the image where they are large. */
export function drawPatches(state, cell) {
  const { view, nodes } = state;
  nodes.patches.hidden = !view.patches;
  if (!view.patches) return;
  state.patchRow = cell?.row ?? state.patchRow ?? 0;
  const { image, rows, shape: [down, across], arrays: at } = view.patches;
  const [panel] = view.panels;
  const isThere = panel.values || state.patchRow < rows;
  const row = isThere ? state.patchRow : 0;
  const weights = weightsOf(state, row);
  const largest = weights.reduce((most, weight) => Math.max(most, weight), 0);
  const shares = weights.map((weight) => weight / (largest || 1));
  const named = (text, i) => fill(text, { query: panel.rowAxis.labels[i][0], weight: threeDigits(largest) });
  const caption = named(view.texts.patches, row);
  nodes.patches.firstElementChild.textContent = isThere
    ? caption : joined(ended(caption), named(view.texts["patches.left"], state.patchRow));
  nodes.patches.classList.toggle("self", isSelf(view));
  const own = row - firstPatch(view);
  const side = Math.max(1, Math.floor(LONGER_SIDE / Math.max(down, across)));
  const size = { width: across * side, height: down * side };
  [...nodes.patches.querySelectorAll(".views > div")].forEach((node, i) => {
    node.hidden = i === 1 && !image;
    if (node.hidden) return;
    const [canvas, frame] = node.children;
    setPixels(node, { "--width": size.width, "--height": size.height });
    canvas.ariaLabel = caption;
    const context = cleared(canvas, size);
    context.globalAlpha = 1;
    if (i === 1) context.drawImage(imageOf(image, view.arrays[at + 2]), 0, 0, size.width, size.height);
    shares.forEach((share, patch) => {
      if (i === 0) context.fillStyle = CSS_COLOURS[Math.round(255 * share)];
      else context.globalAlpha = DARKEST * (1 - share);
      context.fillRect((patch % across) * side, Math.floor(patch / across) * side, side, side);
    });
    frame.hidden = !isSelf(view) || own < 0;
    setPixels(frame, {
      left: (own % across) * side, top: Math.floor(own / across) * side, width: side, height: side,
    });
  });
}

/** The row of the patch that was clicked, where patches look at patches. */
export function patchUnder({ view }, event) {
  if (!isSelf(view)) return null;
  const [down, across] = view.patches.shape;
  const { x, y } = within(event.target, event);
  const { clientWidth, clientHeight } = event.target;
  return firstPatch(view)
    + Math.floor((y / clientHeight) * down) * across + Math.floor((x / clientWidth) * across);
}

const isSelf = ({ panels: [{ rows, columns }] }) => rows === columns;

/** Before the patches there may be columns of other tokens. */
const firstPatch = ({ panels: [{ columns }], patches: { shape: [down, across] } }) =>
  columns - down * across;

function weightsOf({ view, layer, head }, row) {
  const { panels: [{ values, columns }], patches, arrays, heads } = view;
  if (values) return values.subarray(row * columns + firstPatch(view), (row + 1) * columns);
  const line = (layer * heads + head) * patches.rows + row;
  const count = patches.shape[0] * patches.shape[1];
  const bytes = arrays[patches.arrays].subarray(line * count, (line + 1) * count);
  return Float32Array.from(bytes, (byte) => (byte / 255) * arrays[patches.arrays + 1][line]);
}

function imageOf([height, width], bytes) {
  return putPixels(document.createElement("canvas"), width, height, (pixels) => {
    for (let i = 0, at = 0; i < pixels.length; i += 1, at += 3) {
      pixels[i] = (255 << 24) | (bytes[at + 2] << 16) | (bytes[at + 1] << 8) | bytes[at];
    }
  });
}
