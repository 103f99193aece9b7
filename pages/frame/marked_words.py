"""Words of a translation that may be wrong, marked in it: of these the model was not sure."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

import viz.component
from core.decoding.marked_words import UNSURE, WrittenWord, written_words
from core.inspection import Inspection
from core.runs.run import Run
from core.studies.effects.ablation import Outcome
from pages.frame.language import _, as_it_is, percent
from pages.frame.listed import joined
from viz.component.payload import Doubt
from viz.direction import isolated

_CSS = Path(viz.component.__file__).with_name("marked_words.css").read_text(encoding="utf-8")
STYLE = f"<style>{_CSS}</style>"
"""How marked words look on a page, as in the components."""


def of(inspection: Inspection) -> tuple[Doubt, ...]:
    """Return the marked words of a translation, and what is said of each."""
    return _marked(inspection.translation.text, inspection.written)


def of_outcome(run: Run, found: Outcome) -> tuple[Doubt, ...]:
    """Return the same of what a model writes when heads are changed, or might be.

    Nothing is marked in what a decoder alone goes on with: a text has many ways to go on.
    """
    ids = found.translation.target_ids
    if not run.settings.model.is_encoder_decoder:
        return ()
    chances = [each.probability for each in found.own[: len(ids)]]
    words = written_words(run.target_tokenizer, ids, chances)
    return _marked(found.translation.text, words)


def _marked(text: str, words: Sequence[WrittenWord]) -> tuple[Doubt, ...]:
    return tuple(
        Doubt(word.span.start, word.span.end, _said(word.span.of(text), word), not word.is_unsure)
        for word in words
        if word.is_doubtful
    )


def _said(text: str, word: WrittenWord) -> str:
    text = isolated(text)
    share = percent(word.probability)
    unsure = _("{word}: {share} – the model is unsure here.").format(word=text, share=share)
    if word.second:
        second = _("Where it was least sure, “{token}” came second: {share}.")
        told = second.format(token=isolated(word.second), share=percent(word.second_probability))
        unsure = joined((unsure, told))
    if not word.unseen:
        return unsure
    source = _("It looked most at “{source}”, which training never saw.").format(
        source=isolated(word.unseen)
    )
    known = _("{word}: {share}.").format(word=text, share=share)
    return joined((unsure if word.is_unsure else known, source))


def legend(words: Sequence[WrittenWord]) -> str:
    """Return what the marks of a translation mean, as short as can be; empty without any."""
    said = []
    if any(word.is_unsure for word in words):
        text = _(
            "dashed: the model was unsure of the word (its probability, the product of its "
            "pieces’, is below {share})"
        )
        said.append(text.format(share=percent(UNSURE)))
    if any(word.unseen and not word.is_unsure for word in words):
        said.append(_("dotted: from a word that training never saw"))
    return " · ".join(said)


def in_markdown(text: str, doubts: Sequence[Doubt], start: int = 0, end: int | None = None) -> str:
    """Return a part of a text as Markdown that shows it as it is, with its marks as HTML.

    Args:
        text: As it is set; setting it changes no place of a sign.
        doubts: The marked words, in their order.
        start: Where the part begins.
        end: Where it ends; None for the end of the text.
    """
    whole, end = end is None, len(text) if end is None else end
    parts, at = [], start
    for doubt in doubts:
        if start <= doubt.start and doubt.end <= end:
            unseen = " unseen" * doubt.unseen
            said = escape(doubt.explanation)
            marked = as_it_is(text[doubt.start : doubt.end])
            parts += [
                as_it_is(text[at : doubt.start]),
                f'<span class="doubt{unseen}" role="note" tabindex="0" aria-label="{said}" '
                f'data-explanation="{said}">{marked}</span>',
            ]
            at = doubt.end
    shown = "".join([*parts, as_it_is(text[at:end])])
    # A part takes its direction from the whole.
    return isolated(shown) if whole else shown
