// One group of strips. Its elements stay while strips change: only what they say is written anew.

function newGroup(prototype, index) {
  const figure = prototype.cloneNode(true);
  figure.hidden = false;
  figure.dataset.group = index;
  const find = (selector) => figure.querySelector(selector);
  return {
    figure, caption: find("figcaption"), plot: find(".plot"), across: find(".axis.across"),
    columns: find(".labels.columns"), box: find(".box"), names: find(".names"),
    cells: find(".cells"), canvas: find("canvas"), band: find(".band"), cursor: find(".cursor"),
    tops: find(".tops"), note: find(".note"), placed: "",
  };
}

/** As many figures as groups; those that are there already stay where they are. */
function placeFigures(state) {
  const { nodes, figures, prototype, view } = state;
  while (figures.length > view.groups.length) figures.pop().figure.remove();
  while (figures.length < view.groups.length) {
    figures.push(newGroup(prototype, figures.length));
    nodes.groups.append(figures.at(-1).figure);
  }
  nodes.groups.classList.toggle("stacked", state.layout.stacked);
}

/** Sizes and the words of the axis. */
function placeGroup(state, index) {
  const { view } = state;
  const group = view.groups[index];
  const figure = state.figures[index];
  const layout = state.layout.groups[index];
  figure.plot.dataset.angle = layout.angle;
  figure.plot.classList.toggle("fine", layout.size < 7);
  setPixels(figure.figure, {
    "--figure": layout.figure, "--left": layout.left, "--top": layout.top, "--overhang": layout.tops,
    "--width": layout.width, "--height": layout.seen, "--whole": layout.whole,
    "--tops": layout.tops, "--token": layout.widest, "--cell-width": layout.size, "--cell-height": STRIP.height,
    "--strip-gap": STRIP.gap, "--column-step": layout.perToken, "--label-size": LABEL.size,
  });
  figure.columnLabels = drawLabels(
    figure.columns, group.columns, layout.every, (i) => columnLabel(state, group, i));
  figure.note.textContent = layout.pool > 1 ? fill(view.texts.pooled, { n: layout.pool }) : "";
  figure.box.scrollTop = 0;
}

function columnLabel({ view, measure }, { labels, across }, column) {
  const node = element("div", "label");
  node.style.setProperty("--at", column);
  node.append(axisToken(labels[column], across, column, view.texts, measure.textWidth));
  return node;
}

/** Title, pixels, and what each strip is called and looks at most. */
function drawGroup(state, index) {
  const { view } = state;
  const group = view.groups[index];
  const figure = state.figures[index];
  const title = titleOf(view, group);
  const token = element("bdi", "", brief(view.followed[0]));
  token.title = view.followed[0];
  figure.caption.replaceChildren(
    ...fillParts(view.texts[`title.${view.direction}.${group.kind}`], { token }));
  figure.across.textContent = axisName(view, group);
  figure.canvas.setAttribute("aria-label", title);
  figure.cells.setAttribute("aria-label", fill(view.texts["cells.help"], { title }));
  figure.names.setAttribute("aria-label", title);
  drawStrips(figure.canvas, group, state.layout.groups[index]);
  drawNames(view, group, figure.names);
  figure.tops.replaceChildren(...group.heads.map((_, strip) => topOf(state, group, strip)));
}

/** Buttons by place, not by head: whoever has the keyboard on one stays there. */
function drawNames(view, group, names) {
  while (names.children.length > group.strips) names.lastElementChild.remove();
  while (names.children.length < group.strips) {
    const button = element("button", "strip");
    button.type = "button";
    button.tabIndex = names.children.length ? -1 : 0;
    names.append(button);
  }
  [...names.children].forEach((button, strip) => {
    const name = stripName(view, group, strip);
    const [layer, head] = group.heads[strip];
    button.textContent = name;
    button.disabled = !view.picks;
    button.setAttribute("aria-label", view.picks ? fill(view.texts.open, { name }) : name);
    Object.assign(button.dataset, { kind: group.kind, layer, head });
  });
}

/** The token that a strip looks at most, and how much. */
function topOf({ view, measure }, group, strip) {
  const column = strongest(group, strip);
  const node = element("div", "top");
  node.append(
    element("span", "arrow", arrowOf(view)),
    axisToken(group.labels[column], group.across, column, view.texts, measure.textWidth),
    element("b", "", weightText(view, group, strip, column)));
  return node;
}

/** A canvas pixel per cell, which CSS enlarges without smoothing; hidden ones stay clear. */
function drawStrips(canvas, group, layout) {
  const context = resized(canvas, layout.across, group.strips);
  const image = context.createImageData(layout.across, group.strips);
  new Uint32Array(image.data.buffer).set(stripPixels(group, layout));
  context.putImageData(image, 0, 0);
}

function stripPixels(group, { pool, across }) {
  return Uint32Array.from({ length: across * group.strips }, (_, i) => {
    const [strip, from] = [Math.floor(i / across), (i % across) * pool];
    const column = strongest(group, strip, from, from + pool);
    if (!group.visible[column]) return 0;
    return COLOURS[1 + Math.min(255, Math.round(255 * weightAt(group, strip, column)))];
  });
}
