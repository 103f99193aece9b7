// Pointer and keyboard. Handlers are properties: setting them again replaces them.

import { element } from "../component/tokens.js";
import { besides, hideTooltip, showTooltip } from "../component/tooltip.js";

export function answer(state) {
  const { root, nodes } = state;
  const { picture } = nodes;
  const under = (event) => event.target.closest?.(".part");
  picture.onclick = (event) => pick(state, under(event));
  picture.onpointermove = (event) => {
    const part = under(event);
    if (part) showTooltip(state, partLines(part), event);
    else hideTooltip(state);
  };
  // Chromium knows these two as events only; a root is given its listeners once. They are the
  // root's, since an svg that listens to the focus takes it itself.
  root.addEventListener("focusin", (event) => {
    const part = under(event);
    if (!part) return;
    for (const node of state.parts.values()) node.setAttribute("tabindex", node === part ? 0 : -1);
    if (part?.matches(":focus-visible")) showTooltip(state, partLines(part), besides(part));
  });
  root.addEventListener("focusout", () => hideTooltip(state));
  root.onpointerleave = () => hideTooltip(state);
  picture.onkeydown = (event) => answerKey(state, under(event), event);
}

function pick(state, part) {
  if (part) state.send("pick", { part: part.dataset.part });
}

function partLines(part) {
  const { name, detail } = part.dataset;
  return [element("span", "line", name), ...(detail ? [element("span", "line quiet", detail)] : [])];
}

function answerKey(state, part, event) {
  if (!part || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return hideTooltip(state);
  if (event.key === "Enter" || event.key === " ") pick(state, part);
  else if (STEPS[event.key]) STEPS[event.key](state, part)?.focus();
  else return;
  event.preventDefault();
}

const stackName = (part) => part.dataset.stack;
const ofStack = (state, name) => [...state.parts.values()]
  .filter((node) => stackName(node) === name)
  .sort((a, b) => rank(a) - rank(b));
const rank = (node) => [...node.parentElement.children].indexOf(node);

/** The part that comes next in the flow of data, or before it. */
function along(by) {
  return (state, part) => {
    const all = ofStack(state, stackName(part));
    return all[all.indexOf(part) + by];
  };
}

/** The part of the first or last stack that stands at about the same height. */
function across(index) {
  return (state, part) => {
    const { name } = state.view.stacks.at(index);
    if (stackName(part) === name) return undefined;
    const height = (node) => {
      const box = node.querySelector(".box");
      return Number(box.getAttribute("y")) + Number(box.getAttribute("height")) / 2;
    };
    const far = (node) => Math.abs(height(node) - height(part));
    return ofStack(state, name).sort((a, b) => far(a) - far(b))[0];
  };
}

const STEPS = {
  ArrowUp: along(1), ArrowDown: along(-1), ArrowLeft: across(0), ArrowRight: across(-1),
  Home: (state, part) => ofStack(state, stackName(part))[0],
  End: (state, part) => ofStack(state, stackName(part)).at(-1),
};
