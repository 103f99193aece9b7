"""The head that another one is compared with: of another sentence, or of another model."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.decoding.sentence import SentenceError
from core.heads import Head
from core.inspection import Inspection
from core.runs.run import RunError
from core.studies.heads.comparison import most_alike
from core.studies.opening.examples import sources_beside
from core.tasks import TASKS
from pages.frame import address, cached, controls, notes, session
from pages.frame.language import _, number, plain
from pages.frame.messages import explained
from pages.frame.selection import Selection

SENTENCES, MODELS = "sentences", "models"


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondHead:
    """The second of two heads that are compared, and what it does."""

    path: Path
    sentence: str
    inspection: Inspection
    """Between tokens, or merged to words, as the first is."""
    head: Head
    models: tuple[()] | tuple[str, str] = ()
    """Names of the two; none where it is the same one with two sentences."""


def ask(selected: Selection) -> SecondHead | None:
    """Ask what to compare with; where it cannot be used, say why and return nothing."""
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        offered = {SENTENCES: _("two sentences"), MODELS: _("two models")}
        older = {"two sentences": SENTENCES, "two models": MODELS}
        chosen = controls.choice(_("Compare"), session.OTHER, offered, SENTENCES, older=older)
        if chosen == SENTENCES:
            sentence = _other_sentence(selected)
        else:
            name, path = _other_model(selected)
    if chosen == MODELS:
        return _with_model(selected, row, name, path)
    try:
        inspection = cached.inspected(selected.opened.path, sentence, selected.whole_words)
    except SentenceError:
        st.info(_("Type another sentence to compare with."))
        return None
    return SecondHead(
        path=selected.opened.path,
        sentence=sentence,
        inspection=inspection,
        head=selected.head,
    )


def _other_sentence(selected: Selection) -> str:
    """Ask for a sentence; until one is typed it is the example that is most like the first."""
    task, first = selected.opened.task, selected.opened.sentence
    offered = [example.source for example in (task.examples if task else ())]
    beside = sources_beside(selected.opened.run)
    others = [source for source in offered or beside if source != first]
    default = most_alike(first, others) if others else first
    # Those of other tasks too: where the model was changed, they mean nothing to it.
    known = {example.source for each in TASKS.values() for example in each.examples} | {*beside}
    address.belongs_to(session.OTHER_SENTENCE, first, giving_way={"", first, *known})
    return controls.text(
        _("Second sentence"),
        session.OTHER_SENTENCE,
        default,
        labelled=False,
        placeholder=_("Type a second sentence and press Enter"),
    )


def _other_model(selected: Selection) -> tuple[str, Path]:
    """Ask for one of the runs that were trained on the same task."""
    # Of opened models nobody knows which have a task in common.
    task = selected.opened.run.settings.task
    guides = _guides(task) if task else {}
    own = next(name for name, path in cached.run_paths().items() if path == selected.opened.path)
    names = list(guides) or [own]
    others = [name for name in names if name != own]
    # A free run and a guided one tell most beside each other.
    differing = (name for name in others if bool(guides[name]) != bool(guides[own]))
    default = next(differing, next(iter(others), own))
    # Where the first has become what the second was, they change places.
    address.belongs_to(session.OTHER_MODEL, own, giving_way={own})
    chosen = controls.selection(
        _("Second model"),
        session.OTHER_MODEL,
        {name: name for name in names},
        default,
        labelled=False,
        width=200,
    )
    return chosen, cached.run_paths()[chosen]


def _guides(task: str) -> dict[str, str]:
    """Return the guided head of each run of a task whose settings can be read, by its name."""
    found = {}
    for name, path in cached.run_paths().items():
        try:
            if (settings := cached.settings(path)).task == task:
                found[name] = settings.training.guide
        except RunError:
            continue
    return found


def _with_model(
    selected: Selection, row: st.delta_generator.DeltaGenerator, name: str, path: Path
) -> SecondHead | None:
    sentence = selected.opened.sentence
    try:
        inspection = cached.inspected(path, sentence, selected.whole_words)
    except RunError as error:
        st.error(plain(explained(error)))
        return None
    sites = inspection.sites_of(selected.kind)
    if not sites:
        st.info(_("{name} has no attention of this kind.").format(name=plain(name)))
        return None
    own = selected.opened.path
    first = next(each for each, other in cached.run_paths().items() if other == own)
    n_heads = len(inspection.attention[sites[0]].weights_HQK)
    with row:
        layer = _number(_("layer"), len(sites), selected.layer, session.OTHER_LAYER)
        head = _number(_("head"), n_heads, selected.head.index, session.OTHER_HEAD)
    if selected.layer >= len(sites) or selected.head.index >= n_heads:
        missing = _("Not in {name}: {where}. Its last layer is {layer}, its last head {head}.")
        where = notes.site_and_head(selected.head)
        st.caption(
            missing.format(
                name=plain(name),
                where=plain(where),
                layer=number(len(sites) - 1),
                head=number(n_heads - 1),
            )
        )
    return SecondHead(
        path=path,
        sentence=sentence,
        inspection=inspection,
        head=Head(sites[layer], head),
        models=(first, name),
    )


def _number(label: str, count: int, same: int, key: str) -> int:
    """Ask for a layer or a head; it is the same as the first's until another is chosen."""
    default = same if same < count else 0
    address.belongs_to(key, str(same))
    return controls.number(label, count, default, key)
