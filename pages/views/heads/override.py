"""The view "override": one row of one head looks where it is told to."""

from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.effects.interventions import BeforeAfter
from core.analysis.effects.overriding import moved, override_outcome
from core.analysis.effects.weight_shift import (
    StepChange,
    rewired,
    step_changes,
    suggested_move,
)
from core.heads import Head
from core.model import Override
from pages.frame import address, cached, controls, lesson, notes, opening, session
from pages.frame.components import matrices
from pages.frame.lesson import Explanation
from pages.frame.opening import Opened
from pages.frame.selection import Looked, key_tokens, query_tokens
from pages.frame.text import _, plain
from pages.views.heads import warnings
from pages.views.heads.override_pictures import (
    Moved,
    before_and_after_of,
    chances,
    columns_of,
    map_of,
)
from pages.views.heads.override_words import before_and_after, say
from viz.charts.number_tables import three_digits

MOVE, HOW = "move", "moved"
"""In the URL: "encoder.self,row,key", and how much of the row is moved."""
LARGEST, EVERYTHING = "largest weight", "all weight"
MAP, PAIR = "override_map", "override_row"
_HIDDEN = _(
    "**{row}** may not look at **{key}**: the mask hides it, so no weight can go there. Choose a "
    "cell that is not hatched."
)
_FORMULA = r"""
\tilde\alpha_{ij} = \begin{cases} 0 & j = \arg\max_k \alpha_{ik} \\
\alpha_{ij} + \max_k \alpha_{ik} & j = \text{the chosen key} \\ \alpha_{ij} & \text{else}
\end{cases} \qquad \text{or} \qquad \tilde\alpha_{ij} = [\,j = \text{the chosen key}\,]
"""


def draw(opened: Opened) -> None:
    """Draw a head's map, a row of it before and after a move, and what the model then writes."""
    looked, how = _ask(opened)
    move = _chosen_move(looked)
    if move is None:
        st.info(_("No row of this head may look at more than one token: nothing can be moved."))
        return
    shown = Moved(looked, *move)
    run, inspection = opened.run, looked.inspection
    warnings.draw([("", notes.about_map(run, inspection, looked.head))])
    if looked.attention.visible_QK[move]:
        _draw_result(shown, how)
    else:
        st.markdown(_HIDDEN.format(**_names(shown)))
        # In the place that it has beside a result, so that it stays and keeps the focus.
        with _columns()[0]:
            _draw_map(shown)
    _explain()


def _draw_result(shown: Moved, how: str) -> None:
    """Draw what the move does."""
    looked, weights_K = shown.looked, shown.weights_K
    visible_K = looked.attention.visible_QK[shown.row]
    after_K = rewired(weights_K, shown.key, visible_K, everything=how == EVERYTHING)
    where = (looked.opened.sentence, looked.head, shown.row, after_K)
    with st.spinner(_("Translating with the row moved …"), show_time=False):
        found = cached.of_run(override_outcome, looked.opened.path, *where)
        changes = cached.of_run(step_changes, looked.opened.path, *where)
    unmoved = np.array_equal(after_K, weights_K)
    say(_said(_names(shown), how, unmoved=unmoved), before_and_after(found))
    left, right = _columns()
    with left:
        _draw_map(shown)
    with right:
        on_pick = partial(_take_move, PAIR, looked.kind, shown.row)
        matrices(before_and_after_of(shown, after_K), key=PAIR, on_pick=on_pick)
        if changes:
            chances(changes)
        st.caption(_measured(found, changes))
    if changes:
        lesson.numbers("override", columns_of(changes))


def _columns() -> list[DeltaGenerator]:
    return st.columns([11, 9], gap="medium")


def _draw_map(shown: Moved) -> None:
    on_pick = partial(_take_move, MAP, shown.looked.kind, shown.row)
    matrices(map_of(shown), key=MAP, on_pick=on_pick)


def _ask(opened: Opened) -> tuple[Looked, str]:
    """Ask which head, and how much of a row's weight is moved."""
    inspection = opened.inspection
    kinds = list(dict.fromkeys(site.attention for site in inspection.attention))
    with st.container(horizontal=True, vertical_alignment="center"):
        kind = controls.kind(kinds, opening.default_kind(opened.run), then=opening.open_other_kind)
        layer, head = controls.layer_and_head(
            len(inspection.sites_of(kind)),
            opened.run.settings.model.n_heads,
            opening.default_head(opened.run, kind),
        )
        st.caption(_("move"), width="content")
        amounts = controls.words([LARGEST, EVERYTHING])
        how = controls.choice(_("How much is moved"), HOW, amounts, LARGEST)
    looked = Looked(
        opened=opened,
        inspection=inspection,
        whole_words=False,
        head=Head(kind.site(layer), head),
    )
    return looked, how


def _chosen_move(looked: Looked) -> tuple[int, int] | None:
    """Return the row and the key that the URL names, or those that say most about the head."""
    kind, *places = (address.linked(MOVE) or "").split(",")
    shape = looked.weights_QK.shape
    # Long numbers are no positions either, and cost time to read.
    if (
        kind == looked.kind
        and len(places) == 2
        and all(p.isdecimal() and len(p) < 7 for p in places)
    ):
        row, key = map(int, places)
        if row < shape[0] and key < shape[1]:
            return row, key
    task = looked.opened.task
    pronouns = frozenset() if task is None else task.pronouns
    tokens = query_tokens(looked.inspection, looked.kind)
    preferred = [at for at, token in enumerate(tokens) if token.text.lower() in pronouns]
    return suggested_move(looked.weights_QK, looked.attention.visible_QK, preferred)


def _take_move(element: str, kind: str, row: int) -> None:
    """Take over the cell that was chosen: of the map, or of the row before and after."""
    component: Any = session.held(element, None)
    if pick := dict(component.pick or {}):
        chosen = pick["row"] if element == MAP else row
        address.choose({MOVE: f"{kind},{chosen},{pick['column']}"})


def _names(shown: Moved) -> dict[str, str]:
    """Return what row and keys are called; a decoder's row by what is fed and what is predicted."""
    looked = shown.looked
    queries = query_tokens(looked.inspection, looked.kind)
    keys = key_tokens(looked.inspection, looked.kind)
    row = queries[shown.row].text
    if looked.kind.query_side == "target":
        row = f"{row} → {looked.inspection.predicted_tokens[shown.row].text}"
    return {
        "row": plain(row),
        "key": plain(keys[shown.key].text),
        "from_key": plain(keys[int(shown.weights_K.argmax())].text),
    }


def _said(names: dict[str, str], how: str, *, unmoved: bool) -> str:
    if unmoved:
        text = _(
            "**{row}** looks most at **{key}** already: nothing is moved. Click another cell of "
            "its row."
        )
    elif how == EVERYTHING:
        text = _("**{row}** is made to look at **{key}**, and at nothing else.")
    else:
        text = _("**{row}** is made to look at **{key}** instead of **{from_key}**.")
    return text.format(**names)


def _measured(found: BeforeAfter, changes: tuple[StepChange, ...]) -> str:
    """Say how much changes, and what both models were fed."""
    if changes:
        first = _("{changed} of {n} steps change by 0.01 or more, EOS counted.")
    else:
        first = _("No step of {n} changes by 0.01 or more: here the model does not need this look.")
    said = [
        first,
        _("Both models are fed what the unchanged one writes; its loss: {before} → {after} nats."),
        _("One sentence is an observation, not a law (n = 1)."),
    ]
    return " ".join(said).format(
        n=len(found.before.reference),
        changed=len(changes),
        before=three_digits(found.before.loss),
        after=three_digits(found.after.loss),
    )


def _explain() -> None:
    lesson.explained(
        Explanation(
            formula=_FORMULA,
            tries=(
                _(
                    "translate-guided, “it” from animal to street: *il* becomes *elle*. What this "
                    "head looks at is what the model goes by."
                ),
                _(
                    "Move “it” to other words: “did” and “cross” have no gender, and make *elle* "
                    "all the same; “because” does not. A head brings more than one fact."
                ),
                _(
                    "Encoder layer 1, head 1: “it” moved to the street makes *elle* too, and "
                    "nobody guided that head. No other head of the encoder can do it."
                ),
                _(
                    "The model translate: no head of its encoder makes *elle* by this move. What "
                    "it knows of “it” does not hang on one row."
                ),
                _(
                    "Cross-attention: let a row look at another noun. A row is a place in what is "
                    "written, whatever words stand there after the change."
                ),
            ),
            code=(rewired, moved, Override, override_outcome, step_changes),
        )
    )
