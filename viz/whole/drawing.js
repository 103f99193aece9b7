// Drawing the pass on a canvas, or as SVG by the same calls: lines of words, lines of attention, bars.

import { putPixels } from "../component/plot.js";
import { COLOURS, CSS_COLOURS } from "../component/scale.js";
import { crossing, crossingPath, handedPath, tilesOf } from "./layout.js";
import { largeOfRow, weightAt } from "./payload.js";

const LEAST = 0.1; // smaller weights have no line
const FAINT = 0.13; // opacity of lines that do not stand out
const HIGHEST_BAR = 30; // pixels
const THICK = 3.6; // width of the line of weight 1
const HATCH = 4; // pixels between two of the lines that hide a part of a map

/**
 * The word of the source that stands out: the one that was clicked, or else the page's, but only at the
 * step that looks at it, since its lines would seem to belong to what another step writes.
 */
export function litOf({ focus, step, view }) {
  if (focus !== undefined) return focus;
  return view.focus_step === null || [0, view.focus_step].includes(step) ? view.focus : null;
}

/** How many tokens a stack has got at a step, and which of them stands out. */
export function shownOf({ side }, { step, focus, view }) {
  if (side === "source") return { count: view.source.length, active: litOf({ focus, step, view }) };
  // A decoder that writes all words at once has no steps.
  if (!view.last) return { count: view.fed.length, active: null };
  // Teacher forcing feeds all words at once.
  return { count: view.isForced ? view.fed.length : Math.min(step, view.fed.length), active: step - 1 };
}

/** What does not change from step to step. */
export function drawBehind(context, layout, ink) {
  for (const stack of layout.stacks) {
    for (const block of stack.blocks) {
      context.fillStyle = block.heads ? ink.attention : ink.other;
      const { left, right } = stack;
      context.fillRect(left - 4, block.upper + 1, right - left + 8, block.lower - block.upper - 2);
      // The norm after each sublayer.
      context.fillStyle = ink.norm;
      context.fillRect(left - 4, block.upper, right - left + 8, 2);
    }
    for (const { lower, upper } of stack.folds) {
      context.fillStyle = ink.attention;
      context.fillRect(stack.left - 4, upper, stack.right - stack.left + 8, lower - upper);
    }
  }
}

/** The residual stream of each word, its width by the norm of its vector. */
export function drawStreams(context, state, layout, ink) {
  for (const stack of layout.stacks) {
    const { count, active } = shownOf(stack, state);
    const largest = Math.max(...stack.norms.flat(), 1e-9);
    for (let token = 0; token < count; token += 1) {
      const x = stack.centre(token);
      context.strokeStyle = token === active ? ink.active : ink.stream;
      const heights = [stack.bottom + 6, ...stack.blocks.map(({ upper }) => upper), stack.top];
      const depths = [...stack.blocks.map(({ depth }) => depth), (stack.blocks.at(-1)?.depth ?? -1) + 1];
      depths.forEach((depth, at) => {
        const norm = stack.norms[depth][token];
        line(context, x, heights[at], x, heights[at + 1], 1 + (3.5 * norm) / largest);
      });
    }
    if (stack.side === "target") drawBack(context, state, stack, ink);
  }
}

/** The word that was written comes back to the others: it is fed next, or ends the text. Of a text that is given, none does. */
function drawBack(context, { step, view, stage }, stack, ink) {
  if (step <= view.given || stage !== Infinity || view.isForced) return;
  const [from, to] = [stack.centre(step - 1), stack.centre(step)];
  const upper = stack.highest - 5;
  context.strokeStyle = ink.bar;
  line(context, from, upper, to, upper, 1);
  for (let y = upper; y < stack.bottom - 2; y += 7) line(context, to, y, to, y + 4, 1);
  line(context, to - 4, stack.bottom - 4, to, stack.bottom + 3, 1);
  line(context, to + 4, stack.bottom - 4, to, stack.bottom + 3, 1);
}

function line(context, x, y, toX, toY, width) {
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(toX, toY);
  context.stroke();
}

/** The lines of attention and the bars of what is added. */
export function drawBlocks(context, state, layout, ink, encoder) {
  for (const stack of layout.stacks) {
    const { count, active } = shownOf(stack, state);
    stack.blocks.forEach((block, index) => {
      const reached = stack.side === "source" || index < state.stage ? count : count - 1;
      if (block.begins) drawHanded(context, { block, stack, encoder, ink });
      if (block.masked && active !== null) {
        const from = stack.centre(active) + stack.unit / 2;
        drawHatch(context, from, block.upper, stack.right - from, block.lower - block.upper, ink);
      }
      if (block.heads) drawLines(context, { block, stack, encoder, ink, count: reached, active });
      drawAdded(context, { block, stack, layout, ink, count: reached, active });
    });
  }
}

/** The lines of one attention: from each word that is looked at to the word that looks. */
export function drawLines(context, { block, stack, encoder, ink, count, active }) {
  const { crosses } = block;
  const later = [];
  for (let query = 0; query < count; query += 1) {
    // Of words that were written before, cross-attention would hide all else.
    if (crosses && active !== null && query !== active) continue;
    for (const each of largeOfRow(block, query, LEAST)) {
      if (query === active) later.push(each);
      else drawLine(each, stack.side === "source" && active !== null ? FAINT / 2 : FAINT, 1.6);
    }
  }
  for (const each of later) drawLine(each, 0.25 + 0.7 * each.weight, THICK);
  if (crosses && later.length) {
    const { middle, high } = crossing(block);
    context.fillStyle = ink.active;
    context.fillRect(stack.centre(active) - 4, middle - high / 2 - 3, 8, high + 6);
  }

  function drawLine({ head, query, key, weight }, opacity, width) {
    context.globalAlpha = opacity;
    context.strokeStyle = ink.heads[head % ink.heads.length];
    context.lineWidth = Math.max(0.6, width * weight);
    context.beginPath();
    if (crosses) {
      drawRounded(context, crossingPath(encoder, stack, block, { head, query, key }));
    } else {
      const [from, to] = [[stack.centre(key), block.foot], [stack.centre(query), block.upper + 2]];
      const half = (from[1] + to[1]) / 2;
      context.moveTo(...from);
      context.bezierCurveTo(from[0], half, to[0], half, ...to);
    }
    context.stroke();
    context.globalAlpha = 1;
  }
}

function drawHanded(context, { block, stack, encoder, ink }) {
  context.strokeStyle = ink.active;
  context.lineWidth = 2;
  context.beginPath();
  drawRounded(context, handedPath(encoder, stack, block));
  context.stroke();
}

const CORNER = 7; // pixels

/** A line through points, with round corners. */
function drawRounded(context, points) {
  context.moveTo(...points[0]);
  for (let at = 1; at < points.length - 1; at += 1) {
    const [before, corner, after] = [points[at - 1], points[at], points[at + 1]];
    const [enters, leaves] = [before, after].map((other) => {
      const [dx, dy] = [other[0] - corner[0], other[1] - corner[1]];
      const length = Math.hypot(dx, dy) || 1;
      const part = Math.min(CORNER, length / 2) / length;
      return [corner[0] + dx * part, corner[1] + dy * part];
    });
    context.lineTo(...enters);
    context.bezierCurveTo(...corner, ...corner, ...leaves);
  }
  context.lineTo(...points.at(-1));
}

/** How much a sublayer adds to each word; where the picture flips, the block's name stands at the other end. */
function drawAdded(context, { block, stack, layout, ink, count, active }) {
  const largest = Math.max(...block.added, 1e-9);
  const height = block.foot - block.upper - (layout.flips ? 2 : 6);
  const room = Math.max(1, Math.min(block.heads ? 9 : HIGHEST_BAR, height));
  for (let token = 0; token < count; token += 1) {
    const high = Math.max(1, (room * block.added[token]) / largest);
    const wide = Math.max(3, Math.min(10, stack.centre(1) - stack.centre(0) - 2));
    context.fillStyle = token === active ? ink.activeBar : ink.bar;
    const foot = block.heads || layout.flips ? block.upper + 3 + high : block.lower - 3;
    context.fillRect(stack.centre(token) - wide / 2, foot - high, wide, high);
  }
}

/** The small maps of all heads, each below a line of its colour; rows that are not there yet are empty. */
export function drawTiles(context, state, layout, ink) {
  for (const stack of layout.stacks) {
    const { count } = shownOf(stack, state);
    for (const block of stack.blocks) {
      for (const tile of tilesOf(block, stack)) {
        const { head, x, y, width, height } = tile;
        context.fillStyle = ink.norm;
        context.fillRect(x, y, width, height);
        const rows = block.silent.has(head) ? 0 : Math.min(count, block.queries);
        if (block.masked) drawHatch(context, x, y, width, (rows * height) / block.queries, ink);
        if (context.drawImage) drawImageOf(context, block, tile, rows);
        else drawCells(context, block, tile, rows);
        context.fillStyle = ink.heads[head % ink.heads.length];
        context.fillRect(x, y - 1.5, width, 1.5);
      }
    }
  }
}

/** What a mask hides is hatched: what may be looked at is drawn over it. */
function drawHatch(context, x, y, width, height, ink) {
  Object.assign(context, { strokeStyle: ink.bar, lineWidth: 0.8 });
  context.beginPath();
  for (let from = HATCH - height; from < width; from += HATCH) {
    const [begin, end] = [Math.max(0, -from), Math.min(height, width - from)];
    context.moveTo(x + from + begin, y + begin);
    context.lineTo(x + from + end, y + end);
  }
  context.stroke();
}

function drawImageOf(context, block, { head, cell, x, y }, rows) {
  if (!rows) return;
  const image = mapImage(block, head);
  context.imageSmoothingEnabled = false;
  context.drawImage(image, 0, 0, block.keys, rows, x, y, block.keys * cell, rows * cell);
}

function drawCells(context, block, { head, cell, x, y }, rows) {
  for (let query = 0; query < rows; query += 1) {
    for (let key = 0; key < block.keys; key += 1) {
      context.fillStyle = CSS_COLOURS[Math.round(255 * Math.min(1, weightAt(block, head, query, key)))];
      context.fillRect(x + key * cell, y + query * cell, cell + 0.3, cell + 0.3);
    }
  }
}

/** The map of a head, a pixel for each weight; what a mask hides is clear. Made once. */
export function mapImage(block, head) {
  const images = block.images ??= [];
  if (images[head]) return images[head];
  const { queries, keys } = block;
  return images[head] = putPixels(document.createElement("canvas"), keys, queries, (pixels) => {
    for (let query = 0, at = 0; query < queries; query += 1) {
      for (let key = 0; key < keys; key += 1, at += 1) {
        const hidden = block.masked && key > query;
        const weight = Math.min(1, weightAt(block, head, query, key));
        pixels[at] = hidden ? 0 : COLOURS[1 + Math.round(255 * weight)];
      }
    }
  });
}
