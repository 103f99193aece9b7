// The component: one picture of the model, drawn anew in place when the model or the choice changes.

import { answerTools, nameTools } from "../component/figure.js";
import { markDrawn, mount } from "../component/mount.js";
import { readFrame } from "../component/text.js";
import { hideTooltip } from "../component/tooltip.js";
import { drawPicture, printedSvg } from "./drawing.js";
import { answer } from "./events.js";
import { indexed, layoutOf } from "./layout.js";

const WIDEST = 700;
const NARROWEST = 340;

export default function (component) {
  return mount(component, ".architecture", { create, receive, draw });
}

function create(state, find) {
  state.parts = new Map();
  state.nodes = { picture: find(".picture"), tooltip: find(".tooltip") };
  // Words were measured in another font if the page's own comes later.
  if (document.fonts.status !== "loaded") {
    document.fonts.ready.then(() => state.root.isConnected && state.width && draw(state));
  }
  answer(state);
  answerTools(state, find, ({ view }) => view.texts.file, () => printedSvg(state.nodes.picture));
}

function receive(state, data) {
  state.view = indexed(readFrame(data).header);
}

function draw(state) {
  const { view, nodes: { picture } } = state;
  state.font = getComputedStyle(picture).fontFamily;
  hideTooltip(state);
  nameTools(state.root.querySelector(".tools"), view.texts.title, view.texts);
  const width = Math.min(WIDEST, Math.max(NARROWEST, state.width));
  drawPicture(state, layoutOf(view, width, state.font));
  markDrawn(state, "architecture-drawn");
}
