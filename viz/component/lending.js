// What the page lends to its components: each is a function that mounts one.

const lent = (globalThis.lentToComponents ??= new Map());

/** Lend something under a name, to whoever waits for it too. */
function lend(name, mountComponent) {
  lent.get(name)?.came?.(mountComponent);
  lent.set(name, { script: Promise.resolve(mountComponent) });
}
