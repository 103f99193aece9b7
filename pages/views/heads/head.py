"""All that is known of one head: where it points most, its roles, and what silencing it costs."""

import streamlit as st

from core.heads import Head
from core.runs.run import RunError
from core.studies.effects.head_report import N_ALIKE, N_PAIRS, HeadReport, head_report
from core.studies.effects.measuring import stored_effects
from core.studies.effects.text_cost import cost_of_head
from core.studies.heads.card import HeadCard, HeadRow, Target, head_card, histogram, strongest
from core.studies.heads.likeness import head_likeness
from core.studies.heads.roles import roles_of_heads
from pages.frame import charts, notes, selection
from pages.frame.controls import fold
from pages.frame.language import _, joined, n_, number, percent, plain
from pages.frame.maps import labels
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown, saying_why
from pages.views.heads import head_findings, head_map, head_text, named_heads
from pages.views.heads.own_text import offer_text
from viz.charts.curves import Chart
from viz.charts.histogram import Mark
from viz.charts.histogram import histogram as histogram_chart
from viz.charts.token_strips import TokenStrip, token_strips
from viz.component.standalone import Drawn
from viz.direction import isolated

_BESIDE = 8
"""A map of more heads in a layer needs the whole width."""


@saying_why(RunError)
def draw(opened: Opened) -> Shown | None:
    """Draw all heads of a kind as tiles, and all that is known of the chosen one."""
    alone = not opened.run.settings.model.is_encoder_decoder
    with st.container(horizontal=True, vertical_alignment="center"):
        head = selection.ask_head(opened)
        about = st.container(width="content")
        named_heads.link_to_map(opened, head)
        # Others are measured all at once, on “silence”.
        with_cost = alone and head_text.ask_cost(opened)
        if opened.run.settings.is_opened:
            offer_text(opened)
    recipe = _recipe(opened, head, with_cost)
    known = recipe.result()
    about.caption(head_findings.measured(opened.run, known.card), width="content")
    if not known.card.n_rows:
        st.info(_("No row of these sentences sees two tokens or more: there is nothing to choose."))
        return None
    pictures = _draw(opened, known)
    text = view_text("heads", "head").sections
    return Shown(
        name=f"head_{head.kind}_{head.layer}_{head.index}",
        title=_("All that is known of {head}").format(head=notes.within_sentence(head)),
        recipe=recipe,
        code=(strongest, histogram),
        seen=head_findings.seen(
            known.card,
            known.role,
            known.effect,
            untrained=opened.run.is_untrained,
            cost=head_text.cost_within_sentence(known.cost),
        ),
        pictures=pictures,
        about={"head": notes.site_and_head(head)},
        how_to_read="\n".join([text["How to read"], text["Of one stack"]] if alone else []),
    )


def _recipe(opened: Opened, head: Head, with_cost: bool) -> Recipe[HeadReport]:
    path, alone = opened.path, not opened.run.settings.model.is_encoder_decoder
    measured = not alone and notes.stored(opened.run) is not None
    return Recipe(
        head_report,
        Recipe(head_card, path, head),
        Recipe(roles_of_heads, path),
        Recipe(head_likeness, path, head.kind),
        Recipe(stored_effects, path) if measured else None,
        head_text.on_random(opened) if alone else None,
        Recipe(cost_of_head, path, head) if with_cost else None,
    )


def _draw(opened: Opened, known: HeadReport) -> list[Drawn]:
    beside = opened.run.settings.model.n_heads <= _BESIDE
    above = st.columns([5, 7], gap="medium") if beside else [st.container(), st.container()]
    with above[0]:
        tiles = head_map.draw(known.heads, known.card.head)
    with above[1]:
        strips = _draw_strips(known.card)
    _say(opened, known)
    pictures = [tiles, strips]
    fold(
        _("Its most frequent pairs, and how sharply it points"),
        "head_rows",
        lambda: pictures.append(_draw_rows(known.card)),
    )
    fold(
        _("All roles, with sentences that made the scores"),
        "head_roles",
        lambda: st.markdown("\n\n".join(head_findings.every_role(known.role, known.card.examples))),
    )
    if known.alike:
        fold(
            _("Heads like it"),
            "head_alike",
            lambda: pictures.append(_draw_alike(known)),
        )
    return pictures


def _draw_alike(known: HeadReport) -> Drawn:
    """Draw all heads of its kind, alike ones near each other; a click opens one."""
    text = _("1: always the same weights; 0: never a token in common. Mean of all pairs: {mean}.")
    st.caption(text.format(mean=number(known.likeness.mean or 0.0, 2)))
    return head_map.draw_likeness(known.likeness, known.heads, known.card.head)


def _draw_rows(card: HeadCard) -> Drawn:
    """Draw what all rows look at, and how sharply."""
    pairs, sizes = st.columns(2, gap="large")
    with pairs:
        _draw_pairs(card)
    with sizes:
        return charts.chart(_chart(card))


def _draw_strips(card: HeadCard) -> Drawn:
    if card.pairs:
        n = len(card.strongest)
        st.markdown(
            n_(
                "**Its largest weight on another word**: on the left the word that looks",
                "**Its {n} largest weights on other words**: on the left the word that looks",
                n,
            ).format(n=number(n))
        )
    else:
        st.markdown(_("**Where it points most**: it never points at another word"))
    written = token_strips([_strip(row, card.head) for row in card.strongest])
    st.html(written)
    return Drawn(html=written)


def _strip(row: HeadRow, head: Head) -> TokenStrip:
    query, key = isolated(row.queries[row.query].text), row.keys[row.key].text
    weight = number(row.weight, 2)
    looks = query if row.predicted is None else f"{query} ▸ {isolated(row.predicted.text)}"
    return TokenStrip(
        looks=looks,
        said=_("{query} → {key} {weight}").format(query=looks, key=key, weight=weight),
        keys=labels(row.keys),
        weights_K=row.weights_K,
        visible_K=row.visible_K,
        most=row.key,
        written=weight,
        query=row.query if head.kind.is_self else None,
    )


def _draw_pairs(card: HeadCard) -> None:
    st.markdown(_("**Most frequent pairs**"))
    lines = [
        n_(
            "{pair} · {n} row ({share})",
            "{pair} · {n} rows ({share})",
            count,
        ).format(
            pair=_("“{query}” → “{key}”").format(query=plain(query), key=plain(key)),
            n=number(count),
            share=percent(count / card.n_rows),
        )
        for (query, key), count in card.pairs[:N_PAIRS]
    ]
    st.markdown("  \n".join(lines) or _("It never points at another word."))
    about = [
        head_findings.pairs_from(card.head.kind),
        _("{share} of its rows point at another word.").format(
            share=percent(card.share(Target.WORD))
        ),
        head_findings.left_out(card),
    ]
    st.caption(joined(about))


def _chart(card: HeadCard) -> Chart:
    uniform = _("uniform: {mean}").format(mean=number(card.uniform, 2))
    return histogram_chart(
        {
            _(head_findings.TARGETS[target]): counts.tolist()
            for target, counts in histogram(card).items()
        },
        value=_("largest weight of a row"),
        count=_("rows"),
        title=_("How sharply it points"),
        mark=Mark(card.uniform, uniform),
    )


def _say(opened: Opened, known: HeadReport) -> None:
    """Say roles, silencing and likeness, each in a column of its own."""
    roles, silenced, alike = st.columns([5, 5, 3], gap="large")
    roles.markdown(head_findings.roles(known.role, known.card.examples))
    if not opened.run.settings.model.is_encoder_decoder:
        if known.on_random:
            roles.markdown(head_text.roles(known.on_random))
        silenced.markdown(head_text.silenced(opened.run, known.cost))
    else:
        silenced.markdown(head_findings.silenced(known.effects, known.effect))
    with alike:
        if not known.alike:
            st.markdown(_("**Most alike:** there is no other head of its kind."))
            return
        st.markdown(_("**Most alike** (1: always the same weights)"))
        for head, likeness in known.alike[:N_ALIKE]:
            label = _("layer {layer}, head {head}: {likeness}").format(
                layer=head.layer, head=head.index, likeness=number(likeness, 2)
            )
            selection.link_to_head(opened, head, label)
