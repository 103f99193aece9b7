// Sizes: from the width at hand and the lengths of the words to pixels. Nothing is drawn here.

const STRIP = { height: 22, gap: 4 };
const TOP = { arrow: 20, gap: 12, weight: 64 }; // beside a strip: the token looked at most
const BESIDE = { gap: 36, smallest: 14 }; // groups side by side, and the smallest cell there
const SCROLLBAR = 16;

/** All groups, side by side where their cells stay large enough, else one below the other. */
function layoutOf(width, view, measure) {
  const { groups } = view;
  const each = (room) => groups.map((group) => groupLayout(room, view, group, measure));
  const share = (width - BESIDE.gap * (groups.length - 1)) / groups.length;
  const beside = each(share);
  const stacked = groups.length > 1
    && (width < 900 || beside.some(({ perToken }) => perToken < BESIDE.smallest));
  const layouts = stacked ? each(width) : beside;
  const top = stacked ? null : Math.max(...layouts.map((layout) => layout.top));
  return {
    stacked, groups: layouts.map((layout) => ({ ...layout, top: top ?? layout.top })),
  };
}

/** One group: its cells, how its labels turn, and which of them there is room for. */
function groupLayout(width, view, group, { textWidth, nameWidth }) {
  const { labels, strips, columns } = group;
  const widest = Math.min(LABEL.longest, Math.max(...labels.map(textWidth)));
  const names = group.heads.map((_, strip) => nameWidth(stripName(view, group, strip)));
  const left = Math.max(...names) + LABEL.gap + 8;
  const tops = TOP.gap + TOP.arrow + widest + TOP.weight;
  const whole = strips * STRIP.height;
  const seen = Math.min(whole, windowHeight());
  const room = Math.max(60, width - left - tops - (seen < whole ? SCROLLBAR : 0));
  const cells = cellLayout(room, Infinity, { rows: 1, columns }, window.devicePixelRatio || 1);
  const { perToken } = cells;
  let angle = 90;
  if (widest + 4 <= perToken) angle = 0;
  // Slanted labels read best, need a line's height between them, and hang over the tokens' names.
  else if (perToken >= 17) angle = 45;
  const turned = { 0: LABEL.size + 4, 45: (widest + LABEL.size) * SLANT, 90: widest }[angle];
  return {
    ...cells, angle, left, widest, tops, seen, whole, height: whole, figure: width,
    top: AXIS + Math.ceil(turned) + LABEL.gap,
    every: Math.max(1, Math.ceil(LABEL.size / perToken)),
  };
}
