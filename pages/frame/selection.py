"""What a visitor has selected: a model, a sentence, and a head of a kind of attention."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from core.decoding.bounds import CONTINUATION
from core.decoding.sentence import SentenceError
from core.heads import Head, Kind, Side, Site
from core.inspection import Inspection, SiteAttention, inspect_sentence, merged
from core.runs.run import Run, RunError, RunSettings
from core.studies.heads.findings import best_pronoun_head
from core.studies.heads.largest_weights import head_between_words, sharpest_head
from core.studies.opening.examples import examples_of
from core.tasks import TASKS, Example, Task
from core.tasks.digits import PATCH, SIDE, pixels_of
from pages.frame import cached, controls, links, measured_on, notes, session
from pages.frame.cached import RunWriting
from pages.frame.language import _, joined, labelled, n_, number, plain
from pages.frame.maps import side_labels
from pages.frame.messages import explained
from pages.frame.needs import Need, why_not
from pages.frame.recipe import Recipe
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis
from viz.theme import SOURCE

HEAD_VIEW = "head"
"""The view of one head on the page Heads."""
MOST_NEW_TOKENS = 100
"""Most tokens that a visitor can let a model write after a text."""
NEEDS_OF_HEADS = (Need.HEADS, Need.NEXT)
"""What all views of that page need of a model."""
NEEDS_OF_HEAD_VIEW = (Need.TEXTS,)
"""What that view needs besides."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The run and the sentence that a visitor chose."""

    path: Path
    run: Run
    task: Task | None
    sentence: str
    inspection: Inspection
    """What the run's heads do with the sentence, token by token."""
    image: DeltaGenerator | None = None
    """The place of the image that the sentence may be."""

    def show_image(self, about: tuple[Side, int] | None = None) -> None:
        """Draw the image that the sentence may be; the token of a side and position is framed."""
        if self.image is not None and (pixels := pixels_of(self.sentence)):
            framed = about[1] if about and about[0] == "source" else None
            self.image.image(_in_patches(pixels, framed), alt=_("The image, cut into its patches"))

    @property
    def writer(self) -> Path | RunWriting:
        """The run as it writes here, for recipes of what it does with the sentence."""
        return writer(self.run)

    @property
    def inspecting(self) -> Recipe[Inspection]:
        """What computes the inspection."""
        return inspecting(self.writer, self.sentence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """A head of a run, and what all heads do with the sentence."""

    opened: Opened
    inspection: Inspection
    """Between tokens, or merged to words."""
    whole_words: bool
    head: Head

    @property
    def inspecting(self) -> Recipe[Inspection]:
        """What computes the inspection."""
        return inspecting(self.opened.writer, self.opened.sentence, self.whole_words)

    @property
    def kind(self) -> Kind:
        """The kind of attention."""
        return self.head.kind

    @property
    def sites(self) -> tuple[Site, ...]:
        """The sites of the kind, by layer."""
        return self.inspection.sites_of(self.kind)

    @property
    def attention(self) -> SiteAttention:
        """The attention of the head's layer."""
        return self.inspection.attention[self.head.site]

    @property
    def weights_QK(self) -> NDArray[np.float32]:
        """The head's weights."""
        return self.inspection.weights_of(self.head)


def writer(run: Run) -> Path | RunWriting:
    """Return what stands for a run in recipes of what it writes."""
    usual = {
        "max_new_tokens": None,
        "chats": False,
        "truncates_left": False,
        "forced_id": run.settings.forced_id,
    }
    chosen = {name: getattr(run, name) for name in usual}
    choices = tuple((name, value) for name, value in chosen.items() if value != usual[name])
    return RunWriting(run.path, choices) if choices else run.path


def inspecting(
    run: Path | RunWriting, sentence: str, whole_words: bool = False
) -> Recipe[Inspection]:
    """Return what computes the attention of all heads in a sentence, between tokens or words.

    Its result raises a SentenceError where there is no text.
    """
    recipe = Recipe(inspect_sentence, run, sentence)
    return Recipe(merged, recipe) if whole_words else recipe


def model_and_sentence(*, asked: bool, telling: Callable[[Run, Task], str]) -> Opened | None:
    """Ask for a run and a sentence; where they cannot be used, show why and return nothing.

    Args:
        asked: False where the sentence changes nothing: it stays what it was.
        telling: Returns the task's example to begin with; empty for its first.
    """
    paths = cached.run_paths()
    if not paths:
        st.info(_("There is no trained model yet. Run `make gallery`, or `python -m core train`."))
        return None
    # Its place is always there: what is below must not move (see `view.of_sentence`).
    with st.container():
        _name_missing_run(paths)
    row = st.container(horizontal=True, vertical_alignment="bottom", key="opening")
    with row:
        path = paths[_ask_run(paths)]
    run, task, problem = None, None, ""
    try:
        run, task = cached.loaded(path), cached.task(path)
    except RunError as error:
        problem = explained(error)
    with row:
        # Asked for even where the run is damaged: what was typed must not get lost.
        sentence = ask_sentence(
            task,
            asked=asked,
            others=() if run is None else examples_of(run),
            first=telling(run, task) if run and task else "",
        )
        image = st.empty() if task and measured_on.reads_images(task.name) else None
        if run is not None:
            run = _ask_language(_ask_chat(_ask_new_tokens(run, asked=asked)))
    if run is None:
        st.error(plain(problem))
        return None
    read = _read(run, sentence, row)
    if read is None:
        return None
    opened = Opened(path, read[0], task, sentence, read[1], image)
    opened.show_image()
    return opened


def _read(run: Run, sentence: str, row: DeltaGenerator) -> tuple[Run, Inspection] | None:
    """Return a run as it reads a sentence, and its inspection; without a text, ask for one."""
    try:
        inspection = inspecting(writer(run), sentence).result()
    except SentenceError as error:
        if run.chats and sentence:
            st.info(plain(explained(error)))
        else:
            ask_for_text()
        return None
    if inspection.translation.cut:
        with row:
            run = replace(run, truncates_left=_ask_end())
        inspection = inspecting(writer(run), sentence).result()
    return run, inspection


def _in_patches(pixels: Sequence[Sequence[bool]], framed: int | None) -> NDArray[np.uint8]:
    """Return an image of black pixels on white, lines between its patches, a frame around one."""
    side = 8 * PATCH
    enlarged = np.kron(np.where(pixels, 0, 255), np.ones((8, 8))).astype(np.uint8)
    for axis in (0, 1):
        enlarged = np.insert(enlarged, range(0, len(enlarged) + 1, side), 160, axis=axis)
    image = np.repeat(enlarged[..., None], 3, axis=-1)
    # What follows the patches, EOS, has no place in the image.
    if framed is not None and framed < (SIDE // PATCH) ** 2:
        top, left = (at * (side + 1) for at in divmod(framed, SIDE // PATCH))
        patch = image[top : top + side + 2, left : left + side + 2]
        inside = patch[3:-3, 3:-3].copy()
        patch[:] = SOURCE
        patch[3:-3, 3:-3] = inside
    return image


def _ask_new_tokens(run: Run, *, asked: bool) -> Run:
    """Ask how many tokens a model writes that goes on with any text; others write up to an end."""
    config = run.settings.model
    if not config.is_decoder_only or config.target_ratio:
        return run
    n = controls.amount(
        _("New tokens"),
        session.NEW_TOKENS,
        CONTINUATION,
        limits=(0, MOST_NEW_TOKENS),
        asked=asked,
        help=_("The model writes at most this many tokens after the text. 0 shows the text alone."),
    )
    return run if n == CONTINUATION else replace(run, max_new_tokens=n)


def _ask_chat(run: Run) -> Run:
    """Ask whether a chat model's template is put around the text."""
    chat = run.settings.chat
    if chat is None:
        return run
    words = _("Wraps the text in the chat format that this model was trained on.")
    if chat.problem:
        words = _("Its chat template cannot be used: {why}").format(why=plain(chat.problem))
    chats = controls.toggle(_("Chat"), session.CHAT, help=words, disabled=bool(chat.problem))
    return replace(run, chats=chats and not chat.problem)


def _ask_end() -> bool:
    """Ask whether the end of a text is read that is longer than the model's positions."""
    words = _("The text has more tokens than the model has positions: read its end instead.")
    return controls.toggle(_("Read the end of the text"), session.TRUNCATES_LEFT, help=words)


def _ask_language(run: Run) -> Run:
    """Ask to which language a multilingual model translates."""
    languages = run.languages
    if not languages:
        return run
    offered = {name: name for name in sorted(languages)}
    default = next((name for name in offered if languages[name] == run.forced_id), "")
    if not default:
        offered = {"": _("none"), **offered}
    name = controls.selection(_("Into"), session.LANGUAGE, offered, default, width=170)
    return replace(run, forced_id=languages[name]) if name else run


def ask_for_text() -> None:
    """Ask for a sentence where there is none."""
    st.info(_("Type a sentence, or click one of the examples."))


def ask_sentence(
    task: Task | None,
    *,
    labelled: bool = True,
    asked: bool = True,
    others: Sequence[Example] = (),
    first: str = "",
) -> str:
    """Ask for a sentence beside those of a task; another task's examples make room for its own.

    Args:
        task: What the model learned, if it is known.
        labelled: Whether a label stands above the box.
        asked: False where the sentence changes nothing: then only a missing one is asked for.
        others: What is offered where there is no task.
        first: The sentence to begin with; empty for the first that is offered.
    """
    offered = _examples(task) or tuple(others)
    default = first or (offered[0].source if offered else "")
    foreign = {example.source for other in TASKS.values() for example in other.examples}
    foreign = {"", *foreign} - {example.source for example in offered} if offered else set()
    session.belongs_to(session.SENTENCE, task.name if task else "", giving_way=foreign)
    if not asked and (sentence := session.value(session.SENTENCE, str, default).strip()):
        return sentence
    label, placeholder = _("Sentence"), _("Type a sentence and press Enter")
    if task and measured_on.reads_images(task.name):
        label, placeholder = _("Image"), _("Type 16 patches and press Enter")
    sentence = controls.text(
        label, session.SENTENCE, default, labelled=labelled, placeholder=placeholder
    )
    with st.container(horizontal=True, gap="small", width="content"):
        for index, example in enumerate(offered):
            st.button(
                _(example.name).format(n=number(example.number)),
                key=f"example_{index}",
                type="secondary" if example.source == sentence else "tertiary",
                on_click=session.choose,
                # The pass opens again where it opened first, also on the same sentence.
                args=({session.SENTENCE: example.source, session.PASS_STEP: None},),
            )
    return sentence


def ask_reference(sentence: str, default: str, *, goes_on: bool) -> str:
    """Ask for the true target of a sentence; filled in where the task knows it.

    Args:
        sentence: Its source.
        default: To begin with.
        goes_on: Whether the target is what comes after a prompt.
    """
    # Another sentence brings its own reference.
    session.goes_with(session.REFERENCE, sentence)
    st.caption(_("Reference"), width="content")
    return controls.text(
        _("Reference"),
        session.REFERENCE,
        default,
        labelled=False,
        placeholder=_("How your text goes on, to compare with")
        if goes_on
        else _("The true target, to compare with"),
    )


def _ask_run(paths: Mapping[str, Path]) -> str:
    does = {name: measured_on.of_model(path) for name, path in paths.items()}
    return controls.selection(
        _("Model"),
        session.MODEL,
        {name: labelled(name, text) if text else name for name, text in does.items()},
        next(iter(paths)),
        width=250,
        then=partial(session.choose, {session.KIND: None, **_BEST}),
    )


_BEST = {session.LAYER: None, session.HEAD: None}
"""Taken back, they are those of the best head: another run, and another kind, open on it."""


def chosen_settings() -> RunSettings | None:
    """Return the settings of the chosen run before it is asked for; None where it has none."""
    if not (paths := cached.run_paths()):
        return None
    offered = {name: name for name in paths}
    try:
        return cached.settings(paths[controls.chosen(session.MODEL, offered, next(iter(paths)))])
    except RunError:
        return None


def default_kind(run: Run) -> Kind:
    """Return the kind whose heads find antecedents best, or else cross-attention, if any."""
    found = best_pronoun_head(run)
    kinds = [site.attention for site in run.model.sites()]
    usual = Kind.CROSS if Kind.CROSS in kinds else kinds[0]
    return usual if found is None else found.head.kind


def default_head(run: Run, kind: Kind) -> tuple[int, int]:
    """Return layer and head of a kind that are to be seen first.

    They find antecedents better than any rule does, or else point most in the first example: of the
    task, or of texts for a model that does not read its sources (there from word to word).
    """
    if run.step == 0 and not run.settings.is_opened:
        # Nothing is learned here yet, and there may be no weights but those that it began with.
        return 0, 0
    found = best_pronoun_head(run, kind)
    if found is not None and found.beats_baseline:
        return found.head.layer, found.head.index
    return Recipe(_sharpest, run.path, kind).result()


def _sharpest(run: Run, kind: Kind) -> tuple[int, int]:
    if examples := _examples(cached.task(run.path)):
        head = sharpest_head(inspect_sentence(run, examples[0].source), kind)
    elif examples := examples_of(run):
        # As a page that begins with it inspects it, so that it is done once.
        inspection = inspecting(run.path, examples[0].source).result()
        head = head_between_words(inspection, kind)
    else:
        return 0, 0
    return head.layer, head.index


def _examples(task: Task | None) -> tuple[Example, ...]:
    return () if task is None else task.examples


def _name_missing_run(paths: dict[str, Path]) -> None:
    """Name the run of a link that is not there, and what is wrong with damaged ones."""
    name = session.text_of(session.MODEL)
    if name is not None and name not in paths:
        st.caption(plain(_("There is no run named {name}.").format(name=name)))
    complaints = [found for path in paths.values() if (found := cached.complaint(path))]
    if complaints:
        n = len(complaints)
        label = n_("{n} run folder cannot be used", "{n} run folders cannot be used", n)
        with st.expander(label):
            st.text("\n".join(map(explained, complaints)))


def example(selected: Selection, tells: Callable[[Inspection], bool]) -> str:
    """Return the first other example of the task in which there is something to see, if any."""
    opened = selected.opened
    for each in opened.task.examples if opened.task else ():
        if each.source == opened.sentence:
            continue
        try:
            inspection = inspecting(opened.path, each.source, selected.whole_words).result()
        except SentenceError:
            continue
        if tells(inspection):
            return each.source
    return ""


def query_axis(inspection: Inspection, kind: Kind) -> Axis:
    """Return the axis of a map's rows."""
    return axis_of_queries(kind, side_labels(inspection, kind.query_side))


def key_axis(inspection: Inspection, kind: Kind) -> Axis:
    """Return the axis of a map's columns."""
    return axis_of_keys(kind, side_labels(inspection, kind.key_side))


def axis_of_queries(kind: Kind, labels: Sequence[TokenLabel]) -> Axis:
    """Return the axis of rows with these labels."""
    fed = kind.query_side == "target"
    name = _("query: the word fed") if fed else _("query: the word that looks")
    return Axis(name=name, labels=labels, side=kind.query_side)


def axis_of_keys(kind: Kind, labels: Sequence[TokenLabel]) -> Axis:
    """Return the axis of columns with these labels."""
    return Axis(name=_("key: the word looked at"), labels=labels, side=kind.key_side)


def row() -> DeltaGenerator:
    """Return the row of a view's controls."""
    return st.container(horizontal=True, vertical_alignment="center", key="controls")


def choose(opened: Opened, *, kind: bool = True, head: bool = True, unit: bool = True) -> Selection:
    """Ask for a head and for tokens or words, inside of a row in which a view asks for more.

    What a view does not need it does not ask for: that stays as it was chosen in another one.

    Args:
        opened: The run and the sentence.
        kind: False where all kinds of attention are shown.
        head: False where all heads are shown, or one is chosen in the picture.
        unit: False where everything is between tokens, never merged to words.
    """
    chosen = ask_head(opened.run, kind=kind, head=head)
    merged_to = controls.choice(
        _("Unit"),
        "unit",
        {"tokens": _("tokens"), "words": _("whole words")},
        "tokens",
        older={"whole words": "words"},
        help=_("Merged to words, rows are averaged and columns summed."),
        asked=unit,
    )
    words = unit and merged_to == "words"
    inspection = opened.inspection
    if words:
        inspection = inspecting(opened.writer, opened.sentence, whole_words=True).result()
    return Selection(opened=opened, inspection=inspection, whole_words=words, head=chosen)


def link_to_selected_head(selected: Selection) -> None:
    """Show a link to the card of the selected head."""
    link_to_head(selected.opened, selected.head, _("All about this head"))


def link_to_head(opened: Opened, head: Head, label: str) -> None:
    """Show a link to the card of a head, with the same sentence.

    There is none where nothing can be measured: where nobody knows the task, for example.
    """
    if why_not(opened.run, (*NEEDS_OF_HEADS, *NEEDS_OF_HEAD_VIEW)):
        return
    query = {session.TRIAL: HEAD_VIEW, **query_of(opened, head)}
    links.link("heads", label, ":material/badge:", query)


def query_of(opened: Opened, head: Head) -> dict[str, str]:
    """Return what a link to a head opens with."""
    return {
        session.MODEL: cached.listed_name(opened.path),
        session.SENTENCE: opened.sentence,
        session.KIND: str(head.kind),
        session.LAYER: str(head.layer),
        session.HEAD: str(head.index),
    }


def tell_head(selected: Selection) -> None:
    """Show below the row why not to believe the head's map."""
    # Its place is reserved: what is noted of one head and not of another must not move the picture.
    with st.container(key="about_head"):
        if found := notes.about_map(selected.opened.run, selected.inspection, selected.head):
            st.caption(joined(found))


def ask_head(run: Run, *, kind: bool = True, head: bool = True) -> Head:
    """Ask for a kind of attention, a layer and a head, inside of a row; see `choose`."""
    sites = run.model.sites()
    kinds = list(dict.fromkeys(site.attention for site in sites))
    then = partial(session.choose, _BEST)
    chosen = ask_kind(kinds, default_kind(run), then=then, asked=kind)
    n_layers = sum(site.attention is chosen for site in sites)
    default = default_head(run, chosen)
    layer, index = ask_layer_and_head(n_layers, run.settings.model.n_heads, default, asked=head)
    return Head(chosen.site(layer), index)


def ask_kind(
    offered: Sequence[Kind],
    default: Kind,
    then: Callable[[], None] | None = None,
    name: str = session.KIND,
    *,
    asked: bool = True,
) -> Kind:
    """Ask for one of the kinds of attention that a model has."""
    labels = {str(each): _(each.full_label) for each in offered}
    usual = str(default if default in offered else offered[0])
    older = {each.label: str(each) for each in offered}
    how = controls.How[str](older=older, then=then, asked=asked)
    return Kind(controls.choice(_("Attention"), name, labels, usual, **how))


def ask_layer_and_head(
    n_layers: int, n_heads: int, default: tuple[int, int], *, asked: bool = True
) -> tuple[int, int]:
    """Ask for a layer and a head; a click into the maps sets them too."""
    layer = controls.number(_("layer"), n_layers, default[0], session.LAYER, asked=asked)
    head = controls.number(_("head"), n_heads, default[1], session.HEAD, asked=asked)
    return layer, head
