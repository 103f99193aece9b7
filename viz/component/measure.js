// Widths of texts in the fonts that they are written in.

/**
 * Widths of one label, which `label` shows how to write, and of a name in the component's own font.
 * Once such a font has come, what is drawn is placed and drawn again, by `draw`.
 */
export function measured(state, draw, label, size, nameSize = size) {
  const again = () => {
    state.placed = null;
    if (state.drawn) draw(state);
  };
  const width = (node, pixels) => {
    const context = document.createElement("canvas").getContext("2d");
    context.font = `${pixels}px ${getComputedStyle(node).fontFamily}`;
    if (!document.fonts.check(context.font)) document.fonts.load(context.font).then(again, () => {});
    return (text) => Math.ceil(context.measureText(text).width) + 2;
  };
  const [labelWidth, nameWidth] = [width(label, size), width(state.root, nameSize)];
  return { textWidth: ([text]) => labelWidth(text), nameWidth };
}
