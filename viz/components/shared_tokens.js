// Tokens as elements. Text only by textContent.

const FLAGS = { special: 1, unknown: 2, continues: 4 };

function element(tag, className, text = "") {
  const node = document.createElement(tag);
  node.className = className;
  node.textContent = text;
  return node;
}

/** A token as an element that knows which token it is. */
function tokenElement([text, flags], side, index, className, texts) {
  const names = Object.keys(FLAGS).filter((name) => flags & FLAGS[name]);
  const node = element("span", [className, "token", side, ...names].join(" "), text);
  node.dir = "auto";
  node.dataset.side = side;
  node.dataset.index = index;
  if (flags & FLAGS.unknown) node.title = texts.unknown;
  return node;
}
