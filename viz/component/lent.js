const lent = (globalThis.lentToComponents ??= new Map());

export default async function (component) {
  if (!lent.has("NAME")) {
    const entry = {};
    entry.script = new Promise((came) => {
      entry.came = came;
    });
    lent.set("NAME", entry);
  }
  return (await lent.get("NAME").script)(component);
}
