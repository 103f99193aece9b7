"""Where the parameters are: in the loaded model, in the paper's models, in published ones."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from core.config import ModelConfig
from core.describe import Description, describe
from core.families.published import PUBLISHED, Published
from core.heads import STACK_LABELS
from core.model.norm import NORM_KINDS
from core.model.positional import POSITION_LABELS
from core.studies.lessons.counts import Counts, paper_counts, published_counts
from core.studies.opening.survey import NOT_COUNTED
from pages.frame import clicks, controls, selection, session
from pages.frame.charts import chart
from pages.frame.components import architecture
from pages.frame.language import (
    N_,
    _,
    capitalised,
    joined,
    labelled,
    listed,
    n_,
    number,
    percent,
    plain,
)
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from pages.views.lessons import stacks
from pages.views.lessons.architecture import drawing
from pages.views.lessons.embedding import TIED
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity

WHICH, PART, DIAGRAM = "published", "published_part", "published_diagram"
FEW = 10
"""Models up to this many times as large are compared with a decimal."""
LENGTH = 16
"""Tokens in each stack of the drawing."""
ACTIVATIONS = {
    "relu": N_("ReLU"),
    "gelu": N_("GELU"),
    "gelu_tanh": N_("GELU by tanh"),
    "silu": N_("SiLU"),
}


def draw(opened: Opened) -> Shown:
    """Draw where the parameters of the loaded model and of others are."""
    with selection.row():
        pictures = {"paper": _("the paper’s models"), "published": _("published models")}
        shown = stacks.ask_picture(opened, "counts_shown", pictures)
        share = controls.toggle(_("as shares"), "share", shown == "published")
        if shown == "published":
            labels = {each.name: _(each.label) for each in PUBLISHED}
            name = controls.selection(
                _("Published model"), WHICH, labels, PUBLISHED[2].name, width=260, labelled=False
            )
    if shown == "published":
        return _published(opened, next(each for each in PUBLISHED if each.name == name), share)
    recipe = Recipe(paper_counts, opened.path)
    found = recipe.result()
    drawn = chart(_chart(found, share))
    st.caption(
        _(
            "The paper's models with a joint vocabulary of 41,000 pieces, with which all ten "
            "counts published for base, B and C come out; “big” fits neither this nor the 37,000 "
            "usually quoted. Perplexity and BLEU are the paper's, on newstest2013."
        )
    )
    if opened.run.settings.is_opened:
        st.caption(_("Not counted: {what}.").format(what=_(NOT_COUNTED)))
    with st.expander(_("The whole table")):
        st.table(_table(found), border="horizontal", hide_index=True)
    return Shown(
        name="counts",
        title=_("Parameters of this model and of the paper's, by kind of part"),
        recipe=recipe,
        seen=_seen(found),
        code=(describe, Description.by_group),
        pictures=[drawn],
        formula=_count_formulas(describe(opened.run.settings.model, 1, 1)),
    )


def _seen(found: Counts) -> str:
    """Say how large this model is beside the paper's first one, and where most of it is."""
    own, base = found.totals[:2]
    most = max(found.groups[0], key=lambda name: found.groups[0][name])
    return _(
        "This model has **{own}** parameters, {share} of the paper's {base}; most are in "
        "**{part}**: {part_share}."
    ).format(
        own=number(own),
        share=percent(own / base),
        base=plain(found.models[1]),
        part=_(most),
        part_share=percent(found.groups[0][most] / own),
    )


def _chart(found: Counts, share: bool) -> Chart:
    series = {
        _(group): [
            count / (total if share else 1e6)
            for count, total in zip(counts, found.totals, strict=True)
        ]
        for group, counts in found.columns.items()
    }
    return bars(
        series,
        [found.models[0], *(_(each) for each in found.models[1:])],
        value=Quantity(_("share of the parameters"), share=True)
        if share
        else Quantity(_("millions of parameters")),
        title=_("Parameters by kind of part"),
        drawn="stacked",
    )


def _table(found: Counts) -> Mapping[str, list[str]]:
    also = found.also

    def written(name: str, decimals: int) -> list[str]:
        return ["" if each is None else number(each, decimals) for each in also[name]]

    return {
        _("model"): [plain(found.models[0]), *found.models[1:]],
        _("millions"): [number(total / 1e6, 1) for total in found.totals],
        _("published"): written("published_millions", 0),
        _("perplexity"): written("perplexity", 2),
        "BLEU": written("BLEU", 1),
        _("dropout"): [number(each, padded=False) for each in also["dropout"]],
        "ε_ls": [number(each, padded=False) for each in also["label_smoothing"]],
        _("training steps"): [number(each) for each in also["steps"]],
    }


def _count_formulas(described: Description) -> str:
    """Return how many numbers a part of each group learns, in LaTeX."""
    found = {part.group: part.count for part in described.parts if part.count}
    counts = (rf"\text{{{labelled(_(group), '')}}} {count}" for group, count in found.items())
    return r", \qquad ".join(counts)


def _published(opened: Opened, published: Published, share: bool) -> Shown:
    recipe = Recipe(published_counts, opened.path)
    found = recipe.result()
    described = describe(published.config, LENGTH, LENGTH)
    session.belongs_to(PART, published.name)
    part = session.value(
        PART, lambda text: text if text in described.ids else None, described.sublayers[0].id
    )
    left, right = st.columns(2, gap="large")
    with left:
        take = partial(_take, published.name)
        pictures = [architecture(drawing(described, part), key=DIAGRAM, on_pick=take)]
    with right:
        st.table(_facts(published), border="horizontal", hide_index=True, hide_header=True)
        pictures.append(chart(_chart(found, share)))
    return Shown(
        name=f"size-{published.name}",
        title=_("{model}: what it is made of").format(model=_(published.label)),
        recipe=recipe,
        seen=_compared(published, described, found.totals[0]),
        code=(describe, Description.by_group),
        pictures=pictures,
        formula=described.part(part).formula,
    )


def _take(name: str) -> None:
    """Take over the part that was clicked in the drawing."""
    if pick := clicks.picked(DIAGRAM):
        session.choose({WHICH: name, PART: pick["part"]})


def _compared(published: Published, described: Description, own: int) -> str:
    """Say how large it is, where most of it is, and how it compares with the loaded model."""
    groups, total = described.by_group(), described.parameters
    most = max(groups, key=lambda group: groups[group])
    as_published = round(total / 1e6) == round(published.parameters / 1e6)
    text = (
        _("**{model}** has **{total}** parameters, as published; most are in **{part}**: {share}.")
        if as_published
        else _("**{model}** has **{total}** parameters; most are in **{part}**: {share}.")
    )
    times = _("That is {n} times the loaded model.").format(
        n=number(round(total / own)) if total > FEW * own else number(total / own, 1)
    )
    said = text.format(
        model=plain(_(published.label)),
        total=number(total),
        part=_(most),
        share=percent(groups[most] / total),
    )
    return joined([said, times])


def _facts(published: Published) -> dict[str, list[str]]:
    config = published.config
    facts = {
        _("published by"): published.source,
        _("stacks"): listed(_stacks(config)),
        _("width"): _("{d_model}, feed-forward {d_ff}").format(
            d_model=number(config.d_model), d_ff=number(config.d_ff)
        ),
        _("heads"): _heads(config),
        _("norms"): _norm(config),
        _("positions"): _(POSITION_LABELS[config.positions]),
        _("feed-forward"): _feed_forward(config),
        _("biases"): _("yes") if config.attention_bias else _("none"),
        _("vocabulary"): number(config.vocab_size),
        _("matrices"): _(TIED[config.tied]),
    }
    return {_("what"): list(facts), _("how"): [plain(each) for each in facts.values()]}


def _stacks(config: ModelConfig) -> list[str]:
    return [
        n_("{stack} of {n} layer", "{stack} of {n} layers", config.layers_of(stack)).format(
            stack=_(STACK_LABELS[stack]), n=number(config.layers_of(stack))
        )
        for stack in config.stacks
    ]


def _heads(config: ModelConfig) -> str:
    said = n_("{n} of width {d_k}", "{n} of width {d_k}", config.n_heads).format(
        n=number(config.n_heads), d_k=number(config.d_k)
    )
    if config.n_key_value_sets == config.n_heads:
        return said
    sets = n_("{n} set of keys and values", "{n} sets of keys and values", config.n_key_value_sets)
    return listed([said, sets.format(n=number(config.n_key_value_sets))])


def _norm(config: ModelConfig) -> str:
    if config.norm_kind == "none":
        return _("none")
    kind = NORM_KINDS[config.norm_kind].__name__
    if config.norm == "pre":
        return _("{kind} before each sublayer").format(kind=kind)
    return _("{kind} after each sublayer").format(kind=kind)


def _feed_forward(config: ModelConfig) -> str:
    name = _(ACTIVATIONS[config.activation])
    return capitalised(_("{name}, gated").format(name=name)) if config.gated else name
