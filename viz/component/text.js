// What every payload begins with, and writing numbers and sentences.

const aligned = (offset) => Math.ceil(offset / 4) * 4;

/** The header of a payload, and its bytes with the place where they go on after the header. */
function readFrame(data) {
  // A copy begins at offset 0; what arrives may begin anywhere, where floats cannot be read.
  const { buffer } = data.slice();
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return { header, buffer, start: aligned(4 + length) };
}

/** Fill a template's {names} in one pass, so that a token reading "{key}" stays what it is. */
function fillParts(template, values) {
  return template.split(/\{(\w+)\}/).map((part, i) => (i % 2 ? values[part] ?? "" : part));
}

const fill = (template, values) => fillParts(template, values).join("");

const threeDigits = (x) => (x === 0 ? "0" : x.toPrecision(3).replace("e-", "e−"));
