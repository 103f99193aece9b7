// Every component's modules find what they import.

import assert from "node:assert/strict";
import test from "node:test";

const COMPONENTS = ["architecture/architecture", "lines/lines", "plane/part", "plane/plane",
  "stepper/stepper"];

for (const name of COMPONENTS) {
  test(`${name} is a function that mounts a component`, async () => {
    const { default: component } = await import(`../../../viz/${name}.js`);
    assert.equal(typeof component, "function");
  });
}
