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
    zooming: find(".zooming"), where: find(".where"), buttons: [...figure.querySelectorAll("[data-zoom]")],
    png: find(".png"), svg: find(".svg"), csv: find(".csv"), content: null, drawn: 0,
    zoom: null, view: null, lastCursor: null, turned: 0,
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
    answerZoom(state, figures.length - 1, figures.at(-1));
  }
  for (const node of nodes.panels.querySelectorAll(".break")) node.remove();
  for (const [first] of layout.lines.slice(1)) figures[first].figure.before(element("div", "break"));
  // Once is enough: below the first panels that can be zoomed.
  const line = layout.lines.find((of) => of.some((i) => layout.panels[i].zoomable));
  nodes.hint.hidden = !line;
  nodes.hint.textContent = state.view.texts["zoom.hint"];
  if (line) figures[line.at(-1)].figure.after(nodes.hint);
}

/** Words around the cells, and what is as large at every zoom. */
function placePanel(state, index) {
  const panel = state.view.panels[index];
  const figure = state.figures[index];
  const layout = state.layout.panels[index];
  for (const [node, { name }] of [[figure.across, panel.columnAxis], [figure.down, panel.rowAxis]]) {
    [node.textContent, node.title] = [name, name];
  }
  setPixels(figure.figure, {
    "--figure": layout.figure, "--plot": layout.plot, "--left": layout.left, "--top": layout.top,
    "--overhang": layout.overhang, "--where": layout.zoomable ? heightOfPart(state, index) : 0,
  });
  figure.zooming.hidden = !layout.zoomable;
  if (!layout.zoomable) figure.zoom = null;
  placeView(state, index);
  figure.content = null;
}

/** The labels of what is shown, and its size. */
function placeView(state, index) {
  const figure = state.figures[index];
  const view = figure.view = viewOf(state, index);
  figure.plot.dataset.angle = view.angle;
  figure.plot.classList.toggle("fine", Math.min(view.cellWidth, view.cellHeight) < 7);
  setPixels(figure.figure, {
    "--width": view.width, "--height": view.height, "--cell-width": view.cellWidth,
    "--cell-height": view.cellHeight, "--row-step": view.rowStep, "--column-step": view.columnStep,
    "--label-size": view.labelSize,
  });
  const label = (which) => (i) => axisLabel(state, index, which, i);
  figure.rowLabels = drawLabels(figure.rows, view.rows, view.rowEvery, label("rowAxis"), view.row);
  figure.columnLabels = drawLabels(
    figure.columns, view.columns, view.columnEvery, label("columnAxis"), view.column);
  placeZoom(state, index);
}

function axisLabel({ view, layout, measure, figures }, index, which, i) {
  const axis = view.panels[index][which];
  const { labels, side, id } = axis;
  const longest = layout.sizes[index].longest - (side ? CHIP : 0);
  const token = axisToken(labels[i], side, i, view.texts, measure.textWidth, longest);
  Object.assign(token.dataset, { axis: id, which, link: linkOf(axis, i) });
  token.classList.toggle("differs", axis.differs.includes(i));
  const node = element("div", "label");
  const shown = figures[index].view;
  node.style.setProperty("--at", i - (which === "rowAxis" ? shown.row : shown.column));
  node.append(token);
  return node;
}

/** Title, notes, names, and what is shown. */
function drawPanel(state, index) {
  const { view: { panels, texts, picks }, layout } = state;
  const panel = panels[index];
  const figure = state.figures[index];
  const { title, rows, columns } = panel;
  figure.caption.textContent = title;
  figure.note.textContent = panel.note;
  nameZoom(figure, title, texts);
  const size = fill(texts.size, { rows, columns });
  figure.colours.setAttribute("aria-label", `${title}. ${size}`);
  const help = layout.panels[index].zoomable
    ? [texts["zoom.help"], ...(picks ? [] : [texts["zoom.enter"]])] : [];
  const said = [`${title}. ${size}. ${texts[picks ? "help.pick" : "help"]}`, ...help].join(" ");
  figure.cells.setAttribute("aria-label", said);
  for (const name of ["png", "svg", "csv"]) {
    figure[name].textContent = texts[name];
    figure[name].setAttribute("aria-label", fill(texts[`${name}.help`], { title }));
  }
  drawView(state, index);
  figure.content = panel.content;
  figure.figure.dataset.drawn = figure.drawn += 1;
}

/** The pixels of what is shown, and what there was no room for. */
function drawView({ view: { panels, texts }, layout, figures, measure, root }, index) {
  const figure = figures[index];
  const { view } = figure;
  const part = figure.part = partOf(panels[index], view);
  drawCells(figure.colours, part, view);
  drawWords(figure.words, part, view, figureStyle(root), measure.textWidth);
  // Zoomed, the note keeps its place, lest what is below jump.
  const [now, whole] = [view, layout.panels[index]].map((each) => leftOutText(part, each, texts));
  figure.pooled.textContent = now || whole;
  figure.pooled.style.visibility = now ? "" : "hidden";
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
