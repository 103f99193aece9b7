// Pixels of the screen, pixels of a picture, and widths of texts: a page that is shown to a whole room
// is magnified.

/** By how much: the CSS `zoom` of what holds the pictures. */
export const magnified = () =>
  Number(getComputedStyle(document.documentElement).getPropertyValue("--magnified")) || 1;

/** Letters are never smaller: then the back row reads them, too. */
export const smallestText = () => (magnified() > 1 ? 12 : 0);

/** How many of the device's pixels a picture's pixel is wide. */
export const deviceRatio = () => (window.devicePixelRatio || 1) * magnified();

/** How high the window is, in a picture's pixels. */
export const windowRoom = () => window.innerHeight / magnified();

/** What all sizes depend on but the width. */
export const roomNow = () => `${deviceRatio()} ${window.innerHeight}`;

/** Where a pointer is, in a picture's pixels from the corner of a part of it. */
export function within(node, { clientX, clientY }) {
  const box = node.getBoundingClientRect();
  return { x: (clientX - box.left) / magnified(), y: (clientY - box.top) / magnified() };
}

/** Where on the screen a place of a part of a picture is: `within` the other way round. */
export function onScreen(node, { x, y }) {
  const box = node.getBoundingClientRect();
  return { clientX: box.left + x * magnified(), clientY: box.top + y * magnified() };
}

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
