// One panel's elements. They stay while matrices change: only what differs is written anew.

function newPanel(prototype, index) {
  const figure = prototype.cloneNode(true);
  figure.hidden = false;
  figure.dataset.panel = index;
  const find = (selector) => figure.querySelector(selector);
  return {
    figure, caption: find("figcaption"), plot: find(".plot"), cells: find(".cells"),
    colours: find(".colours"), words: find(".words"), rows: find(".labels.rows"),
    columns: find(".labels.columns"), across: find(".axis.across"), down: find(".axis.down"),
    rowBand: find(".band.row"), columnBand: find(".band.column"), chosen: find(".chosen"),
    cursor: find(".cursor"), note: find(".note"), pooled: find(".note.pooled"),
    png: find(".png"), svg: find(".svg"), csv: find(".csv"), content: null, drawn: 0,
  };
}

/** As many figures as panels, in lines; those that are there already stay where they are. */
function placeFigures(state) {
  const { nodes, figures, prototype, layout } = state;
  while (figures.length > layout.panels.length) figures.pop().figure.remove();
  while (figures.length < layout.panels.length) {
    figures.push(newPanel(prototype, figures.length));
    nodes.panels.append(figures.at(-1).figure);
    answerFocus(state, figures.length - 1, figures.at(-1).cells);
  }
  for (const node of nodes.panels.querySelectorAll(".break")) node.remove();
  for (const [first] of layout.lines.slice(1)) figures[first].figure.before(element("div", "break"));
}

/** Sizes and words around the cells. */
function placePanel(state, index) {
  const panel = state.view.panels[index];
  const figure = state.figures[index];
  const layout = state.layout.panels[index];
  for (const [node, { name }] of [[figure.across, panel.columnAxis], [figure.down, panel.rowAxis]]) {
    [node.textContent, node.title] = [name, name];
  }
  figure.plot.dataset.angle = layout.angle;
  figure.plot.classList.toggle("fine", Math.min(layout.cellWidth, layout.cellHeight) < 7);
  setPixels(figure.figure, {
    "--figure": layout.figure, "--plot": layout.plot, "--left": layout.left, "--top": layout.top,
    "--width": layout.width, "--height": layout.height, "--overhang": layout.overhang,
    "--cell-width": layout.cellWidth, "--cell-height": layout.cellHeight,
    "--row-step": layout.rowStep, "--column-step": layout.columnStep,
    "--label-size": layout.labelSize,
  });
  figure.rowLabels = drawLabels(
    figure.rows, panel.rows, layout.rowEvery, (i) => axisLabel(state, index, "rowAxis", i));
  figure.columnLabels = drawLabels(
    figure.columns, panel.columns, layout.columnEvery, (i) => axisLabel(state, index, "columnAxis", i));
  figure.content = null;
}

function axisLabel({ view, layout, measure }, index, which, i) {
  const axis = view.panels[index][which];
  const { labels, side, id } = axis;
  const longest = layout.sizes[index].longest - (side ? CHIP : 0);
  const token = axisToken(labels[i], side, i, view.texts, measure.textWidth, longest);
  Object.assign(token.dataset, { axis: id, which, link: linkOf(axis, i) });
  token.classList.toggle("differs", axis.differs.includes(i));
  const node = element("div", "label");
  node.style.setProperty("--at", i);
  node.append(token);
  return node;
}

/** Title, pixels and note. */
function drawPanel(state, index) {
  const { view: { panels, texts, picks }, measure } = state;
  const panel = panels[index];
  const figure = state.figures[index];
  const layout = state.layout.panels[index];
  const { title, rows, columns } = panel;
  figure.caption.textContent = title;
  figure.note.textContent = panel.note;
  figure.pooled.textContent = leftOutText(panel, layout, texts);
  const size = fill(texts.size, { rows, columns });
  figure.colours.setAttribute("aria-label", `${title}. ${size}`);
  figure.cells.setAttribute("aria-label", `${title}. ${size}. ${texts[picks ? "help.pick" : "help"]}`);
  for (const name of ["png", "svg", "csv"]) {
    figure[name].textContent = texts[name];
    figure[name].setAttribute("aria-label", fill(texts[`${name}.help`], { title }));
  }
  drawCells(figure.colours, panel, layout);
  drawWords(figure.words, panel, layout, figureStyle(state.root), measure.textWidth);
  figure.content = panel.content;
  figure.figure.dataset.drawn = figure.drawn += 1;
}

/** What there was no room for: cells of their own, or labels. Numbers count on by themselves. */
function leftOutText({ scale, rowAxis, columnAxis }, { pool, rowEvery, columnEvery }, texts) {
  const pooled = pool > 1 ? fill(texts[`pooled.${scale}`], { n: pool }) : "";
  const skipped = skippedText(texts, rowAxis.side ? rowEvery : 1, columnAxis.side ? columnEvery : 1);
  return [pooled, skipped].filter(Boolean).join(" · ");
}

/** Titles side by side take the same height, so that the cells below them are in line. */
function alignCaptions({ figures, layout }) {
  for (const line of layout.lines) {
    const captions = line.map((i) => figures[i].caption);
    for (const caption of captions) caption.style.removeProperty("--caption");
    const tallest = Math.max(...captions.map((caption) => caption.offsetHeight));
    for (const caption of captions) caption.style.setProperty("--caption", `${tallest}px`);
  }
}
