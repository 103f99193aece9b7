// The two buttons that save a figure of Plotly, which the page draws beside them.

import { fileNameOf, nameTools, saveFile } from "./figure.js";
import { readFrame } from "./text.js";

const FINE = 2; // pixels per unit

export default function mountTools({ data, parentElement }) {
  const { header } = readFrame(data);
  const tools = parentElement.querySelector(".tools");
  nameTools(tools, header.title, header.texts);
  for (const format of ["png", "svg"]) {
    tools.querySelector(`.${format}`).onclick = async () => {
      const written = await pictureOf(header, format);
      const name = fileNameOf(header.title, header.texts.file);
      saveFile(new Blob([written]), `${name}.${format}`);
    };
  }
  tools.dataset.drawn = 1;
}

/** The figure as it is turned and zoomed, on white paper whatever the theme. */
async function pictureOf({ key, paper }, format) {
  const figure = document.querySelector(`.st-key-${key} .js-plotly-plot`);
  const { width, height } = figure.getBoundingClientRect();
  const shown = { data: figure.data, layout: { ...figure.layout, ...paper } };
  const size = { width: Math.round(width), height: Math.round(height) };
  const how = { format, ...size, scale: format === "png" ? FINE : 1, imageDataOnly: true };
  const image = await globalThis.Plotly.toImage(shown, how);
  return format === "svg" ? image : Uint8Array.from(atob(image), (sign) => sign.charCodeAt(0));
}
