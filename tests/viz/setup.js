// What the scripts of `viz` find in a browser, as far as their arithmetic needs it.

import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

const { TABLES, PAYLOADS } = process.env;
const payloads = JSON.parse(readFileSync(PAYLOADS, "utf-8"));

registerHooks({
  resolve: (name, context, next) => (name.endsWith("/tables.js")
    ? { url: `data:text/javascript,${encodeURIComponent(TABLES)}`, shortCircuit: true }
    : next(name, context)),
});

/** Every letter is as wide as 0.55 of its height. */
const measuring = () => ({
  font: "12px x",
  measureText(text) {
    return { width: 0.55 * Number(this.font.match(/([\d.]+)px/)[1]) * text.length };
  },
});

class Element {
  constructor(tag) {
    Object.assign(this, {
      nodeName: tag.toUpperCase(), dataset: {}, childNodes: [], className: "", textContent: "",
    });
    this.classList = { contains: (name) => this.className.split(" ").includes(name) };
  }

  append(...nodes) {
    for (const node of nodes) {
      this.childNodes.push(typeof node === "string" ? { textContent: node } : node);
      this.textContent += this.childNodes.at(-1).textContent;
    }
  }

  getContext() {
    return measuring();
  }
}

Object.assign(globalThis, {
  document: { createElement: (tag) => new Element(tag), documentElement: new Element("html") },
  window: { innerHeight: 800, devicePixelRatio: 1 },
  getComputedStyle: () => ({ getPropertyValue: () => "" }),
  /** What Python packed under a name, as a component gets it. */
  payload: (name) => new Uint8Array(Buffer.from(payloads[name], "base64")),
});
