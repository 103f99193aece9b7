"""The whole pass of a sentence in one picture: the model at work, from the words to the words."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from core.heads import STACK_LABELS, Head, Kind, Site
from core.inspection import Inspection, inspect_sentence
from core.messages import N_
from core.runs.run import Run
from core.studies.forward_pass import ForwardPass, forward_pass
from pages.frame import clicks, components, links, session
from pages.frame.language import _, capitalised, joined, listed, n_, number, percent, plain
from pages.frame.maps import labels, labels_of_fed
from pages.frame.notes import is_guided, within_sentence
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from viz.whole.whole import Guess, Sublayer, Whole

N_NAMED = 2
"""Most silenced heads that are named; of more, the number is given."""
PICTURE, STEP, SILENCED, BLOCK = "pass", "pass_step", "pass_silenced", "pass_block"
CERTAIN = 0.5
"""From this probability on, nothing is said of a word."""
_NAMES = {
    "self": Kind.ENCODER_SELF.sublayer_label,
    "cross": Kind.CROSS.sublayer_label,
    "feed_forward": N_("feed-forward"),
    "recurrent": N_("recurrent unit"),
    "mixing": N_("mixing"),
}


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
    inspection = found.inspection
    looks = _where_it_looks(opened.run, inspection, focus)
    seen = [_what_is_lost(opened, found, silenced)] if silenced else [looks, _written(inspection)]
    return Shown(title=title, recipe=recipe, seen=joined(seen), pictures=[picture])


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
        words = [_texts(opened.run, each[step : step + 1]) or [""] for each in (ids, others)]
        text = _("Without {heads} it writes “**{new}**” instead of “{old}”: {text}")
        return text.format(
            heads=names,
            old=plain(words[0][0]),
            new=plain(words[1][0]),
            text=plain(found.inspection.translation.text),
        )
    chances, rest = before.probabilities_TN[:, 0], after.probabilities_TN[:, 0]
    step = int(np.abs(chances - rest).argmax())
    text = _("Without {heads} it writes the same; “**{word}**” goes from {before} to **{after}**.")
    return text.format(
        heads=names,
        word=plain(_texts(opened.run, ids[step : step + 1])[0]),
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
    texts = _texts(run, list(found.best.next_ids))
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
            "“{query}” looks at **{key}** with **{weight}** of its attention ({where}, trained "
            "for it)."
        )
    return text.format(
        query=plain(inspection.source_tokens[focus].text),
        key=plain(inspection.source_tokens[int(weights_K.argmax())].text),
        weight=percent(float(weights_K.max())),
        where=within_sentence(head),
    )


def _written(inspection: Inspection) -> str:
    """Return the text that is written, and the word of it that is not certain, if any."""
    text = plain(inspection.translation.text)
    word = min(inspection.written, key=lambda each: each.probability, default=None)
    if word is None or word.probability >= CERTAIN:
        return _("It writes “{text}”").format(text=text) if text else ""
    return _("It writes “{text}”, and is least sure of **{word}**: **{share}**.").format(
        text=text,
        word=plain(inspection.translation.text[word.span.start : word.span.end]),
        share=percent(word.probability),
    )


def whole_of(run: Run, found: ForwardPass, title: str, focus: int | None) -> Whole:
    """Return the picture of a pass; it opens on the step that looks most at the focus.

    Args:
        run: Whose model it is.
        found: The pass.
        title: A sentence.
        focus: The source's token that stands out; None for none.
    """
    inspection = found.inspection
    masked = not run.model.config.is_parallel
    sublayers = [_sublayer(inspection, *each, masked=masked) for each in found.sublayers]
    return Whole(
        title=title,
        source=labels(inspection.source_tokens, inspection.unknown_words),
        fed=labels_of_fed(inspection),
        sublayers=sublayers,
        norms={stream.sites[0].side: stream.norms_LK for stream in found.streams.values()},
        guesses=_guesses(run, found),
        best=_best(run, found),
        step=step_that_looks_at(inspection, focus),
        focus=focus,
        in_order=any(
            site.in_encoder and site.sublayer == "recurrent" for site, _added in found.sublayers
        ),
    )


def _sublayer(
    inspection: Inspection, site: Site, added_K: NDArray[np.float64], *, masked: bool
) -> Sublayer:
    attention, label = inspection.attention.get(site), _(_NAMES[site.sublayer])
    if attention and site.attention.causal and masked:
        label = _("masked self-attention")
    return Sublayer(
        site=str(site),
        side=site.side,
        keys=site.attention.key_side if attention else None,
        layer=site.layer,
        label=label,
        name=_("{stack}, layer {layer}: {sublayer}").format(
            stack=capitalised(_(STACK_LABELS[site.stack])), layer=site.layer, sublayer=label
        ),
        added_K=added_K,
        weights_HQK=attention.weights_HQK if attention else None,
    )


def step_that_looks_at(inspection: Inspection, source: int | None) -> int:
    """Return the step, from 1, whose last cross-attention looks most at a token of the source.

    Without such a token, or without cross-attention, it is the last.
    """
    crossing = inspection.sites_of(Kind.CROSS)
    if not crossing or source is None:
        return len(inspection.fed_tokens)
    weights_HT = inspection.attention[crossing[-1]].weights_HQK[:, :, source]
    return 1 + int(weights_HT.max(axis=0).argmax())


def _guesses(run: Run, found: ForwardPass) -> list[list[Guess]]:
    """Return what each layer of the decoder would write; its embedding is none."""
    if found.lens is None:
        return []
    ids_LK, chances_LK = found.lens.best_LK[1:], found.lens.best_probability_LK[1:]
    return [
        list(zip(_texts(run, ids_K.tolist()), chances_K.tolist(), strict=True))
        for ids_K, chances_K in zip(ids_LK, chances_LK, strict=True)
    ]


def _best(run: Run, found: ForwardPass) -> list[list[Guess]]:
    if found.best is None:
        return []
    rows = zip(found.best.ids_TN.tolist(), found.best.probabilities_TN.tolist(), strict=True)
    return [list(zip(_texts(run, ids), chances, strict=True)) for ids, chances in rows]


def _texts(run: Run, ids: list[int]) -> list[str]:
    return [token.text for token in run.target_tokenizer.describe_alone(ids)]
