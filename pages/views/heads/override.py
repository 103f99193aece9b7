"""Make one row of one head look where it is told to, and read what the model then writes."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.heads import Head
from core.model import Override
from core.runs.run import Run
from core.studies.effects.overriding import (
    RowOverride,
    StepChange,
    WeightMove,
    most_changed,
    move_weight,
    rewired,
    suggested_move,
)
from core.tokenizer.tokenizer import Token
from pages.frame import clicks, controls, notes, selection, session
from pages.frame.components import matrices
from pages.frame.language import _, joined, n_, number, percent, plain
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, key_axis, query_axis, query_labels
from pages.frame.session import positions
from pages.frame.typography import show_translations, written_name
from pages.frame.view import Shown
from pages.views.heads import named_heads
from pages.views.heads.translations import before_and_after
from viz.charts.frames import runs_table
from viz.component.payload import TokenLabel
from viz.component.standalone import Drawn
from viz.direction import isolated
from viz.plane.matrices import Axis, Matrices, Matrix

MOVE, HOW = "move", "moved"
"""In the URL: "encoder.self,row,key", and how much of the row is moved."""
LARGEST, EVERYTHING = "largest", "all"
MAP, PAIR = "override_map", "override_row"


def draw(opened: Opened) -> Shown | None:
    """Draw a head's map, a row of it before and after a move, and what the model then writes."""
    head, how = _ask(opened)
    move = _chosen_move(opened, head)
    if move is None:
        st.info(_("No row of this head may look at more than one token: nothing can be moved."))
        return None
    named_heads.warn([("", notes.about_map(opened.run, opened.inspection, head))])
    recipe = Recipe(move_weight, opened.path, opened.sentence, head, *move, how == EVERYTHING)
    shown = recipe.result()
    if shown.override:
        show_translations(before_and_after(shown.override, opened.run, changed=shown.is_moved))
    left, right = st.columns([11, 9], gap="medium")
    with left:
        pictures = [_draw_matrices(_map(opened, shown), MAP, shown)]
    if shown.override and shown.after_K is not None:
        with right:
            row = _before_and_after(opened, shown, shown.after_K)
            pictures.append(_draw_matrices(row, PAIR, shown))
            if shown.override.changes:
                _draw_chances(shown.override.changes)
            if shown.is_moved:
                st.caption(_measured(shown.override))
    return Shown(
        name=f"override_{head.site}.{head.index}",
        title=_("What changes when one row of a head looks elsewhere"),
        recipe=recipe,
        seen=_seen(opened, shown, how),
        code=(rewired, Override),
        pictures=pictures,
        about={"head": notes.site_and_head(head)},
    )


def _ask(opened: Opened) -> tuple[Head, str]:
    """Ask which head, and how much of a row's weight is moved."""
    with st.container(horizontal=True, vertical_alignment="center"):
        head = selection.ask_head(opened)
        st.caption(_("move"), width="content")
        amounts = {LARGEST: _("largest weight"), EVERYTHING: _("all weight")}
        older = {"largest weight": LARGEST, "all weight": EVERYTHING}
        how = controls.choice(_("How much is moved"), HOW, amounts, LARGEST, older=older)
    return head, how


def _chosen_move(opened: Opened, head: Head) -> tuple[int, int] | None:
    """Return the row and the key that the URL names, or those that say most about the head."""
    inspection, weights_QK = opened.inspection, opened.inspection.weights_of(head)
    kind, _comma, cell = (session.linked(MOVE) or "").partition(",")
    match positions(cell, *weights_QK.shape):
        case (row, key) if kind == head.kind:
            return row, key
    pronouns = frozenset() if opened.task is None else opened.task.pronouns
    tokens = inspection.tokens_of(head.kind.query_side)
    preferred = [at for at, token in enumerate(tokens) if token.text.lower() in pronouns]
    return suggested_move(weights_QK, inspection.attention[head.site].visible_QK, preferred)


def _draw_matrices(picture: Matrices, element: str, shown: WeightMove) -> Drawn:
    return matrices(picture, key=element, on_pick=partial(_take_move, element, shown))


def _take_move(element: str, shown: WeightMove) -> None:
    """Take over the cell that was chosen: of the map, or of the row before and after."""
    if pick := clicks.picked(element):
        row = pick["row"] if element == MAP else shown.query
        session.choose({MOVE: f"{shown.head.kind},{row},{pick['column']}"})


def _map(opened: Opened, shown: WeightMove) -> Matrices:
    """Return the head's map, the cell framed to which weight is moved."""
    inspection, kind = opened.inspection, shown.head.kind
    panel = Matrix(
        title=notes.site_and_head(shown.head),
        values=shown.weights_QK,
        visible=shown.visible_QK,
        rows=replace(query_axis(inspection, kind), differs=(shown.query,)),
        columns=key_axis(inspection, kind),
        note=_("Choose a cell: its row is made to look there. The chosen row is underlined."),
        value_name=_("weight"),
    )
    return Matrices(panels=[panel], selected=(0, shown.query, shown.key))


def _before_and_after(opened: Opened, shown: WeightMove, after_K: NDArray[np.float32]) -> Matrices:
    """Return the row as it is, and as it is made."""
    label = query_labels(opened.inspection, shown.head.kind)[shown.query]
    panel = Matrix(
        title=_("The row of “{row}”, before and after").format(row=label.text),
        values=np.stack([shown.weights_QK[shown.query], after_K]),
        visible=np.stack([shown.visible_QK[shown.query]] * 2),
        rows=Axis(name=_("row"), labels=(TokenLabel(_("before")), TokenLabel(_("after")))),
        columns=key_axis(opened.inspection, shown.head.kind),
        value_name=_("weight"),
    )
    return Matrices(panels=[panel], selected=(0, 1, shown.key))


def _draw_chances(changes: Sequence[StepChange]) -> None:
    """Show how probable the tokens of the changed steps are, before and after."""
    share = partial(
        st.column_config.ProgressColumn,
        min_value=0.0,
        max_value=1.0,
        # In per cent, as the browser's language has it.
        format="percent",
        # As narrow as to be seen whole beside the map in a narrow window.
        width=80,
        help=_("Probability, after the same words."),
    )
    rows = [
        {"token": f"{change.step} {isolated(token.text)}", "before": before, "after": after}
        for change in changes
        for token, before, after in (
            (change.token, change.before, change.after),
            (change.other, change.other_before, change.other_after),
        )
        if token is not None
    ]
    columns = {"before": share(_("p before")), "after": share(_("p after"))}
    st.dataframe(
        runs_table(rows), hide_index=True, column_config={"token": _("step, token"), **columns}
    )


def _seen(opened: Opened, shown: WeightMove, how: str) -> str:
    """Say in Markdown where the row is made to look, and what that changes."""
    if shown.override is None:
        text = _(
            "**{row}** may not look at **{key}**: the mask hides it, so no weight can go there. "
            "Choose a cell that is not hatched."
        )
    elif not shown.is_moved:
        text = _(
            "**{row}** looks most at **{key}** already: nothing is moved. Click another cell of "
            "its row."
        )
    elif how == EVERYTHING:
        text = _("**{row}** is made to look at **{key}**, and at nothing else. {result}")
    else:
        text = _("**{row}** is made to look at **{key}** instead of **{from_key}**. {result}")
    row = _numbered(shown.queries, shown.query)
    if shown.head.kind.query_side == "target":
        row = f"{row} → {plain(opened.inspection.predicted_tokens[shown.query].text)}"
    return text.format(
        row=row,
        key=_numbered(shown.keys, shown.key),
        from_key=_numbered(shown.keys, int(shown.weights_QK[shown.query].argmax())),
        result=_result(shown.override, opened.run) if shown.override else "",
    )


def _numbered(tokens: Sequence[Token], at: int) -> str:
    """Return a token's text in Markdown, with its position where the text comes more than once."""
    text = plain(tokens[at].text)
    if sum(each.text == tokens[at].text for each in tokens) == 1:
        return text
    return _("{token} (position {at})").format(token=text, at=number(at))


def _result(found: RowOverride, run: Run) -> str:
    """Say whether what is written changes, and which of its words most."""
    if not found.changes:
        text = _("The {translation} **changes**.")
        if found.same_text:
            text = _("The {translation} stays.")
        return text.format(translation=written_name(run))
    text = _("The {translation} **changes**: **{token}** {before} → **{after}**.")
    if found.same_text:
        text = _("The {translation} stays: **{token}** {before} → **{after}**.")
    most = most_changed(found.changes)
    return text.format(
        translation=written_name(run),
        token=plain(most.token.text),
        before=percent(most.before),
        after=percent(most.after),
    )


def _measured(found: RowOverride) -> str:
    """Say how many steps change, and what the model was fed."""
    first = _("No step of {n} changes by 0.01 or more: here the model does not need this look.")
    if found.changes:
        first = n_(
            "{changed} of {n} steps changes by 0.01 or more, EOS counted.",
            "{changed} of {n} steps change by 0.01 or more, EOS counted.",
            len(found.changes),
        )
    said = [
        first,
        _("Both models are fed what the unchanged one writes; its loss: {before} → {after} nats."),
        _("One sentence is an observation, not a law (n = 1)."),
    ]
    return joined(said).format(
        n=number(len(found.before.reference)),
        changed=number(len(found.changes)),
        before=number(found.before.loss),
        after=number(found.after.loss),
    )
