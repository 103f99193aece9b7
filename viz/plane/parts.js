// Parts of a payload that come in an element of their own, so that what is large is sent once.

// Of all components of the page: each has a module of its own.
const parts = (globalThis.partsOfElements ??= new Map());

const entryOf = (key) => {
  if (!parts.has(key)) parts.set(key, { frame: null, take: null });
  return parts.get(key);
};

/**
 * The part that comes for an element: as far as it is there, and `take` for each that follows, or
 * null where it is gone.
 */
export function partOfElement(key, take) {
  const part = key ? entryOf(key) : { frame: null };
  part.take = take;
  return {
    frame: part.frame,
    leave() {
      if (part.take === take) part.take = null;
    },
  };
}

/** Hand a part over to the element that it belongs to; returned is what takes it back. */
export function bringPart(frame) {
  const part = entryOf(frame.header.key);
  part.frame = frame;
  part.take?.(frame);
  return () => {
    if (part.frame !== frame) return;
    part.frame = null;
    part.take?.(null);
  };
}
