// Pointer and keyboard. Handlers are properties: setting them again replaces them.

const groupAt = (node) => Number(node.closest(".group").dataset.group);

function answerPointer(state) {
  const { root } = state;
  root.onpointermove = (event) => {
    const token = event.target.closest("[data-side]");
    const strip = event.target.closest(".strip");
    if (event.target.closest(".cells")) showCell(state, placeUnder(state, event), event);
    else if (token) showToken(state, token.dataset);
    else rest(state);
    if (strip) showTooltip(state, [strip.ariaLabel], event);
  };
  root.onpointerleave = () => rest(state);
  root.onclick = (event) => {
    const token = event.target.closest("[data-side]");
    const strip = event.target.closest(".strip");
    if (token) follow(state, token.dataset.side, Number(token.dataset.index));
    if (strip) openStrip(state, strip.dataset);
    if (event.target.closest(".cells")) state.cursor = placeUnder(state, event);
    if (event.target.closest(".png")) saveAs(savePng, "png", state);
    if (event.target.closest(".svg")) saveAs(saveSvg, "svg", state);
  };
}

function answerKeys(state) {
  const { root } = state;
  root.onkeydown = (event) => {
    const { target } = event;
    if (event.key === "Escape") hideTooltip(state);
    else if (target.matches(".chip")) keyOnChip(state, event);
    else if (target.matches(".strip")) keyOnStrip(event);
    else if (target.matches(".cells")) keyOnCells(state, event);
  };
  root.addEventListener("focusin", ({ target }) => {
    // Only for the keyboard: a click says itself what it means.
    if (!target.matches(":focus-visible")) return;
    if (target.matches(".chip")) showToken(state, target.dataset);
    if (target.matches(".cells")) moveCursor(state, cursorIn(state, groupAt(target)));
    if (target.matches(".strip")) showTooltip(state, [target.ariaLabel], besides(target));
  });
  root.addEventListener("focusout", () => {
    state.cursor = null;
    rest(state);
  });
}

/** Left and right within a sentence, up and down between the two; Enter and Space choose. */
function keyOnChip(state, event) {
  const { side, index } = event.target.dataset;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    return follow(state, side, Number(index));
  }
  const sides = ["source", "target"];
  const moved = movedBy(
    event, sides.indexOf(side), Number(index), 2, state.view.tokens[side].length);
  if (!moved) return;
  const chips = state.chips[sides[moved[0]]];
  const last = state.view.tokens[sides[moved[0]]].length - 1;
  const within = sides[moved[0]] === side
    ? moved[1] : Math.max(0, chips.findIndex((chip) => chip.tabIndex === 0));
  reachable(chips, Math.min(last, within));
  chips[Math.min(last, within)].focus();
}

function keyOnStrip(event) {
  const strips = [...event.target.parentNode.children];
  const moved = movedBy(event, strips.indexOf(event.target), 0, strips.length, 1);
  if (!moved) return;
  reachable(strips, moved[0]);
  strips[moved[0]].focus();
}

function keyOnCells(state, event) {
  const group = groupAt(event.target);
  const { strip, column } = cursorIn(state, group);
  const { pool, across } = state.layout.groups[group];
  const moved = movedBy(
    event, strip, Math.floor(column / pool), state.view.groups[group].strips, across);
  if (moved) moveCursor(state, placeOf(state, group, ...moved));
}

const cursorIn = (state, group) =>
  (state.cursor?.group === group ? state.cursor : placeOf(state, group, 0, 0));

/** The cell that gives a pixel its colour. */
function placeOf({ view, layout }, group, strip, across) {
  const { pool } = layout.groups[group];
  const column = strongest(view.groups[group], strip, across * pool, (across + 1) * pool);
  return { group, strip, column };
}

function placeUnder(state, event) {
  const group = groupAt(event.target);
  const box = state.figures[group].cells.getBoundingClientRect();
  const { size, across } = state.layout.groups[group];
  const inside = (offset, step, count) =>
    Math.min(count - 1, Math.max(0, Math.floor(offset / step)));
  return placeOf(
    state, group, inside(event.clientY - box.top, STRIP.height, state.view.groups[group].strips),
    inside(event.clientX - box.left, size, across));
}

function moveCursor(state, place) {
  state.cursor = place;
  const { box } = state.figures[place.group];
  const [top, bottom] = [place.strip * STRIP.height, (place.strip + 1) * STRIP.height];
  if (top < box.scrollTop) box.scrollTop = top;
  if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
  rest(state);
  const lines = [...state.nodes.tooltip.children].map((line) => line.textContent);
  state.nodes.live.textContent = lines.join(". ");
}

/** Follow another word: its chip is marked at once, the strips come from the server. */
function follow(state, side, index) {
  if (!state.view.picks || index >= state.view.tokens[side].length) return;
  state.pending = { side, index, since: performance.now() };
  markChosen(state, side, index);
  state.send("pick", { side, index });
}

function openStrip(state, { kind, layer, head }) {
  if (state.view.picks) state.send("strip", { kind, layer: Number(layer), head: Number(head) });
}
