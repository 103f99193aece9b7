"""All that is known of one head: examples, what it writes, its roles, what silencing it costs."""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

import numpy as np
import streamlit as st

from core.heads import Head
from core.studies.attribution.logit_terms import direct_effect
from core.studies.effects.head_report import (
    N_ALIKE,
    HeadReport,
    HeadRow,
    head_card,
    head_likeness,
    head_report,
    strata,
)
from core.studies.effects.measuring import stored_effects
from core.studies.effects.text_cost import cost_of_head
from core.studies.heads.roles import roles_of_heads
from core.tokenizer.tokenizer import Token
from pages.frame import controls, notes, selection
from pages.frame.language import _, labelled, listed_apart, number, plain
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.heads import head_findings, head_map, head_text, named_heads, role_names
from pages.views.heads.own_text import offer_text
from viz.charts.token_strips import TokenStrip, token_strips
from viz.component.payload import TokenLabel
from viz.component.standalone import Drawn
from viz.direction import isolated

_BESIDE = 8
"""A map of more heads in a layer needs the whole width."""
EXAMPLE = "example"
"""In the link: of which example it is shown what the head writes."""


def draw(opened: Opened) -> Shown | None:
    """Draw all heads of a kind as tiles, and all that is known of the chosen one."""
    alone = not opened.run.settings.model.is_encoder_decoder
    with selection.row():
        head = selection.ask_head(opened.run)
        named_heads.link_to_map(opened, head)
        # Others are measured all at once, on “silence”.
        with_cost = alone and head_text.ask_cost(opened)
        if opened.run.settings.is_opened:
            offer_text(opened)
    recipe = _recipe(opened, head, with_cost)
    known = recipe.result()
    if not known.card.strata:
        st.info(_("No row of these sentences sees two tokens or more: there is nothing to choose."))
        return None
    text = view_text("heads", "head").sections
    name = notes.within_sentence(head)
    return Shown(
        name=f"head_{head.kind}_{head.layer}_{head.index}",
        title=_("All that is known of {head}").format(head=name),
        question=_("What do we know about {head}?").format(head=name),
        recipe=recipe,
        code=(strata, direct_effect),
        seen=head_findings.seen(
            known.role,
            known.effect,
            untrained=opened.run.is_untrained,
            cost=head_text.cost_within_sentence(known.cost),
        ),
        pictures=_draw(opened, known),
        about={"head": notes.site_and_head(head)},
        how_to_read="\n".join(
            [
                text["How to read"],
                *([text["Of one stack"]] if alone else []),
                head_findings.measured(opened.run, known.role),
            ]
        ),
    )


def _recipe(opened: Opened, head: Head, with_cost: bool) -> Recipe[HeadReport]:
    path, alone = opened.path, not opened.run.settings.model.is_encoder_decoder
    measured = not alone and notes.stored(opened.run) is not None
    return Recipe(
        head_report,
        Recipe(head_card, path, head, Recipe(roles_of_heads, path)),
        Recipe(head_likeness, path, head.kind),
        Recipe(stored_effects, path) if measured else None,
        head_text.on_random(opened) if alone else None,
        Recipe(cost_of_head, path, head) if with_cost else None,
    )


def _draw(opened: Opened, known: HeadReport) -> list[Drawn]:
    beside = opened.run.settings.model.n_heads <= _BESIDE
    columns = st.columns([8, 5], gap="medium") if beside else [st.container(), st.container()]
    with columns[0]:
        strips = _draw_strips(known)
        _say(opened, known)
        _say_written(opened, known)
    with columns[1]:
        tiles = head_map.draw(known.heads, known.card.head)
        _link_to_alike(opened, known)
    return [strips, tiles]


def _draw_strips(known: HeadReport) -> Drawn:
    strips = [_strip(row, known.card.head) for row in known.card.strata]
    text, role = _("**Examples**, from the largest weight to the smallest"), ""
    if leading := known.role.leading:
        text = _("**Examples**, from the most weight on “{role}” to the least")
        role = role_names.named(leading, known.role)
    st.markdown(text.format(role=role))
    written = token_strips(strips)
    st.html(written)
    return Drawn(html=written)


def _strip(row: HeadRow, head: Head) -> TokenStrip:
    """Return a row between words: the weights of the pieces of a word are added."""
    queries, keys = _words(row.queries), _words(row.keys)
    at = [place for place, tokens in enumerate(keys) for _token in tokens]
    own = [place for place, tokens in enumerate(queries) for _token in tokens][row.query]
    weights_K = np.bincount(at, row.weights_K).astype(np.float32)
    most = int(weights_K.argmax())
    looks, key = (isolated(_text(tokens)) for tokens in (queries[own], keys[most]))
    weight = number(float(weights_K[most]), 2)
    if row.predicted is not None:
        looks = f"{looks} ▸ {isolated(row.predicted.text)}"
    return TokenStrip(
        looks=looks,
        description=_("{query} → {key} {weight}").format(query=looks, key=key, weight=weight),
        keys=[TokenLabel(_text(each), special=each[0].special) for each in keys],
        weights_K=weights_K,
        visible_K=np.bincount(at, row.visible_K) > 0,
        most=most,
        written=weight,
        query=own if head.kind.is_self else None,
    )


def _say_written(opened: Opened, known: HeadReport) -> None:
    """Say which next tokens the head promotes and suppresses in one of the examples."""
    rows = known.card.strata
    if rows[0].written is None:
        if known.card.head.site.in_encoder and opened.run.settings.model.is_encoder_decoder:
            st.markdown(
                _(
                    "**What it writes**: no word. An encoder head changes the output only through "
                    "cross-attention."
                )
            )
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_("**What it writes**, in logits, where the next token is"), width="content")
        offered = {at: each.predicted.text for at, each in enumerate(rows) if each.predicted}
        row = rows[controls.choice(_("example"), EXAMPLE, offered, 0)]
    if row.written is None or row.predicted is None:
        return
    lines = [
        (_("this token"), [(row.predicted, row.written.on_target)]),
        (_("promotes most"), row.written.promoted),
        (_("suppresses most"), row.written.suppressed),
    ]
    st.markdown("\n".join(f"- {labelled(what, _effects(named))}" for what, named in lines))


def _effects(named: Sequence[tuple[Token, float]]) -> str:
    return listed_apart(
        _("**{token}** {effect}").format(
            token=plain(token.text), effect=number(effect, 2, signed=True)
        )
        for token, effect in named
    )


def _words(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the tokens, those of one word together."""
    return [list(of_word) for _word, of_word in groupby(tokens, attrgetter("word"))]


def _text(tokens: Sequence[Token]) -> str:
    return "".join(each.text for each in tokens)


def _say(opened: Opened, known: HeadReport) -> None:
    """Say roles and silencing, each in a column of its own."""
    roles, silenced = st.columns([2, 3], gap="medium")
    roles.markdown(head_findings.roles(known.role))
    if opened.run.settings.model.is_encoder_decoder:
        silenced.markdown(head_findings.silenced(known.effects, known.effect))
        return
    if known.on_random:
        roles.markdown(head_text.roles(known.on_random))
    silenced.markdown(head_text.silenced(opened.run, known.cost))


def _link_to_alike(opened: Opened, known: HeadReport) -> None:
    """Name the most similar heads, each with a link to its card."""
    if not known.alike:
        st.markdown(_("**Most similar heads:** there is no other head of its kind."))
        return
    st.markdown(_("**Most similar heads** (1: the same weights)"))
    for head, likeness in known.alike[:N_ALIKE]:
        label = _("layer {layer}, head {head}: {likeness}").format(
            layer=head.layer, head=head.index, likeness=number(likeness, 2)
        )
        selection.link_to_head(opened, head, label)
