// The component: one picture of the model, drawn anew in place when the model or the choice changes.

import { markDrawn, mount } from "../component/mount.js";
import { readFrame } from "../component/text.js";
import { answerTools, nameTools } from "../component/tools.js";
import { hideTooltip } from "../component/tooltip.js";
import { drawPicture } from "./drawing.js";
import { answer } from "./events.js";
import { printedSvg } from "./export.js";
import { layoutOf } from "./layout.js";
import { indexed } from "./words.js";

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
  nameTools(state, view.texts.title);
  const width = Math.min(WIDEST, Math.max(NARROWEST, state.width));
  drawPicture(state, layoutOf(view, width, state.font));
  markDrawn(state, "architecture-drawn");
}
