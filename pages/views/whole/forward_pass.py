"""The whole pass of a sentence in one picture: the model at work, from the words to the words."""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from core.heads import Head, Site
from core.inspection import inspect_sentence
from core.runs.run import RunError
from core.studies.forward_pass import forward_pass
from pages.frame import cached, clicks, components, links, session
from pages.frame.language import _
from pages.frame.passes import PICTURE, on_reference, silenced_heads, whole_of
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from pages.views.whole.findings import (
    at_step,
    at_the_end,
    ends,
    forget_before,
    pass_of,
    pronoun_step,
    what_is_lost,
    what_is_seen,
)
from viz.whole.whole import Whole

BLOCK = "pass_block"


def draw(opened: Opened) -> Shown:
    """Draw a sentence on its way through the model, without the heads that are silenced."""
    if chosen := session.storage(PICTURE).pop("leads_to", None):
        links.go("attention", chosen)
    silenced = silenced_heads(opened.run, session.linked(session.PASS_SILENCED))
    recipe = pass_of(opened, silenced)
    found = recipe.result()
    focus = next(iter(found.fills), clicks.first_pronoun(opened, found.inspection))
    title = _("A sentence on its way through the model")
    whole = whole_of(opened.run, found, title, focus, pronoun_step(opened, found))
    lost, lost_at = what_is_lost(opened, found, silenced) if silenced else ("", None)
    session.belongs_to(session.PASS_STEP, f"{opened.path}\n{opened.sentence}\n{opened.run.chats}")
    usual = whole.step if lost_at is None else min(lost_at, whole.last)
    is_step = partial(session.position, count=whole.last + 1)
    whole = replace(
        whole,
        step=session.value(session.PASS_STEP, is_step, usual),
        silenced=tuple(map(str, silenced)),
        # Named also where nothing is open: a page that a click leaves at once then names what was.
        open=session.value(BLOCK, str, "") or None,
        forced=_forced(opened, silenced),
    )
    picture = components.show(
        whole,
        key=PICTURE,
        on_step=_take_step,
        on_pick=_take_head,
        on_silence=None if opened.run.model.config.is_parallel else _take_silence,
    )
    if silenced:
        forget_before()
        seen = lost
    elif whole.step != usual and whole.step == whole.last and ends(opened.run, found):
        seen = at_the_end(found.inspection, whole.last)
    elif whole.step != usual and whole.step:
        seen = at_step(opened.run, found, whole.step)
    else:
        seen = what_is_seen(opened, found, focus)
    meanwhile = _("Step by step, the model is fed one more word and writes the next one.")
    return Shown(title=title, recipe=recipe, seen=seen, meanwhile=meanwhile, pictures=[picture])


def prepare(path: Path, sentence: str) -> None:
    """Load a model and compute the pass of a sentence, which `draw` shows then without a wait."""
    # What is wrong with a run the page says.
    with suppress(RunError):
        inspection = Recipe(inspect_sentence, path, sentence).result()
        opened = Opened(path, cached.loaded(path), cached.task(path), sentence, inspection)
        pass_of(opened, ()).result()
        _forced(opened, ())


def _forced(opened: Opened, silenced: tuple[Head, ...]) -> Whole | None:
    """Return the pass on the true translation; None where none is known, or nothing is written."""
    run, source = opened.run, opened.inspection.translation.source
    reads = run.model.config.is_encoder_decoder and not run.model.config.is_parallel
    reference = opened.task.reference(source) if opened.task and reads else None
    if reference is None:
        return None
    inspecting = Recipe(inspect_sentence, opened.writer, opened.sentence, reference, silenced)
    return on_reference(run, Recipe(forward_pass, opened.path, inspecting, silenced).result())


def _take_step() -> None:
    if pick := clicks.picked(PICTURE, "step"):
        session.choose({session.PASS_STEP: pick["step"], BLOCK: pick["open"]})


def _take_silence() -> None:
    """Silence the head that was clicked, or let it speak again: what it changes is shown."""
    if pick := clicks.picked(PICTURE, "silence"):
        heads = ",".join(pick["heads"]) or None
        step = None if heads else pick["step"]
        session.choose({session.PASS_SILENCED: heads, session.PASS_STEP: step, BLOCK: pick["open"]})


def _take_head() -> None:
    """Go to the head that was clicked: to its map, or to one of its weights in numbers."""
    if not (pick := clicks.picked(PICTURE)):
        return
    head = Head(Site.parse(pick["site"]), pick["head"])
    query = {session.KIND: head.kind, session.LAYER: str(head.layer), session.HEAD: str(head.index)}
    query[session.VIEW] = pick["to"]
    if pick["key"] is not None:
        query[session.CELL] = f"0,{pick['query']},{pick['key']}"
    # The way back leads to the picture as it was left.
    session.choose({session.PASS_STEP: pick["step"], BLOCK: pick["open"]})
    session.storage(PICTURE, in_callback=True)["leads_to"] = query
