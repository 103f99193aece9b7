"""Override one row of one head's weights, and read what the model then writes."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from core.heads import Head
from core.model import Override
from core.runs.run import Run
from core.studies.effects.ablation import BeforeAfter, unchanged
from core.studies.effects.overriding import (
    WeightMove,
    move_weight,
    nouns_of,
    rewired,
    suggested_move,
)
from core.tasks.translation.names import FUNCTION_WORDS
from core.tokenizer.tokenizer import Token
from pages.frame import clicks, components, notes, selection, session
from pages.frame.charts import chart
from pages.frame.language import _, number, plain
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, key_axis, query_axis
from pages.frame.session import positions
from pages.frame.typography import show_translations, written_name
from pages.frame.view import Shown
from pages.views.heads import named_heads
from pages.views.heads.translations import before_and_after, chances, most_changed
from viz.component.standalone import Drawn
from viz.plane.matrices import Matrices, Matrix

MOVE = "move"
"""In the URL: "encoder.self,row,key"."""
MAP = "override_map"


def draw(opened: Opened) -> Shown | None:
    """Draw a head's map with one row moved, and what the model then writes."""
    with st.container(horizontal=True, vertical_alignment="center"):
        head = selection.ask_head(opened.run)
    move = _chosen_move(opened, head)
    if move is None:
        st.info(_("No row of this head may look at more than one token: nothing can be moved."))
        return None
    named_heads.warn(notes.about_map(opened.run, opened.inspection, head))
    before = Recipe(unchanged, opened.writer, opened.sentence, opened.inspecting)
    recipe = Recipe(move_weight, opened.writer, opened.inspecting, before, head, *move)
    shown = recipe.result()
    left, right = st.columns([11, 9], gap="medium")
    with left:
        text = _("**Click a cell**, of “{row}” for example: the row’s largest weight moves there.")
        st.markdown(text.format(row=plain(shown.queries[shown.query].text)))
        picture = _draw_map(opened, shown)
    pictures = [picture]
    if shown.override:
        with right:
            show_translations(before_and_after(shown.override, opened.run))
            pictures.append(chart(chances(shown.override)))
    return Shown(
        name=f"override_{head.site}.{head.index}",
        title=_("What changes when one row of a head looks elsewhere"),
        recipe=recipe,
        seen=_seen(opened, shown),
        code=(rewired, Override),
        pictures=pictures,
        about={"head": notes.site_and_head(head)},
    )


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
    # Without a pronoun, a row of “the” or of a full stop would say little.
    preferred = preferred or [at for at, token in enumerate(tokens) if _is_content_word(token)]
    # Its other nouns say more than words that no pronoun stands for, and words more than marks.
    known = head.kind.key_side == "source" and opened.task is not None
    nouns = Recipe(nouns_of, opened.writer, opened.sentence).result() if known else ()
    keys = inspection.tokens_of(head.kind.key_side)
    nouns = nouns or tuple(
        at for at, key in enumerate(keys) if not key.special and key.text.strip().isalpha()
    )
    visible_QK = inspection.attention[head.site].visible_QK
    return suggested_move(weights_QK, visible_QK, preferred, nouns)


def _is_content_word(token: Token) -> bool:
    """Say whether a token seems to be a word with a meaning of its own: neither “la” nor “the”."""
    word = token.text.strip().casefold()
    return not token.special and word.isalpha() and len(word) > 2 and word not in FUNCTION_WORDS


def _draw_map(opened: Opened, shown: WeightMove) -> Drawn:
    """Draw the head's map as it is changed: the cell is framed to which weight is moved."""
    inspection, kind = opened.inspection, shown.head.kind
    panel = Matrix(
        title=_("{head}, after the change").format(head=notes.site_and_head(shown.head)),
        values=shown.changed_QK,
        visible=shown.visible_QK,
        rows=replace(query_axis(inspection, kind), differs=(shown.query,)),
        columns=key_axis(inspection, kind),
        note=_("The changed row is underlined."),
        value_name=_("weight"),
    )
    picture = Matrices(panels=[panel], selected=(0, shown.query, shown.key))
    return components.show(picture, key=MAP, on_pick=partial(_take_move, kind))


def _take_move(kind: str) -> None:
    """Take over the cell that was clicked."""
    if pick := clicks.picked(MAP):
        session.choose({MOVE: f"{kind},{pick['row']},{pick['column']}"})


def _seen(opened: Opened, shown: WeightMove) -> str:
    """Say in Markdown where the row is made to look, and what that changes."""
    text = _("“{row}” is made to look at “{key}” instead of “{from_key}”. {result}")
    if shown.override is None:
        text = _(
            "“{row}” may not look at “{key}”: the mask hides it, so no weight can go there. "
            "Choose a cell that is not hatched."
        )
    elif not shown.is_moved:
        text = _("“{row}” looks most at “{key}” already. Click another cell of its row.")
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


def _result(found: BeforeAfter, run: Run) -> str:
    """Say whether what is written changes, and which of its words most."""
    text = _("The {translation} **changes**: {most}")
    if found.same_text:
        text = _("The {translation} **stays**: {most}")
    return text.format(translation=written_name(run), most=most_changed(found))
