// Where everything goes: two logarithmic axes, each with a place of its own for 0.

export const SIZE = { left: 60, right: 16, words: 26, plot: 92, gap: 12, track: 10, below: 20, zero: 14 };
const APART = 34; // from step 0 to where the other steps begin
const LABEL_ROOM = { x: 54, y: 13 };
const PARTS = [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 5, 7]];

export function layoutOf({ stops, training, held_out }, width) {
  const points = [...training, ...held_out];
  const plot = points.length ? SIZE.plot : 0;
  const bottom = SIZE.words + plot;
  const track = bottom + SIZE.gap + SIZE.track;
  const x = stepAxis([...stops, ...points.map(([step]) => step)], width);
  const y = lossAxis(points.map(([, loss]) => loss), bottom);
  return {
    width, x, y, bottom, track, height: track + SIZE.below + 6, top: SIZE.words,
    positions: stops.map((step) => Math.round(x.place(step))), left: SIZE.left, right: width - SIZE.right,
  };
}

/** Steps from left to right. */
function stepAxis(steps, width) {
  const [left, right] = [SIZE.left + 8, width - SIZE.right];
  const zero = steps.includes(0);
  const later = steps.filter((step) => step > 0);
  const [low, high] = stepRange(later);
  const start = zero ? left + APART : left;
  const along = (step) => start + (Math.log(step / low) / Math.log(high / low)) * (right - start);
  const place = (step) => (step > 0 ? along(step) : left);
  const ticks = later.length ? spaced([high, low, ...powers(low, high)], place, LABEL_ROOM.x) : [];
  return { place, zero, left, start, right, ticks: zero ? [0, ...ticks] : ticks };
}

function stepRange(steps) {
  if (!steps.length) return [1, 10];
  const [low, high] = [Math.min(...steps), Math.max(...steps)];
  if (low < high) return [low, high];
  return high > 1 ? [1, high] : [1, 10];
}

/** Losses from bottom to top. */
function lossAxis(losses, bottom) {
  const some = losses.filter((loss) => loss > 0);
  const zero = some.length < losses.length;
  const [low, high] = lossRange(some);
  const [floor, top] = [bottom - (zero && some.length ? SIZE.zero : 0), SIZE.words + 4];
  const along = (loss) => floor - (Math.log(loss / low) / Math.log(high / low)) * (floor - top);
  const place = (loss) => (loss > 0 ? along(loss) : bottom);
  const ticks = some.length ? lossTicks(low, high, place) : [];
  return { place, ticks: zero ? [0, ...ticks] : ticks };
}

/** At least a factor of two, that noise does not look like a fall. */
function lossRange(losses) {
  if (!losses.length) return [0.1, 1];
  const [low, high] = [Math.min(...losses), Math.max(...losses)];
  const wider = Math.sqrt(Math.max(1, 2 / (high / low)));
  return [low / wider, high * wider];
}

/** The finest round numbers whose labels have room. */
function lossTicks(low, high, place) {
  const first = Math.floor(Math.log10(low));
  const decades = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, i) => first + i);
  const choices = PARTS.map((parts) => decades
    .flatMap((exponent) => parts.map((part) => part * 10 ** exponent))
    .filter((value) => value >= low && value <= high * 1.0001));
  const fits = (values) => spaced(values, place, LABEL_ROOM.y).length === values.length;
  const fine = choices.filter((values) => values.length && values.length < 6 && fits(values)).at(-1);
  return fine ?? spaced(choices[0], place, LABEL_ROOM.y);
}

/** 1, 10, 100 … within a range. */
function powers(low, high) {
  const all = [];
  for (let value = 1; value <= high; value *= 10) if (value >= low) all.push(value);
  return all;
}

/** Values with room around them; the first ones matter most. */
function spaced(values, place, room) {
  const apart = [];
  for (const value of values) {
    if (apart.every((other) => Math.abs(place(other) - place(value)) >= room)) apart.push(value);
  }
  return apart;
}

/** The index of the number that is nearest to a value. */
export function nearest(numbers, value) {
  let best = 0;
  numbers.forEach((number, i) => {
    if (Math.abs(number - value) < Math.abs(numbers[best] - value)) best = i;
  });
  return best;
}
