"""The map of what parts of a source a word comes from: by one method, or by all of them."""

from dataclasses import dataclass

import numpy as np

from core.heads import Side
from core.studies.attribution.methods import Attribution
from core.tokenizer.tokenizer import Token
from pages.frame.language import _, brief, percent
from pages.frame.listed import joined
from pages.frame.maps import labels
from pages.views.heads import attribution_methods
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrix, scaled_rows


@dataclass(frozen=True, slots=True)
class Parts:
    """What of a source gets a number."""

    tokens: tuple[Token, ...]
    """One for each part: a token, or a whole word."""
    words: tuple[int, ...] | None
    """Which part each of the model's tokens belongs to; None where they are the parts."""
    side: Side = "source"
    """What they are tokens of; the target where a decoder alone was fed them."""


def of_one_method(found: Attribution, parts: Parts, word: str, unknown: frozenset[int]) -> Matrix:
    """Return how probable the word is with each part of the source hidden."""
    title = _("How probable “{word}” is when one source token is hidden: {share} with all of them")
    of = _("hidden token")
    if parts.side == "target":
        title = _("How probable “{word}” is when one token is hidden: {share} with all of them")
    if parts.words is not None:
        title = _("How probable “{word}” is when one source word is hidden: {share} with all")
        of = _("hidden word")
    without = found.without
    return Matrix(
        title=title.format(word=word, share=percent(found.probability)),
        values=(without - found.probability).astype(np.float32)[None],
        rows=Axis(name=_("word"), labels=[TokenLabel(word)], side="target"),
        columns=Axis(name=of, labels=labels(parts.tokens, unknown), side=parts.side),
        scale="signed",
        texts=[[attribution_methods.short_share(each) for each in without.tolist()]],
        details=[[percent(each) for each in without.tolist()]],
        value_name=_("change of its probability"),
    )


def of_methods(found: Attribution, parts: Parts, word: str, unknown: frozenset[int]) -> Matrix:
    """Return what each method says of each part of the source."""
    methods = attribution_methods.asked(found)
    scores = [found.scores[method] for method in methods]
    title, of, notes = _("What each source token has to do with “{word}”"), _("source token"), []
    if parts.side == "target":
        title, of = _("What each token has to do with “{word}”"), _("token fed")
    if parts.words is not None:
        title, of = _("What each source word has to do with “{word}”"), _("source word")
        notes = [_(attribution_methods.ADDED)]
    notes.append(
        _(
            "Colours: each row divided by its largest magnitude. Click a cell for its number as "
            "it is."
        )
    )
    names = [TokenLabel(_(attribution_methods.SHORT[method])) for method in methods]
    return Matrix(
        title=title.format(word=word),
        values=scaled_rows(np.stack(scores)),
        rows=Axis(name=_("method"), labels=names),
        columns=Axis(name=of, labels=labels(parts.tokens, unknown), side=parts.side),
        scale="signed",
        texts=[[brief(float(each)) for each in row] for row in scores],
        note=joined(notes),
        value_name=_("share of the row’s largest"),
    )
