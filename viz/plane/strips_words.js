// The sentences: chips that can be chosen.

/** Chips of both sentences; they stay until other words come. */
function drawSentences(state) {
  const { view, find } = state;
  state.chips = {};
  for (const side of ["source", "target"]) {
    const node = find(`.chips.${side}`);
    find(`.side.${side}`).textContent = view.texts[side];
    node.setAttribute("aria-label", fill(view.texts["words.help"], { side: view.texts[side] }));
    const chips = view[side].map((label, i) => tokenElement(label, side, i, "chip", view.texts));
    if (view.picks) chips.forEach((chip, i) => makeButton(chip, view.tokens[side][i] == null, view.texts));
    node.replaceChildren(...inWords(chips));
    node.parentElement.hidden = !chips.length;
    state.chips[side] = chips;
  }
}

function makeButton(chip, isLast, texts) {
  chip.setAttribute("role", "button");
  if (!isLast) return;
  chip.setAttribute("aria-disabled", "true");
  chip.title = texts.last;
}

/** Which chip is chosen; Tab leads to it, and in the other sentence to where the keyboard was. */
function markChosen(state, side, index) {
  // Where nothing can be chosen, chips are no buttons, which alone can be pressed.
  const name = state.view.picks ? "aria-pressed" : "aria-current";
  for (const [of, chips] of Object.entries(state.chips)) {
    chips.forEach((chip, i) => chip.setAttribute(name, of === side && i === index));
    if (of === side) reachable(chips, index);
    else if (!chips.some((chip) => chip.tabIndex === 0)) reachable(chips, 0);
  }
  bringIntoView(state.chips[side][index]);
}

function reachable(nodes, index) {
  nodes.forEach((node, i) => { node.tabIndex = i === index ? 0 : -1; });
}
