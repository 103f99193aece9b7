"""All that is known of one head: where it points most, its roles, and what silencing it costs."""

import streamlit as st

from core.heads import Head
from core.runs.run import RunError
from core.studies.effects.head_report import N_PAIRS, HeadReport
from core.studies.effects.text_cost import HeadCost, cost_of_head
from core.studies.heads.card import HeadCard, HeadRow, Target, head_card, histogram, strongest
from core.studies.heads.likeness import head_likeness
from core.studies.heads.roles import N_SENTENCES, roles_of_heads
from core.studies.heads.text_roles import text_roles
from pages.frame import cached, card_link, charts, notes, selection, snippets
from pages.frame.folded import fold
from pages.frame.language import N_, _, n_, number, percent, plain
from pages.frame.listed import joined
from pages.frame.maps import labels
from pages.frame.opening import Opened
from pages.frame.view import Shown, saying_why
from pages.views.heads import card_findings, card_map, card_text, named_heads
from pages.views.heads.text_roles_own import offer_text
from viz.charts.curves import Chart
from viz.charts.histogram import Mark
from viz.charts.histogram import histogram as histogram_chart
from viz.charts.token_strips import TokenStrip, token_strips
from viz.component.standalone import Drawn
from viz.direction import isolated

_BESIDE = 8
"""A map of more heads in a layer needs the whole width."""
_FORMULA = (
    r"m_i = \max_j w_{ij}, \qquad \bar m_{\mathrm{uniform}} = "
    r"\frac{1}{n} \sum_{i} \frac{1}{|V_i|}, \qquad "
    r"V_i: \text{keys that row } i \text{ may see}, \ |V_i| \ge 2"
)
_HOW_TO_READ = N_(
    """
- **All heads**: a tile for each head of this kind of attention with its leading role (“·”: none);
  its colour is the mean largest weight of a row. A click opens its card.
- **Where it points most**: the sentences with the largest weights, at most one row of
  each. Before the strip stands who looks; below every token its weight in colour, 0 to 1. The
  decoder's rows say what was fed ▸ what is to be written.
- **Most frequent pairs**: a token, and the one with its largest weight, in how many rows. In
  cross-attention the token is the one to be written, in the decoder's self-attention the one fed.
- Both leave out what says little: EOS, BOS, punctuation and, in self-attention, the same token.
- **Largest weight of a row**: all rows, also those. The dashed line is where a head would be on
  average whose rows are uniform.
- A **role** is the share of rows whose largest weight lies where the role wants it, beside the best
  rule without a model. Only roles that beat theirs are named here.
- A role is a hypothesis; **silencing** the head is a test.
- **Pronouns** are counted in the run's evaluation where it has them, as on the maps: it reads more
  sentences than the other figures, and so their n is larger.
- **Most alike**: 1 for a head that always has the same weights, 0 for one that never looks at the
  same key; each opens its card.
"""
)
TRIES = (
    N_("Open the brightest tile, then the darkest: which has a role?"),
    N_("Open the head that is most alike: does it point at the same tokens?"),
    N_("A head with a clear role may cost nothing when it is silenced: another takes over."),
)


@saying_why(RunError)
def draw(opened: Opened) -> Shown | None:
    """Draw the map of cards, and the card of the chosen head."""
    with st.container(horizontal=True, vertical_alignment="center"):
        head = selection.ask_head(opened)
        about = st.container(width="content")
        named_heads.link_to_map(opened, head)
        # Others are measured all at once, on “silence”.
        cost = (
            card_text.ask_cost(opened, head)
            if not opened.run.settings.model.is_encoder_decoder
            else None
        )
        if opened.run.settings.is_opened:
            offer_text(opened)
    known = _known(opened, head, cost)
    about.caption(card_findings.measured(opened.run, known.card), width="content")
    if not known.card.n_rows:
        st.info(_("No row of these sentences sees two tokens or more: there is nothing to choose."))
        return None
    pictures = _draw(opened, known)
    alone = not opened.run.settings.model.is_encoder_decoder
    return Shown(
        name=f"card_{head.kind}_{head.layer}_{head.index}",
        title=_("The card of {head}").format(head=notes.within_sentence(head)),
        numbers=known.table,
        python=_python(opened, head),
        code=(
            *(head_card, strongest, histogram, roles_of_heads, head_likeness),
            *((text_roles, cost_of_head) if alone else ()),
        ),
        seen=card_findings.seen(
            known.card,
            known.role,
            known.effect,
            untrained=opened.run.is_untrained,
            cost=card_text.cost_within_sentence(known.cost),
        ),
        pictures=pictures,
        about={"head": notes.site_and_head(head)},
        formula=_FORMULA,
        how_to_read=_(_HOW_TO_READ) + (_(card_text.HOW_TO_READ) if alone else ""),
        tries=[_(each) for each in TRIES],
    )


def _known(opened: Opened, head: Head, cost: HeadCost | None) -> HeadReport:
    alone = not opened.run.settings.model.is_encoder_decoder
    scored = cached.of_run(roles_of_heads, opened.path, N_SENTENCES).heads
    return HeadReport(
        cached.of_run(head_card, opened.path, head, N_SENTENCES),
        [each for each in scored if each.head.kind is head.kind],
        cached.of_run(head_likeness, opened.path, head.kind),
        None if alone else notes.stored(opened.run),
        card_text.on_random(opened).get(head, {}) if alone else {},
        cost,
    )


def _draw(opened: Opened, known: HeadReport) -> list[Drawn]:
    beside = opened.run.settings.model.n_heads <= _BESIDE
    above = st.columns([5, 7], gap="medium") if beside else [st.container(), st.container()]
    with above[0]:
        tiles = card_map.draw(known.heads, known.card.head)
    with above[1]:
        strips = _draw_strips(known.card)
    _say(opened, known)
    pictures = [tiles, strips]
    fold(
        _("Its most frequent pairs, and how sharply it points"),
        "card_rows",
        lambda: pictures.append(_draw_rows(known.card)),
    )
    fold(
        _("All roles, with sentences that made the scores"),
        "card_roles",
        lambda: st.markdown("\n\n".join(card_findings.every_role(known.role, known.card.examples))),
    )
    return pictures


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
        card_findings.pairs_from(card.head.kind),
        _("{share} of its rows point at another word.").format(
            share=percent(card.share(Target.WORD))
        ),
        card_findings.left_out(card),
    ]
    st.caption(joined(about))


def _chart(card: HeadCard) -> Chart:
    uniform = _("uniform: {mean}").format(mean=number(card.uniform, 2))
    return histogram_chart(
        {
            _(card_findings.TARGETS[target]): counts.tolist()
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
    roles.markdown(card_findings.roles(known.role, known.card.examples))
    if not opened.run.settings.model.is_encoder_decoder:
        if known.on_random:
            roles.markdown(card_text.roles(known.on_random))
        silenced.markdown(card_text.silenced(opened.run, known.cost))
    else:
        silenced.markdown(card_findings.silenced(known.effects, known.effect))
    with alike:
        if not known.alike:
            st.markdown(_("**Most alike:** there is no other head of its kind."))
            return
        st.markdown(_("**Most alike** (1: always the same weights)"))
        for head, likeness in known.alike:
            label = _("layer {layer}, head {head}: {likeness}").format(
                layer=head.layer, head=head.index, likeness=number(likeness, 2)
            )
            card_link.link(opened, head, label)


def _python(opened: Opened, head: Head) -> str:
    lines = [
        f"card = head_card(run, Head.parse({snippets.quoted(str(head))}), {N_SENTENCES})",
        f"pairs = [n for pair, n in card.pairs[:{N_PAIRS}]]",
        "bins = [int(n) for counts in histogram(card).values() for n in counts]",
        "numbers = {",
        '    "weight": [float(w) for row in card.strongest for w in row.weights_K],',
        '    "count": pairs + bins,',
        "}",
        "",
    ]
    imports = [
        "from core.studies.heads.card import head_card, histogram",
        "from core.heads import Head",
    ]
    return snippets.loading(opened.path, *imports) + "\n".join(lines)
