// The row of dots: one per step, a slider to keyboard and screen reader.

import { fill, lettersOf } from "../component/text.js";
import { element, tokenElement } from "../component/tokens.js";
import { middle, sameLabel } from "./payload.js";

const LETTER = 6.7; // width of one letter below a dot, in pixels

export function drawScrubber(state) {
  const { view, nodes, width } = state;
  const [free, forced] = view.sides;
  const room = Math.floor((width / view.count - 3) / LETTER);
  const written = Array.from({ length: view.count },
    (_, i) => (free.steps[i] ?? forced?.steps[i])?.chosen.label);
  const dots = Array.from({ length: view.count }, (_, i) => {
    const dot = element("span", "dot");
    dot.dataset.step = i;
    dot.append(element("i", "sign"));
    if (room >= 3 && i < free.steps.length) {
      const [text, flags] = written[i];
      dot.append(tokenElement([middle(text, roomAt(written, i, room)), flags], "target", i + 1 + view.before, "under", view.texts));
    }
    dot.classList.toggle("difference", i === view.difference);
    dot.classList.toggle("after", view.difference !== null && i > view.difference);
    const truth = (free.steps[i] ?? forced?.steps[i])?.true?.label;
    // After a difference the decoder is fed other words, and yet may write the same.
    dot.classList.toggle("other", Boolean(truth && !sameLabel(written[i], truth)));
    dot.classList.toggle("by-hand", Boolean(free.steps[i]?.overridden));
    return dot;
  });
  nodes.scrubber.style.setProperty("--count", view.count);
  nodes.scrubber.classList.toggle("named", room >= 3);
  nodes.scrubber.setAttribute("aria-valuemax", view.count - 1);
  nodes.scrubber.setAttribute("aria-label", view.texts["step.name"]);
  nodes.scrubber.setAttribute("aria-description", view.texts["step.help"]);
  nodes.scrubber.replaceChildren(element("i", "rail"), element("i", "rail done"), ...dots);
  state.dots = dots;
}

/** Letters below a dot: a long word takes what the words beside it leave. */
export function roomAt(written, i, room) {
  const lengths = [written[i - 1], written[i + 1]].map(
    (label) => (label ? Math.min(room, lettersOf(label[0]).length) : room));
  return 2 * room - Math.max(...lengths);
}

export function drawScrubberStep(state) {
  const { view, nodes, step, dots } = state;
  nodes.scrubber.style.setProperty("--at", step);
  state.dotNow?.classList.remove("now");
  state.dotNow = dots[step];
  state.dotNow.classList.add("now");
  const words = fill(view.texts.step, { number: step, last: view.count - 1 });
  nodes.count.textContent = words;
  nodes.scrubber.setAttribute("aria-valuenow", step);
  nodes.scrubber.setAttribute("aria-valuetext", words);
  nodes.previous.setAttribute("aria-disabled", step === 0);
  nodes.following.setAttribute("aria-disabled", step === view.count - 1);
}

export function drawControls({ view, nodes }) {
  const { texts, difference } = view;
  nodes.previous.setAttribute("aria-label", texts["step.previous"]);
  nodes.following.setAttribute("aria-label", texts["step.next"]);
  // Where a word was put in that makes the sides part, its own mark says so.
  const putIn = Boolean(view.sides[0].steps[difference]?.overridden);
  nodes.difference.hidden = view.sides.length < 2 || putIn;
  nodes.difference.disabled = difference === null;
  nodes.difference.lastElementChild.textContent = difference === null
    ? texts["difference.none"] : fill(texts.difference, { number: difference });
  nodes.byHand.hidden = !view.sides[0].steps.some(({ overridden }) => overridden);
  nodes.byHand.lastElementChild.textContent = texts.overridden;
}

/** The step under the pointer. */
export function stepUnder({ nodes, view }, { clientX }) {
  const box = nodes.scrubber.getBoundingClientRect();
  const at = Math.floor(((clientX - box.left) / box.width) * view.count);
  return Math.min(view.count - 1, Math.max(0, at));
}

/** Numbers 0 … count - 1 to choose from; what was chosen stays chosen where it still exists. */
export function drawChoice(select, name, count, chosen) {
  select.previousElementSibling.textContent = name;
  if (select.options.length !== count) {
    select.replaceChildren(...Array.from({ length: count }, (_, i) => new Option(i, i)));
  }
  select.value = Math.min(chosen, count - 1);
  return Number(select.value);
}
