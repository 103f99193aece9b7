"""What a page opens on: the chosen run, its sentence, and the view that says most about it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.decoding.sentence import SentenceError
from core.heads import Kind
from core.inspection import Inspection, inspect_sentence
from core.runs.run import Run, RunError, RunSettings
from core.studies.heads.findings import best_pronoun_head
from core.studies.heads.largest_weights import head_between_words, sharpest_head
from core.studies.lessons.masks import companions
from core.studies.opening.examples import examples_of, longest_and_shortest
from core.tasks import TASKS, Example, Task
from pages.frame import address, cached, controls, layout, session
from pages.frame.language import _, n_, number, plain
from pages.frame.messages import explained
from pages.frame.recipe import Recipe

LARGEST_BATCH = 8
"""So many sentences at most."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The run and the sentence that a visitor chose."""

    path: Path
    run: Run
    task: Task | None
    sentence: str
    inspection: Inspection
    """What the run's heads do with the sentence, token by token."""

    @property
    def inspecting(self) -> Recipe[Inspection]:
        """What computes the inspection."""
        return Recipe(inspect_sentence, self.path, self.sentence)


def model_and_sentence(
    *, asked: bool, telling: Callable[[Run, Task], str], model: str
) -> Opened | None:
    """Ask for a run and a sentence; where they cannot be used, say why and return nothing.

    Args:
        asked: False where the sentence changes nothing: it stays what it was.
        telling: Returns the task's example to begin with; empty for its first.
        model: The run to begin with, where there is one of that name; empty for the first.
    """
    paths = cached.run_paths()
    if not paths:
        st.info(_("There is no trained model yet. Run `make gallery`, or `python -m core train`."))
        return None
    # Its place is always there: what is below must not move (see `view.of_sentence`).
    with st.container():
        _name_missing_run(paths)
    row = st.container(horizontal=True, vertical_alignment="bottom", key=layout.OPENING)
    with row:
        path = paths[_ask_run(list(paths), first=model, then=_open_other_model)]
    problem = _problem(path)
    task = None if problem else cached.task(path)
    with row:
        # Asked for even where the run is damaged: what was typed must not get lost.
        run = None if problem else cached.loaded(path)
        sentence = ask_sentence(
            task,
            asked=asked,
            others=() if run is None else examples_of(run),
            first=telling(run, task) if run and task else "",
        )
    if problem:
        st.error(plain(problem))
        return None
    try:
        inspection = cached.inspected(path, sentence, whole_words=False)
    except SentenceError:
        say_no_text()
        return None
    return Opened(path, cached.loaded(path), task, sentence, inspection)


def say_no_text() -> None:
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
        labelled: Whether it is said above what is asked for.
        asked: False where it changes nothing, unless there is none.
        others: What is offered where there is no task.
        first: The sentence to begin with; empty for the first that is offered.
    """
    offered = _examples(task) or tuple(others)
    default = first or (offered[0].source if offered else "")
    foreign = {example.source for other in TASKS.values() for example in other.examples}
    foreign = {"", *foreign} - {example.source for example in offered} if offered else set()
    address.belongs_to(session.SENTENCE, task.name if task else "", giving_way=foreign)
    if not asked and (sentence := address.value(session.SENTENCE, str, default).strip()):
        return sentence
    sentence = ask_typed_sentence(default, labelled=labelled)
    _offer(offered)
    return sentence


def _ask_run(names: Sequence[str], *, first: str, then: Callable[[], None]) -> str:
    """Ask for a run; the URL names it where it is not the usual one that a page begins with."""
    offered, usual, how = _offered(names, first)
    how["then"] = then
    return controls.selection(_("Model"), session.MODEL, offered, usual, width=250, **how)


def _offered(names: Sequence[str], first: str) -> tuple[dict[str, str], str, controls.How[str]]:
    """Return the runs that are offered, the one to begin with, and how they are asked for."""
    usual = first if first in names else names[0]
    return {name: name for name in names}, usual, {"named": usual != names[0]}


def chosen_settings(first: str) -> RunSettings | None:
    """Return the settings of the chosen run before it is asked for; None where it has none.

    Args:
        first: The run to begin with, as in `model_and_sentence`.
    """
    if not (paths := cached.run_paths()):
        return None
    try:
        return cached.settings(paths[controls.chosen(session.MODEL, *_offered(list(paths), first))])
    except RunError:
        return None


def ask_named_run(names: Sequence[str]) -> str:
    """Ask for a run without words above, where the first of the names is not always the same.

    The URL names the run, whichever it is.
    """
    runs = {name: name for name in names}
    return controls.selection(
        _("Model"), session.MODEL, runs, names[0], labelled=False, named=True, width=200
    )


def ask_typed_sentence(default: str, *, labelled: bool = True) -> str:
    """Ask for a sentence."""
    return controls.text(
        _("Sentence"),
        session.SENTENCE,
        default,
        labelled=labelled,
        placeholder=_("Type a sentence and press Enter"),
    )


def _offer(offered: Sequence[Example]) -> None:
    """Offer sentences that are one click away."""
    with st.container(horizontal=True, gap="small", width="content"):
        for index, example in enumerate(offered):
            st.button(
                _(example.name).format(n=number(example.number)),
                key=f"example_{index}",
                type="tertiary",
                on_click=address.choose,
                args=({session.SENTENCE: example.source},),
            )


def ask_reference(sentence: str, default: str, *, goes_on: bool = False) -> str:
    """Ask for the true target of a sentence; filled in where the task knows it.

    Args:
        sentence: What it is the target of.
        default: To begin with.
        goes_on: Whether it is what comes after a prompt.
    """
    # Another sentence brings its own reference.
    address.goes_with(session.REFERENCE, sentence)
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


def ask_batch(opened: Opened) -> tuple[str, ...]:
    """Ask for the other sentences of a batch, one on each line; the opened one is the first."""
    path = opened.path
    # What a model of one stack reads is no source of a task.
    pairs = opened.run.settings.model.is_encoder_decoder
    texts = cached.of_run(companions if pairs else longest_and_shortest, path)
    default = "\n".join(text for text in texts if text != opened.sentence)
    # Another run brings its own sentences.
    address.belongs_to(session.OTHERS, str(path))
    with st.popover(_("Other sentences of the batch"), width="content"):
        typed = controls.text(
            _("One on each line, up to {n}").format(n=LARGEST_BATCH - 1),
            session.OTHERS,
            default,
            height=72,
        )
    others = [line.strip() for line in typed.splitlines() if line.strip()]
    readable = [line for line in others if opened.run.tokenizer.encode(line).ids]
    return (opened.sentence, *readable[: LARGEST_BATCH - 1])


def _problem(path: Path) -> str:
    """Return why a run cannot be used, or nothing."""
    try:
        cached.loaded(path)
    except RunError as error:
        return explained(error)
    return ""


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
    return cached.of_run(_sharpest, run.path, kind)


def _sharpest(run: Run, kind: Kind) -> tuple[int, int]:
    if examples := _examples(cached.task(run.path)):
        head = sharpest_head(inspect_sentence(run, examples[0].source), kind)
    elif examples := examples_of(run):
        # As a page that begins with it inspects it, so that it is done once.
        inspection = cached.inspected(run.path, examples[0].source, whole_words=False)
        head = head_between_words(inspection, kind)
    else:
        return 0, 0
    return head.layer, head.index


def open_other_kind() -> None:
    """Go to the best head of the kind that was just chosen, which is the one to begin with."""
    address.choose({session.LAYER: None, session.HEAD: None})


def _open_other_model() -> None:
    """Go to the best head of the run that was just chosen."""
    address.choose({session.KIND: None, session.LAYER: None, session.HEAD: None})


def _examples(task: Task | None) -> tuple[Example, ...]:
    return () if task is None else task.examples


def _name_missing_run(paths: dict[str, Path]) -> None:
    """Say so where a link asks for a run that is not there, and what is wrong with damaged ones."""
    wanted = address.text_of(session.MODEL)
    if wanted is not None and wanted not in paths:
        st.caption(plain(_("There is no run named {name}.").format(name=wanted)))
    complaints = [found for path in paths.values() if (found := cached.complaint(path))]
    if complaints:
        n = len(complaints)
        said = n_("{n} run folder cannot be used", "{n} run folders cannot be used", n)
        with st.expander(said.format(n=number(n))):
            st.text("\n".join(map(explained, complaints)))
