"""What each method says of each part of the source, as a map of methods × tokens or words."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from core.analysis.attribution.methods import Attribution
from core.tokenizer import Token
from pages.frame.components import matrices
from pages.frame.maps import labels
from pages.frame.text import _
from pages.views.heads import alike_cells, attribution_words, cell_numbers
from viz.charts.scaled_rows import scaled_rows
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix

MAP, CELL = "attribution_map", "attributed_cell"


@dataclass(frozen=True, slots=True)
class Parts:
    """What of a source gets a number."""

    tokens: tuple[Token, ...]
    """One for each part: a token, or a whole word."""
    words: tuple[int, ...] | None
    """Which part each of the model's tokens belongs to; None where they are the parts."""


def draw(found: Attribution, parts: Parts, word: str, unknown: frozenset[int]) -> None:
    """Draw the map, and say the number of the cell that was clicked.

    Args:
        found: What is shown.
        parts: The columns.
        word: That is asked about.
        unknown: Words of the source that training never saw.
    """
    methods = attribution_words.asked(found)
    largest = int(np.abs(found.scores[methods[0]]).argmax())
    row, column = alike_cells.linked(CELL, len(methods), len(parts.tokens)) or (0, largest)
    matrices(
        Matrices(panels=[_map(found, parts, word, unknown)], selected=(0, row, column)),
        key=MAP,
        on_pick=partial(alike_cells.take, MAP, CELL),
    )
    method, score = methods[row], float(found.scores[methods[row]][column])
    st.text(attribution_words.cell(method, parts.tokens[column].text, word, score))


def numbers(found: Attribution, parts: Parts) -> dict[str, list[object]]:
    """Return the numbers of the map in columns."""
    methods, count = attribution_words.asked(found), len(parts.tokens)
    rows = [(method, at) for method in methods for at in range(count)]
    name = "source_token" if parts.words is None else "source_word"
    return {
        "step": [len(found.said.fed_ids) - 1] * len(rows),
        "method": [str(method) for method, _at in rows],
        "source": [at for _method, at in rows],
        name: [parts.tokens[at].text for _method, at in rows],
        "score": [float(found.scores[method][at]) for method, at in rows],
        "rank_correlation": [
            "" if found.agreement.get(method) is None else found.agreement[method]
            for method, _at in rows
        ],
    }


def _map(found: Attribution, parts: Parts, word: str, unknown: frozenset[int]) -> Matrix:
    methods = attribution_words.asked(found)
    scores = [found.scores[method] for method in methods]
    title, of, notes = _("What each source token has to do with “{word}”"), _("source token"), []
    if parts.words is not None:
        title, of = _("What each source word has to do with “{word}”"), _("source word")
        notes = [attribution_words.ADDED]
    notes.append(
        _(
            "Colours: each row divided by its largest magnitude. Click a cell for its number as "
            "it is."
        )
    )
    return Matrix(
        title=title.format(word=word),
        values=scaled_rows(np.stack(scores)),
        rows=Axis(
            name=_("method"), labels=[TokenLabel(attribution_words.SHORT[m]) for m in methods]
        ),
        columns=Axis(name=of, labels=labels(parts.tokens, unknown), side="source"),
        scale="signed",
        texts=[[cell_numbers.brief(float(each)) for each in row] for row in scores],
        note=" ".join(notes),
        value_name=_("share of the row’s largest"),
    )
