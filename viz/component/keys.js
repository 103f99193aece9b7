// Moving from cell to cell with the keyboard.

export const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Where a key leads within rows × columns; null if it leads nowhere. */
export function movedBy(event, row, column, rows, columns) {
  let to = null;
  if (ARROWS[event.key]) to = [row + ARROWS[event.key][0], column + ARROWS[event.key][1]];
  if (event.key === "Home") to = [row, 0];
  if (event.key === "End") to = [row, columns - 1];
  if (!to) return null;
  event.preventDefault();
  return [Math.min(rows - 1, Math.max(0, to[0])), Math.min(columns - 1, Math.max(0, to[1]))];
}
