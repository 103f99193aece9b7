"""The whole pass of a sentence in one picture: the model at work, from the words to the words."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path

import numpy as np

from core.heads import Head, Kind, Site
from core.inspection import Inspection, inspect_sentence
from core.runs.run import Run, RunError
from core.studies.forward_pass import ForwardPass, forward_pass
from pages.frame import cached, clicks, components, links, session
from pages.frame.language import _, joined, listed, n_, number, percent, plain
from pages.frame.notes import is_guided, within_sentence
from pages.frame.passes import CERTAIN, PICTURE, texts_of, whole_of
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from viz.whole.whole import Whole

N_NAMED = 2
"""Most silenced heads that are named; of more, the number is given."""
STEP, SILENCED, BLOCK = "pass_step", "pass_silenced", "pass_block"


def draw(opened: Opened) -> Shown:
    """Draw a sentence on its way through the model, without the heads that are silenced."""
    if chosen := session.storage(PICTURE).pop("leads_to", None):
        links.go("attention", chosen)
    silenced = _silenced(opened.run)
    recipe = _recipe(opened, silenced)
    found = recipe.result()
    focus = clicks.first_pronoun(opened, found.inspection)
    title = _("A sentence on its way through the model")
    whole = whole_of(opened.run, found, title, focus)
    session.belongs_to(STEP, f"{opened.path}\n{opened.sentence}")
    whole = replace(
        whole,
        step=session.value(STEP, partial(session.position, count=whole.last + 1), whole.step),
        silenced=tuple(map(str, silenced)),
        open=session.linked(BLOCK) or None,
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
        seen = _what_is_lost(opened, found, silenced)
    elif session.linked(STEP) == str(whole.last) and _ends(opened.run, found):
        seen = _at_the_end(found.inspection, whole.last)
    else:
        looks = _where_it_looks(opened.run, found.inspection, focus)
        seen = joined([looks, _written(found.inspection)])
    return Shown(title=title, recipe=recipe, seen=seen, pictures=[picture])


def prepare(path: Path, sentence: str) -> None:
    """Load a model and compute the pass of a sentence, which `draw` shows then without a wait."""
    # What is wrong with a run the page says.
    with suppress(RunError):
        inspection = Recipe(inspect_sentence, path, sentence).result()
        opened = Opened(path, cached.loaded(path), cached.task(path), sentence, inspection)
        _recipe(opened, ()).result()
        _forced(opened, ())


def _what_is_lost(opened: Opened, found: ForwardPass, silenced: Sequence[Head]) -> str:
    """Return which word is another without some heads, or which one becomes less probable."""
    names = listed(map(within_sentence, silenced))
    if len(silenced) > N_NAMED:
        names = n_("{n} head", "{n} heads", len(silenced)).format(n=number(len(silenced)))
    before, after = _recipe(opened, ()).result().best, found.best
    if before is None or after is None:
        return _("Shown without {heads}.").format(heads=names)
    ids, others = before.ids_TN[:, 0].tolist(), after.ids_TN[:, 0].tolist()
    if ids != others:
        step = next(at for at, pair in enumerate(zip_longest(ids, others)) if pair[0] != pair[1])
        words = [texts_of(opened.run, each[step : step + 1]) or [""] for each in (ids, others)]
        text = _("Without {heads} it writes “**{new}**” instead of “{old}”: {text}")
        return text.format(
            heads=names,
            old=plain(words[0][0]),
            new=plain(words[1][0]),
            text=plain(found.inspection.translation.text),
        )
    chances, rest = before.probabilities_TN[:, 0], after.probabilities_TN[:, 0]
    step = int(np.abs(chances - rest).argmax())
    text = _(
        "Without {heads} it writes the same; “**{word}**”, at step {step}, goes from {before} to "
        "**{after}**."
    )
    return text.format(
        heads=names,
        step=number(step + 1),
        word=plain(texts_of(opened.run, ids[step : step + 1])[0]),
        before=percent(float(chances[step])),
        after=percent(float(rest[step])),
    )


def _recipe(opened: Opened, silenced: tuple[Head, ...]) -> Recipe[ForwardPass]:
    if not silenced:
        return Recipe(forward_pass, opened.path, opened.inspecting)
    inspecting = Recipe(inspect_sentence, opened.path, opened.sentence, None, silenced)
    return Recipe(forward_pass, opened.path, inspecting, silenced)


def _forced(opened: Opened, silenced: tuple[Head, ...]) -> Whole | None:
    """Return the pass on the true translation; None where none is known, or nothing is written."""
    run, source = opened.run, opened.inspection.translation.source
    reads = not run.model.config.is_decoder_only and not run.model.config.is_parallel
    reference = opened.task.reference(source) if opened.task and reads else None
    if reference is None:
        return None
    inspecting = Recipe(inspect_sentence, opened.path, opened.sentence, reference, silenced)
    found = Recipe(forward_pass, opened.path, inspecting, silenced).result()
    if found.best is None:
        return None
    texts = texts_of(run, list(found.best.next_ids))
    truth = list(zip(texts, found.best.next_probabilities.tolist(), strict=True))
    return replace(whole_of(run, found, "", None), truth=truth)


def _silenced(run: Run) -> tuple[Head, ...]:
    """Return the heads that are silenced in this picture, of those that the model has."""
    text = session.linked(SILENCED)
    if not text or run.model.config.is_parallel:
        return ()
    heads = {
        str(head): head
        for site in run.model.sites()
        for head in site.heads(run.model.config.n_heads)
    }
    return tuple(heads[name] for name in dict.fromkeys(text.split(",")) if name in heads)


def _take_step() -> None:
    if pick := clicks.picked(PICTURE, "step"):
        session.choose({STEP: pick["step"], BLOCK: pick["open"]})


def _take_silence() -> None:
    """Silence the head that was clicked, or let it speak again."""
    if pick := clicks.picked(PICTURE, "silence"):
        session.choose({SILENCED: ",".join(pick["heads"]) or None})


def _take_head() -> None:
    """Go to the head that was clicked: to its map, or to one of its weights in numbers."""
    if not (pick := clicks.picked(PICTURE)):
        return
    head = Head(Site.parse(pick["site"]), pick["head"])
    query = {session.KIND: head.kind, session.LAYER: str(head.layer), session.HEAD: str(head.index)}
    query[session.VIEW] = pick["to"]
    if pick["key"] is not None:
        query[session.CELL] = f"0,{pick['query']},{pick['key']}"
    session.storage(PICTURE, in_callback=True)["leads_to"] = query


def _where_it_looks(run: Run, inspection: Inspection, focus: int | None) -> str:
    """Return where a word of the source looks most, in whichever head that is."""
    if focus is None or not inspection.sites_of(Kind.ENCODER_SELF):
        return ""
    weights = {
        head: inspection.weights_of(head)[focus]
        for site in inspection.sites_of(Kind.ENCODER_SELF)
        for head in site.heads(len(inspection.attention[site].weights_HQK))
    }
    head, weights_K = max(weights.items(), key=lambda each: each[1].max())
    text = _("“{query}” looks at **{key}** with **{weight}** of its attention ({where}).")
    if is_guided(run, head):
        text = _(
            "“{query}” looks at **{key}** with **{weight}** of its attention ({where}, a head "
            "that was trained to do so)."
        )
    return text.format(
        query=plain(inspection.source_tokens[focus].text),
        key=plain(inspection.source_tokens[int(weights_K.argmax())].text),
        weight=percent(float(weights_K.max())),
        where=within_sentence(head),
    )


def _ends(run: Run, found: ForwardPass) -> bool:
    """Return whether the text ends because the model writes EOS."""
    return found.best is not None and int(found.best.ids_TN[-1, 0]) in run.model.config.eos_ids


def _at_the_end(inspection: Inspection, step: int) -> str:
    """Return what the last step is fed, and that it ends the text."""
    text = _(
        "Step {step} is fed all that is written so far, “{text}”, and writes **EOS**: the end."
    )
    return text.format(step=number(step), text=plain(inspection.translation.text))


def _written(inspection: Inspection) -> str:
    """Return the text that is written, and the word of it that is not certain, if any."""
    text = plain(inspection.translation.text)
    word = min(inspection.written, key=lambda each: each.probability, default=None)
    if word is None or word.probability >= CERTAIN:
        return _("The model writes “{text}”").format(text=text) if text else ""
    return _("The model writes “{text}”, least sure of **{word}**: **{share}**.").format(
        text=text,
        word=plain(inspection.translation.text[word.span.start : word.span.end]),
        share=percent(word.probability),
    )
