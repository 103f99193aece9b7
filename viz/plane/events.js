// Pointer and keyboard. Handlers are properties: setting them again replaces them.

import { movedBy } from "../component/keys.js";
import { besides, showTooltip } from "../component/tooltip.js";
import { poolsOf } from "./cells.js";
import { placesOfToken } from "./marks.js";
import { takeAway } from "./picture.js";
import { pinCell, pinLabel } from "./pins.js";
import { cellOfBlock, cellUnder, moveCursor, pointAt, refresh, showNothing } from "./pointing.js";
import { isInView } from "./zoom.js";
import { drag, escape, zoomBy, zoomByKey } from "./zooming.js";

export const panelAt = (node) => Number(node.closest(".panel").dataset.panel);

export function answerPointer(state) {
  const { root } = state;
  root.onpointermove = (event) => {
    if (drag(state, event)) return;
    const named = event.target.closest(".tile, .strip");
    const token = event.target.closest("[data-axis], [data-side]");
    state.hover = null;
    if (event.target.closest(".cells")) return pointAt(state, panelAt(event.target), event);
    if (token) showNothing(state, placesOfToken(state.view, token.dataset));
    else refresh(state);
    if (named) showTooltip(state, [named.ariaLabel], event);
  };
  root.onpointerleave = () => {
    state.hover = null;
    refresh(state);
  };
  root.onclick = (event) => {
    const { target } = event;
    const tool = target.closest(".tools button");
    if (tool) takeAway(state, tool);
    const button = target.closest("[data-zoom]");
    if (button) zoomBy(state, panelAt(button), button.dataset.zoom);
    state.kind.click?.(state, target);
    if (pinLabel(state, target)) return;
    // The click that ends a drag means no cell.
    if (!target.closest(".cells") || state.figures[panelAt(target)].drag?.ended) return;
    [state.cursor, state.closed] = [cellUnder(state, panelAt(target), event), false];
    refresh(state);
    if (state.view.layout === "maps" && state.view.pins) pinCell(state, state.cursor);
    pickCell(state, state.cursor);
  };
}

export function answerKeys(state) {
  const { root } = state;
  root.onkeydown = (event) => {
    const { target } = event;
    if (event.key === "Escape") return escape(state, target);
    if (!target.matches(".cells")) return state.kind.key?.(state, event);
    const panel = panelAt(target);
    if (zoomByKey(state, panel, event)) return;
    const [row, column] = startOfKeys(state, panel);
    if (event.key === " " && state.view.pins) {
      event.preventDefault();
      return pinCell(state, { panel, row, column });
    }
    if (event.key === "Enter") return pickCell(state, { panel, row, column });
    moveByKey(state, panel, event);
  };
  // Chromium knows them as events only; a root is given its listeners once.
  root.addEventListener("focusin", ({ target }) => {
    // Only for the keyboard: a click says itself what it means.
    if (!target.matches(":focus-visible")) return;
    if (target.matches(".chip")) showNothing(state, placesOfToken(state.view, target.dataset));
    if (target.matches(".strip")) showTooltip(state, [target.ariaLabel], besides(target));
  });
  root.addEventListener("focusout", ({ target }) => {
    if (target.matches(".chip, .strip, .tile")) refresh(state);
  });
}

/** From cell to cell of all there are; where several share a pixel, from pixel to pixel. */
function moveByKey(state, index, event) {
  const { view } = state.figures[index];
  const { rows, columns } = state.view.panels[index];
  const [row, column] = startOfKeys(state, index);
  const [rowPool, pool] = poolsOf(view);
  if (pool === 1) {
    const moved = movedBy(event, row, column, rows, columns);
    if (moved) moveCursor(state, { panel: index, row: moved[0], column: moved[1] });
    return;
  }
  const [down, across] = [(row - view.row) / rowPool, (column - view.column) / pool].map(Math.floor);
  const moved = movedBy(event, down, across, view.down, view.across);
  if (moved) moveCursor(state, cellOfBlock(state, index, ...moved));
}

/** Each panel's own: there is no handler property that hears of the focus from below. */
export function answerFocus(state, panel, cells) {
  cells.onfocus = () => {
    // Only for the keyboard: a click says itself which cell it means.
    if (!cells.matches(":focus-visible")) return;
    const [row, column] = startOfKeys(state, panel);
    moveCursor(state, { panel, row, column });
  };
  cells.onblur = () => {
    const { cursor } = state;
    if (cursor?.panel === panel) state.figures[panel].lastCursor = [cursor.row, cursor.column];
    state.cursor = null;
    refresh(state);
  };
}

/** Where keys begin in a panel: at the keyboard's cell, where it was, or at the first shown. */
export function startOfKeys({ cursor, figures }, index) {
  if (cursor?.panel === index) return [cursor.row, cursor.column];
  const { lastCursor, view } = figures[index];
  return lastCursor && isInView(view, lastCursor) ? lastCursor : [view.row, view.column];
}

/** Tell the page which cell was chosen, if it wants to know. */
function pickCell({ view, send }, { panel, row, column }) {
  if (view.layout === "matrices" && view.picks) send("pick", { panel, row, column });
}

/** Of nodes in a row, only one is reached with the tab key. */
export function reachable(nodes, index) {
  nodes.forEach((node, i) => { node.tabIndex = i === index ? 0 : -1; });
}
