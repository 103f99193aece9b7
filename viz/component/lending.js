// What the page lends to its components: each is a function that mounts one.

const lent = (globalThis.lentToComponents ??= new Map());

/** Lend a script under a name, also to components that wait for it. */
function lend(name, mountComponent) {
  lent.get(name)?.came?.(mountComponent);
  lent.set(name, { script: Promise.resolve(mountComponent) });
}
