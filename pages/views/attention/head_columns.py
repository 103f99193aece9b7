"""What the table of heads shows of each, and how its columns are written."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from core.analysis.heads.summaries import HeadSummary, Pair
from core.tokenizer import Token
from pages.frame.selection import Looked, key_tokens, query_tokens
from pages.frame.text import _
from pages.views.attention import head_words

MARK = " "
"""Name of the column with the heads' colours."""
PAIR = "pair"


@dataclass(frozen=True, slots=True)
class Shown:
    """What the table shows."""

    looked: Looked
    summaries: Sequence[HeadSummary]
    """From the top to the bottom of the table."""
    pair: Pair | None
    """The query and the key whose weight is asked for."""

    @property
    def weights(self) -> list[float | None]:
        """The pair's weight in each head; nothing where the mask hides it."""
        if self.pair is None or not self.visible:
            return [None] * len(self.summaries)
        return [weight_of(self.looked, each, self.pair) for each in self.summaries]

    @property
    def visible(self) -> bool:
        """False where the mask hides the pair's key from its query."""
        return bool(self.looked.attention.visible_QK[self.pair or (0, 0)])

    @property
    def named_pair(self) -> str:
        """The pair as people read it."""
        query, key = self.pair or (0, 0)
        queries = query_tokens(self.looked.inspection, self.looked.kind)
        return f"{queries[query].text} → {self.keys[key].text}"

    @property
    def keys(self) -> Sequence[Token]:
        """The tokens that can be looked at."""
        return key_tokens(self.looked.inspection, self.looked.kind)


def weight_of(looked: Looked, summary: HeadSummary, pair: Pair) -> float:
    """Return the weight of a pair in a head."""
    query, key = pair
    return float(looked.inspection.weights_of(summary.head)[query, key])


def columns(shown: Shown) -> dict[str, Sequence[object]]:
    """Return what stands in the rows."""
    summaries = shown.summaries
    unit = shown.looked.whole_words
    return {
        _("layer"): [each.head.layer for each in summaries],
        _("head"): [each.head.index for each in summaries],
        **({PAIR: shown.weights} if shown.pair else {}),
        _("does"): [head_words.short(each, shown.keys, whole_words=unit) for each in summaries],
        _("in rows"): [_percents(each, each.pattern.share) for each in summaries],
        _("by chance"): [_percents(each, each.pattern.chance) for each in summaries],
        _("entropy"): [each.entropy for each in summaries],
        _("distance"): [each.distance for each in summaries],
        _("largest"): [each.confidence for each in summaries],
    }


def _percents(summary: HeadSummary, share: float) -> float | None:
    """Return a share for a column; nothing where no row has anything to share."""
    return None if summary.pattern.name in ("even", "none") else 100 * share


def column_config(shown: Shown) -> dict[str, ColumnConfig | None]:
    """Return how the columns are written."""
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    away = _("How many tokens away the keys are, weighted; mean over the rows.")
    if not shown.looked.kind.is_self:
        away += " " + _("Counted from the place that is as far along in the source.")
    bits = _("Of a row's weights in bits, mean over the rows: 0 for one key, 3 for eight alike.")
    pair = _("The weight of this pair; nothing where the mask hides it.")
    rows = _("The share of the rows whose largest weight is there.")
    chance = _("The same share for a head that picks any key it may see.")
    largest = _("The largest weight of a row, mean over the rows.")
    return {
        MARK: text(width=28, help=_("The head's colour in every picture")),
        _("layer"): number(width=54),
        _("head"): number(width=54),
        PAIR: number(shown.named_pair, format="%.3f", width=104, help=pair),
        _("does"): text(_("what its largest weights have in common"), width=330),
        _("in rows"): number(format="%.1f %%", width=72, help=rows),
        _("by chance"): number(format="%.1f %%", width=78, help=chance),
        _("entropy"): number(_("bits"), format="%.2f", width=54, help=bits),
        _("distance"): number(format="%.2f", width=76, help=away),
        _("largest"): number(format="%.2f", width=68, help=largest),
    }
