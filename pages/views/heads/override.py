"""Make one row of one head look where it is told to, and read what the model then writes."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.heads import Head, Kind
from core.model import Override
from core.runs.run import Run
from core.studies.effects.overriding import (
    StepChange,
    most_changed,
    moved,
    override_outcome,
    rewired,
    step_changes,
    suggested_move,
)
from core.tokenizer.tokenizer import Token
from pages.frame import address, cached, clicks, controls, notes, opening, tables
from pages.frame.components import matrices
from pages.frame.language import N_, _, n_, number, percent, plain
from pages.frame.listed import joined
from pages.frame.opening import Opened
from pages.frame.positions import positions
from pages.frame.selection import ask_kind, ask_layer_and_head, key_tokens, query_tokens
from pages.frame.translations import say, written
from pages.frame.view import Shown
from pages.views.heads import moved_row, named_heads
from pages.views.heads.moved_row import Moved, Result
from pages.views.heads.translations import before_and_after
from viz.charts.frames import runs_table
from viz.component.standalone import Drawn
from viz.direction import isolated
from viz.plane.matrices import Matrices

MOVE, HOW = "move", "moved"
"""In the URL: "encoder.self,row,key", and how much of the row is moved."""
LARGEST, EVERYTHING = "largest", "all"
MAP, PAIR = "override_map", "override_row"
_FORMULA = r"""
\tilde\alpha_{ij} = \begin{cases} 0 & j = \arg\max_k \alpha_{ik} \\
\alpha_{ij} + \max_k \alpha_{ik} & j = \text{the chosen key} \\ \alpha_{ij} & \text{else}
\end{cases} \qquad \text{or} \qquad \tilde\alpha_{ij} = [\,j = \text{the chosen key}\,]
"""
TRIES = (
    N_(
        "translate-guided, “it” from animal to street: *il* becomes *elle*. What this "
        "head looks at is what the model goes by."
    ),
    N_(
        "translate-guided, “it” to other words: “did” and “because” have no gender, and "
        "make *elle* all the same; “cross” does not. A head brings more than one fact."
    ),
    N_(
        "translate-guided, any other head of the encoder: “it” moved to the street changes "
        "nothing. The head that was guided is the only one that the pronoun hangs on."
    ),
    N_(
        "The model translate: no head of its encoder makes *elle* by this move. What "
        "it knows of “it” does not hang on one row."
    ),
    N_(
        "Cross-attention: let a row look at another noun. A row is a place in what is "
        "written, whatever words stand there after the change."
    ),
)


def draw(opened: Opened) -> Shown | None:
    """Draw a head's map, a row of it before and after a move, and what the model then writes."""
    head, how = _ask(opened)
    move = _chosen_move(opened, head)
    if move is None:
        st.info(_("No row of this head may look at more than one token: nothing can be moved."))
        return None
    shown = Moved(opened, head, *move)
    named_heads.warn([("", notes.about_map(opened.run, opened.inspection, head))])
    result = _moved(shown, how) if shown.visible_K[shown.key] else None
    if result:
        pictures = _draw_result(shown, result)
    else:
        # In the place that it has beside a result, so that it stays and keeps the focus.
        with _columns()[0]:
            pictures = [_draw_matrices(moved_row.map_of(shown), MAP, shown)]
    return Shown(
        name=f"override_{head.site}.{head.index}",
        title=_("What changes when one row of a head looks elsewhere"),
        numbers=lambda: moved_row.numbers(shown, result),
        python=moved_row.python_of(shown, result, everything=how == EVERYTHING),
        seen=_seen(shown, how, result),
        code=(rewired, moved, Override, override_outcome, step_changes),
        pictures=pictures,
        about={"head": notes.site_and_head(head)},
        formula=_FORMULA,
        tries=[_(each) for each in TRIES],
    )


def _ask(opened: Opened) -> tuple[Head, str]:
    """Ask which head, and how much of a row's weight is moved."""
    inspection = opened.inspection
    kinds = list(dict.fromkeys(site.attention for site in inspection.attention))
    with st.container(horizontal=True, vertical_alignment="center"):
        kind = ask_kind(kinds, opening.default_kind(opened.run), then=opening.open_other_kind)
        layer, head = ask_layer_and_head(
            len(inspection.sites_of(kind)),
            opened.run.settings.model.n_heads,
            opening.default_head(opened.run, kind),
        )
        st.caption(_("move"), width="content")
        amounts = {LARGEST: _("largest weight"), EVERYTHING: _("all weight")}
        older = {"largest weight": LARGEST, "all weight": EVERYTHING}
        how = controls.choice(_("How much is moved"), HOW, amounts, LARGEST, older=older)
    return Head(kind.site(layer), head), how


def _chosen_move(opened: Opened, head: Head) -> tuple[int, int] | None:
    """Return the row and the key that the URL names, or those that say most about the head."""
    inspection, weights_QK = opened.inspection, opened.inspection.weights_of(head)
    kind, _comma, cell = (address.linked(MOVE) or "").partition(",")
    match positions(cell, *weights_QK.shape):
        case (row, key) if kind == head.kind:
            return row, key
    pronouns = frozenset() if opened.task is None else opened.task.pronouns
    tokens = query_tokens(inspection, head.kind)
    preferred = [at for at, token in enumerate(tokens) if token.text.lower() in pronouns]
    return suggested_move(weights_QK, inspection.attention[head.site].visible_QK, preferred)


def _take_move(element: str, kind: Kind, row: int) -> None:
    """Take over the cell that was chosen: of the map, or of the row before and after."""
    if pick := clicks.picked(element):
        chosen = pick["row"] if element == MAP else row
        address.choose({MOVE: f"{kind},{chosen},{pick['column']}"})


def _moved(shown: Moved, how: str) -> Result:
    weights_K = shown.weights_QK[shown.row]
    after_K = rewired(weights_K, shown.key, shown.visible_K, everything=how == EVERYTHING)
    own = shown.opened.inspection.translation
    where = (shown.opened.sentence, shown.head, shown.row, after_K, own)
    return Result(
        after_K,
        cached.of_run(override_outcome, shown.opened.path, *where),
        cached.of_run(step_changes, shown.opened.path, *where),
    )


def _draw_result(shown: Moved, result: Result) -> list[Drawn]:
    changed = _is_moved(shown, result)
    say(before_and_after(result.found, shown.opened.run, changed=changed))
    left, right = _columns()
    with left:
        pictures = [_draw_matrices(moved_row.map_of(shown), MAP, shown)]
    with right:
        row = moved_row.before_and_after(shown, result.after_K)
        pictures.append(_draw_matrices(row, PAIR, shown))
        if result.changes:
            _draw_chances(result.changes)
        if measured := _measured(shown, result):
            st.caption(measured)
    return pictures


def _columns() -> list[DeltaGenerator]:
    return st.columns([11, 9], gap="medium")


def _draw_matrices(picture: Matrices, element: str, shown: Moved) -> Drawn:
    on_pick = partial(_take_move, element, shown.kind, shown.row)
    return matrices(picture, key=element, on_pick=on_pick)


def _draw_chances(changes: Sequence[StepChange]) -> None:
    """Show how probable the tokens of the changed steps are, before and after."""
    # As narrow as to be seen whole beside the map in a narrow window.
    share = partial(
        st.column_config.ProgressColumn,
        min_value=0.0,
        max_value=1.0,
        format=tables.beside_bars(),
        width=80,
    )
    explained = _("Probability, after the same words.")
    st.dataframe(
        runs_table([line for change in changes for line in _lines(change)]),
        hide_index=True,
        column_config={
            "token": _("step, token"),
            "before": share(_("p before"), help=explained),
            "after": share(_("p after"), help=explained),
        },
    )


def _lines(change: StepChange) -> list[Mapping[str, object]]:
    """Return the token that was written, and the one that takes its place."""
    tokens = [(change.token, change.before, change.after)]
    if change.other is not None:
        tokens.append((change.other, change.other_before, change.other_after))
    return [
        {"token": f"{change.step} {isolated(token.text)}", "before": before, "after": after}
        for token, before, after in tokens
    ]


def _numbered(tokens: Sequence[Token], at: int) -> str:
    """Return a token's text in Markdown, with its position where the text comes more than once."""
    text = plain(tokens[at].text)
    if sum(each.text == tokens[at].text for each in tokens) == 1:
        return text
    return _("{token} (position {at})").format(token=text, at=number(at))


def _names(shown: Moved) -> dict[str, str]:
    """Return what row and keys are called; a decoder's row by what is fed and what is predicted."""
    inspection = shown.opened.inspection
    queries, keys = (tokens(inspection, shown.kind) for tokens in (query_tokens, key_tokens))
    row = _numbered(queries, shown.row)
    if shown.kind.query_side == "target":
        row = f"{row} → {plain(inspection.predicted_tokens[shown.row].text)}"
    return {
        "row": row,
        "key": _numbered(keys, shown.key),
        "from_key": _numbered(keys, int(shown.weights_QK[shown.row].argmax())),
    }


def _seen(shown: Moved, how: str, result: Result | None) -> str:
    """Say in Markdown where the row is made to look, and what that changes."""
    if result is None:
        text = _(
            "**{row}** may not look at **{key}**: the mask hides it, so no weight can go there. "
            "Choose a cell that is not hatched."
        )
    elif not _is_moved(shown, result):
        text = _(
            "**{row}** looks most at **{key}** already: nothing is moved. Click another cell of "
            "its row."
        )
    elif how == EVERYTHING:
        text = _("**{row}** is made to look at **{key}**, and at nothing else. {result}")
    else:
        text = _("**{row}** is made to look at **{key}** instead of **{from_key}**. {result}")
    return text.format(**_names(shown), result=_result(result, shown.opened.run) if result else "")


def _is_moved(shown: Moved, result: Result) -> bool:
    return not np.array_equal(result.after_K, shown.weights_QK[shown.row])


def _result(result: Result, run: Run) -> str:
    """Say whether what is written changes, and which of its words most."""
    if not result.changes:
        stays, changes = _("The {translation} stays."), _("The {translation} **changes**.")
    else:
        stays = _("The {translation} stays: **{token}** {before} → **{after}**.")
        changes = _("The {translation} **changes**: **{token}** {before} → **{after}**.")
    text = stays if result.found.same_text else changes
    if not result.changes:
        return text.format(translation=written(run))
    most = most_changed(result.changes)
    before, after = percent(most.before), percent(most.after)
    return text.format(
        translation=written(run), token=plain(most.token.text), before=before, after=after
    )


def _measured(shown: Moved, result: Result) -> str:
    """Say how much changes, and what both models were fed; nothing of what was not moved."""
    if not _is_moved(shown, result):
        return ""
    if result.changes:
        first = n_(
            "{changed} of {n} steps changes by 0.01 or more, EOS counted.",
            "{changed} of {n} steps change by 0.01 or more, EOS counted.",
            len(result.changes),
        )
    else:
        first = _("No step of {n} changes by 0.01 or more: here the model does not need this look.")
    said = [
        first,
        _("Both models are fed what the unchanged one writes; its loss: {before} → {after} nats."),
        _("One sentence is an observation, not a law (n = 1)."),
    ]
    return joined(said).format(
        n=number(len(result.found.before.reference)),
        changed=number(len(result.changes)),
        before=number(result.found.before.loss),
        after=number(result.found.after.loss),
    )
