"""What a head does with a sentence, in words."""

from collections.abc import Sequence

from core.analysis.heads.patterns import Pattern
from core.analysis.heads.summaries import HeadSummary
from core.tokenizer import Token
from pages.frame.text import _, percent


def short(summary: HeadSummary, keys: Sequence[Token], *, whole_words: bool) -> str:
    """Return what a head's rows have in common, in a few words.

    Args:
        summary: The head's.
        keys: The tokens, or words, that it can look at.
        whole_words: Whether they are words.
    """
    pattern = summary.pattern
    if pattern.name == "none":
        return _("has no choice")
    if pattern.name == "even":
        return _("spreads nearly evenly")
    if pattern.name == "forward":
        return _("moves from left to right")
    found = _target(pattern, keys, not summary.head.kind.is_self, _unit(whole_words))
    template = _("looks at {target}") if pattern.common else _("varies; most often {target}")
    return template.format(target=found)


def said(summary: HeadSummary, keys: Sequence[Token], *, whole_words: bool) -> str:
    """Return the same with the share of rows in which it holds, and what chance gives.

    Args:
        summary: The head's.
        keys: The tokens, or words, that it can look at.
        whole_words: Whether they are words.
    """
    pattern = summary.pattern
    words = short(summary, keys, whole_words=whole_words)
    if pattern.name == "none":
        return _("{words}: no row sees more than one {unit}").format(
            words=words, unit=_unit(whole_words)
        )
    if pattern.name == "even":
        return _("{words} over all that it may see").format(words=words)
    return _("{words} in {share} of {rows} ({hits} of {n}; by chance {chance})").format(
        words=words,
        share=percent(pattern.share),
        rows=_("steps from row to row") if pattern.name == "forward" else _("rows"),
        hits=pattern.hits,
        n=pattern.rows,
        chance=percent(pattern.chance),
    )


def _unit(whole_words: bool) -> str:
    return _("word") if whole_words else _("token")


def _target(pattern: Pattern, keys: Sequence[Token], cross: bool, unit: str) -> str:
    if pattern.name == "token":
        key = keys[pattern.at]
        if key.special:
            return key.text
        return _("“{token}” (position {at})").format(token=key.text, at=pattern.at)
    if pattern.name == "offset":
        named = (_in_the_source if cross else _beside)(pattern.at)
    elif pattern.name == "near":
        named = _("the source {unit} of the same position ± 1")
    else:
        named = (
            _("the source {unit} of the same text") if cross else _("another {unit} of its text")
        )
    return named.format(n=abs(pattern.at), unit=unit)


def _beside(offset: int) -> str:
    named = {0: _("itself"), -1: _("the previous {unit}"), 1: _("the next {unit}")}
    further = _("the {unit} {n} back") if offset < 0 else _("the {unit} {n} ahead")
    return named.get(offset, further)


def _in_the_source(offset: int) -> str:
    if offset == 0:
        return _("the source {unit} of the same position")
    if offset < 0:
        return _("the source {unit} {n} before the same position")
    return _("the source {unit} {n} after the same position")
