"""What the table of heads shows of each: what it does with the sentence, in words and numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from core.studies.heads.findings import PronounHead, best_pronoun_head
from core.studies.heads.patterns import Pattern
from core.studies.heads.summaries import HeadSummary, Pair
from core.tokenizer.tokenizer import Token
from pages.frame import amounts, pin
from pages.frame.language import _, number, percent, percent_of_100
from pages.frame.selection import Selection, key_tokens, query_tokens
from viz.direction import isolated

MARK = " "
"""Name of the column with the heads' colours."""
PAIR = "pair"


@dataclass(frozen=True, slots=True)
class HeadTable:
    """What the table shows."""

    selected: Selection
    summaries: Sequence[HeadSummary]
    """From the top to the bottom of the table."""
    pair: Pair | None
    """The query and the key whose weight is asked for."""
    sort: str
    """By what they are sorted; of the other numbers, none stands in the table on the screen."""

    @property
    def farthest(self) -> HeadSummary:
        """The head whose pattern differs most from chance; of equal ones the first."""
        return min(self.summaries, key=lambda each: (-each.pattern.above_chance, each.head))

    @property
    def weights(self) -> list[float | None]:
        """The pair's weight in each head; nothing where the mask hides it."""
        if self.pair is None or not self.visible:
            return [None] * len(self.summaries)
        return [weight_of(self.selected, each, self.pair) for each in self.summaries]

    @property
    def visible(self) -> bool:
        """False where the mask hides the pair's key from its query."""
        return bool(self.selected.attention.visible_QK[self.pair or (0, 0)])

    @property
    def named_pair(self) -> str:
        """The pair as people read it."""
        query, key = self.pair or (0, 0)
        queries = query_tokens(self.selected.inspection, self.selected.kind)
        return f"{isolated(queries[query].text)} → {isolated(self.keys[key].text)}"

    @property
    def keys(self) -> Sequence[Token]:
        """The tokens that can be looked at."""
        return key_tokens(self.selected.inspection, self.selected.kind)


def weight_of(selected: Selection, summary: HeadSummary, pair: Pair) -> float:
    """Return the weight of a pair in a head."""
    query, key = pair
    return float(selected.inspection.weights_of(summary.head)[query, key])


def columns(shown: HeadTable) -> dict[str, Sequence[object]]:
    """Return what stands in the rows: name of a column, in files too → values."""
    summaries, found = shown.summaries, _pronoun_head(shown.selected)
    return {
        "layer": [each.head.layer for each in summaries],
        "head": [each.head.index for each in summaries],
        **({PAIR: shown.weights} if shown.pair else {}),
        "does": [_does(shown, each, found) for each in summaries],
        "in_rows": [_percents(each, each.pattern.share) for each in summaries],
        "by_chance": [_percents(each, each.pattern.chance) for each in summaries],
        "entropy": [each.entropy for each in summaries],
        "distance": [each.distance for each in summaries],
        "largest": [each.confidence for each in summaries],
    }


def faint(shown: HeadTable) -> dict[str, Sequence[bool]]:
    """Return name of a column → True for the patterns that do not prevail."""
    found = _pronoun_head(shown.selected)
    grey = [not each.pattern.prevails for each in shown.summaries]
    known = [found is not None and each.head == found.head for each in shown.summaries]
    does = [faded and not is_known for faded, is_known in zip(grey, known, strict=True)]
    return {"does": does, "in_rows": grey, "by_chance": grey}


def _percents(summary: HeadSummary, share: float) -> float | None:
    """Return a share for a column; nothing where no row has anything to share."""
    return None if summary.pattern.name in ("even", "none") else 100 * share


def writers() -> dict[str, Callable[[float], str]]:
    """Return what writes the numbers of the columns."""
    two = partial(number, digits=2)
    share = partial(percent_of_100, decimals=1)
    return {
        PAIR: partial(number, digits=3),
        **{"in_rows": share, "by_chance": share},
        **{"entropy": two, "distance": two, "largest": two},
    }


def column_config(shown: HeadTable) -> dict[str, ColumnConfig | None]:
    """Return how the columns are written."""
    numeric, text = st.column_config.NumberColumn, st.column_config.TextColumn
    away = _("How many tokens away the keys are, weighted; mean over the rows.")
    if not shown.selected.kind.is_self:
        away += " " + _("Counted from the place that is as far along in the source.")
    bits = _("Of a row's weights in bits, mean over the rows: 0 for one key, 3 for eight alike.")
    pair = _("The weight of this pair; nothing where the mask hides it.")
    rows = _("The share of the rows whose largest weight is there.")
    if shown.selected.whole_words:
        rows = _("The share of the rows whose weight is there farthest above an even spread.")
    chance = _("The same share for a head that picks any token that it may see.")
    largest = _("The largest weight of a row, mean over the rows.")
    asked = {
        "entropy": numeric(_("bits"), width=54, help=bits),
        "distance": numeric(_("distance"), width=76, help=away),
        "largest": numeric(_("largest"), width=68, help=largest),
    }
    kept = {"entropy": {"entropy", "largest"}, "distance": {"distance"}}.get(shown.sort, set())
    return {
        MARK: text(_("colour"), width=50, help=_("The head's colour in every picture")),
        "layer": numeric(_("layer"), width=46),
        "head": numeric(_("head"), width=46),
        PAIR: numeric(shown.named_pair, width=104, help=pair),
        "does": text(_("what its largest weights have in common"), width=470),
        "in_rows": numeric(_("in rows"), width=72, help=rows),
        "by_chance": numeric(_("by chance"), width=78, help=chance),
        **{name: config if name in kept else None for name, config in asked.items()},
    }


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
    template = _("looks at {target}") if pattern.prevails else _("varies; most often {target}")
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
        rows=_("steps from row to row") if pattern.name == "forward" else _("its rows"),
        hits=number(pattern.hits),
        n=number(pattern.rows),
        chance=percent(pattern.chance),
    )


def _pronoun_head(selected: Selection) -> PronounHead | None:
    """Return the head of the kind that finds antecedents better than any rule, if one does.

    Of a sentence without a pronoun that says nothing.
    """
    if pin.pronoun(selected.opened, selected.inspection) is None:
        return None
    found = best_pronoun_head(selected.opened.run, selected.kind)
    return found if found is not None and found.beats_baseline else None


def _does(shown: HeadTable, each: HeadSummary, found: PronounHead | None) -> str:
    """Return what a head does: its pattern here, and what was measured on other sentences."""
    here = short(each, shown.keys, whole_words=shown.selected.whole_words)
    if found is None or each.head != found.head:
        return here
    return _("{here}; in tests finds antecedents ({share} of {n})").format(
        here=here, share=percent(found.score), n=amounts.pronouns(found.n)
    )


def _unit(whole_words: bool) -> str:
    return _("word") if whole_words else _("token")


def _target(pattern: Pattern, keys: Sequence[Token], cross: bool, unit: str) -> str:
    if pattern.name == "token":
        key = keys[pattern.at]
        if key.special:
            return key.text
        return _("“{token}” (position {at})").format(token=key.text, at=number(pattern.at))
    if pattern.name == "offset":
        named = (_in_the_source if cross else _beside)(pattern.at)
    elif pattern.name == "near":
        named = _("the source {unit} of the same position ± 1")
    else:
        named = (
            _("the source {unit} of the same text") if cross else _("another {unit} of its text")
        )
    return named.format(n=number(abs(pattern.at)), unit=unit)


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
