"""The growing prefix that decoding feeds, and the mask with which training does it in one pass."""

from collections.abc import Sequence

import numpy as np

from core.model.masks import causal_mask
from core.studies.lessons.masks import PrefixCheck, compare_prefixes
from core.tokenizer.tokenizer import Token
from pages.frame import cached, snippets
from pages.frame.components import matrices
from pages.frame.files import stacked
from pages.frame.language import _, n_, number
from pages.frame.listed import joined
from pages.frame.maps import labels
from pages.frame.opening import Opened
from pages.frame.rounding import bound
from pages.frame.view import Columns, Shown
from viz.plane.matrices import Axis, Matrices, Matrix, numbered

LONGEST = 24
"""So many steps of a table can be read."""


def draw(opened: Opened) -> Shown:
    """Draw the decoder's inputs step by step, beside the mask that stands in for them."""
    fed = opened.inspection.fed_tokens
    shown = fed[:LONGEST]
    picture = matrices(_table_and_mask(shown), key="prefix_maps")
    translation = opened.inspection.translation
    fed_ids = translation.fed_ids[:LONGEST]
    found = cached.of_model(compare_prefixes, opened.path, translation.source_ids, fed_ids)
    return Shown(
        name="prefixes",
        title=_("What the decoder is fed step by step, and what one masked pass lets it see"),
        numbers=lambda: _numbers(shown, found),
        seen=_said(found, len(fed)),
        python=_python(opened),
        code=(causal_mask, compare_prefixes),
        pictures=[picture],
        formula=r"""p(y_{i+1} \mid \mathrm{BOS}, y_1 \dots y_i) \quad\text{is row } i
        \text{ of one pass over}\quad \mathrm{BOS}\; y_1 \dots y_n""",
        tries=(
            _("Rest the pointer on a row: the same words are visible on both sides."),
            _(
                "Type a longer sentence: step by step, the work grows with the square of the "
                "length."
            ),
        ),
    )


def _table_and_mask(tokens: Sequence[Token]) -> Matrices:
    """Return what is fed at each step, from BOS on, and what each row of the mask shows."""
    n = len(tokens)
    past_TT = causal_mask(n).numpy()
    rows = Axis(name=_("step: the last word fed"), labels=labels(tokens), side="target")
    texts = [token.text for token in tokens]
    table = Matrix(
        title=_("The prefix fed at each step"),
        values=past_TT.astype(np.float32),
        visible=past_TT,
        rows=rows,
        columns=numbered(_("position"), n),
        scale="mask",
        value_name=_("fed"),
        texts=[[*texts[: row + 1], *[""] * (n - row - 1)] for row in range(n)],
        hidden=_("not yet written"),
    )
    mask = Matrix(
        title=_("One masked pass: what each row may look at"),
        values=past_TT.astype(np.float32),
        visible=past_TT,
        rows=rows,
        columns=Axis(name=_("key: the word looked at"), labels=labels(tokens), side="target"),
        scale="mask",
        hidden_value="0",
        value_name=_("may look"),
    )
    return Matrices(panels=[table, mask])


def _said(check: PrefixCheck, n_all: int) -> str:
    """Return what the passes over the prefixes cost, and that they give the same."""
    n = check.positions_together
    said = [
        n_(
            "One by one the {n} prefix costs **{alone}** decoder position, in one masked pass "
            "**{together}**. Every logit of the {n} row is the same, within {difference}.",
            "One by one the {n} prefixes cost **{alone}** decoder positions, in one masked pass "
            "**{together}**. Every logit of the {n} rows is the same, within {difference}.",
            n,
        ).format(
            n=number(n),
            alone=number(check.positions_alone),
            together=number(check.positions_together),
            difference=bound(check.largest_difference),
        )
    ]
    if n_all > n:
        shown = n_(
            "Shown is the first {n} of {all} steps.", "Shown are the first {n} of {all} steps.", n
        )
        said.append(shown.format(n=number(n), all=number(n_all)))
    return joined(said)


def _numbers(tokens: Sequence[Token], found: PrefixCheck) -> Columns:
    """Return which word is fed at each step, and what the passes cost.

    In both pictures a cell is 1 where its word was written by then, 0 where it was not.
    """
    steps, places = np.indices((len(tokens), len(tokens))).reshape(2, -1).tolist()
    cells: Columns = {
        "row": steps,
        "row_token": [tokens[step].text for step in steps],
        "column": places,
        "column_token": [tokens[place].text for place in places],
        "fed": causal_mask(len(tokens)).double().reshape(-1).tolist(),
    }
    cost: Columns = {
        "positions_alone": [found.positions_alone],
        "positions_together": [found.positions_together],
        "largest_difference": [found.largest_difference],
    }
    return stacked(cells, cost)


def _python(opened: Opened) -> str:
    begun = snippets.translating(
        opened.path,
        opened.sentence,
        "from core.studies.lessons.masks import compare_prefixes",
        "from core.model.masks import causal_mask",
    )
    return begun + "\n".join(
        [
            f"fed_ids = translation.fed_ids[:{LONGEST}]",
            "cost = compare_prefixes(run.model, translation.source_ids, fed_ids)",
            "numbers = [",
            "    causal_mask(len(fed_ids)).numpy(),",
            "    cost.positions_alone,",
            "    cost.positions_together,",
            "    cost.largest_difference,",
            "]",
            "",
        ]
    )
