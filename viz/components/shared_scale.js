// The one scale for weights. Colour 0 of the table is transparent: what is hidden shows the hatch.

const SCALE = Uint8Array.from(atob("SCALE_AS_BASE64"), (letter) => letter.charCodeAt(0));
const COLOURS = new Uint32Array(257);
for (let i = 0; i < 256; i += 1) {
  const [red, green, blue] = SCALE.subarray(3 * i, 3 * i + 3);
  COLOURS[i + 1] = ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

function drawLegend(canvas) {
  const image = new ImageData(256, 1);
  new Uint32Array(image.data.buffer).set(COLOURS.subarray(1));
  canvas.getContext("2d").putImageData(image, 0, 0);
}

const CSS_COLOURS = Array.from({ length: 256 }, (_, i) => {
  const digits = Array.from(SCALE.subarray(3 * i, 3 * i + 3), (part) => part.toString(16).padStart(2, "0"));
  return `#${digits.join("")}`;
});
