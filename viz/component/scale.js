// The one scale for weights. Colour 0 of the table is transparent: what is hidden shows the hatch.

import { putPixels } from "./plot.js";
import { SCALE_AS_BASE64 } from "./tables.js";

export function bytesOf(base64) {
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** A table of red, green and blue as pixels; colour 0 is transparent. */
export function pixelColours(table) {
  const colours = new Uint32Array(table.length / 3 + 1);
  for (let i = 0; i < table.length / 3; i += 1) {
    const [red, green, blue] = table.subarray(3 * i, 3 * i + 3);
    colours[i + 1] = ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  }
  return colours;
}

export const SCALE = bytesOf(SCALE_AS_BASE64);
export const COLOURS = pixelColours(SCALE);

export function drawLegend(canvas, colours = COLOURS) {
  putPixels(canvas, colours.length - 1, 1, (pixels) => pixels.set(colours.subarray(1)));
}

export const CSS_COLOURS = Array.from({ length: 256 }, (_, i) => {
  const digits = Array.from(SCALE.subarray(3 * i, 3 * i + 3), (part) => part.toString(16).padStart(2, "0"));
  return `#${digits.join("")}`;
});
