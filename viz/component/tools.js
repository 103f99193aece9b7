// The two buttons that save a component's picture.

import { fileNameOf, savePng, saveSvg } from "./svg.js";
import { fill } from "./text.js";

const ENDINGS = [["png", "png.help", savePng], ["svg", "svg.help", saveSvg]];

/** Answer them: `titleOf(state)` is what the picture says it is, `drawn(state)` its SVG. */
export function answerTools(state, find, titleOf, drawn) {
  for (const [ending, , save] of ENDINGS) {
    find(`.tools .${ending}`).onclick = () => {
      save(drawn(state), `${fileNameOf(titleOf(state), state.view.texts.file)}.${ending}`);
    };
  }
}

export function nameTools({ view: { texts }, root }, title) {
  for (const [ending, help] of ENDINGS) {
    const button = root.querySelector(`.tools .${ending}`);
    button.textContent = texts[ending];
    button.setAttribute("aria-label", fill(texts[help], { title }));
  }
}
