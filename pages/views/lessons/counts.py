"""Where the parameters are: in the loaded model, in the paper's models, in published ones."""

from functools import partial

import streamlit as st

from core.config import ModelConfig
from core.describe import Description, describe
from core.families.published import PUBLISHED, Published
from core.model.norm import NORM_KINDS
from core.model.positional import POSITION_LABELS
from core.studies.lessons.counts import Counts, paper_counts, published_counts
from core.studies.opening.survey import NOT_COUNTED
from pages.frame import clicks, controls, session
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
    plain,
    short,
)
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, row
from pages.frame.view import Shown
from pages.views.lessons import stacks
from pages.views.lessons.architecture import drawing, most, parameters
from pages.views.lessons.embedding import TIED
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity

WHICH, PART, DIAGRAM = "published", "published_part", "published_diagram"
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
    with row():
        pictures = {
            "models": _("well-known models"),
            "paper": _("the paper’s Table 3"),
            "published": _("one model in detail"),
        }
        shown = stacks.ask_picture(opened, "counts_shown", pictures)
        if shown == "published":
            labels = {each.name: _(each.label) for each in PUBLISHED}
            name = controls.selection(
                _("Published model"), WHICH, labels, PUBLISHED[2].name, width=260, labelled=False
            )
    if shown == "published":
        return _published(opened, next(each for each in PUBLISHED if each.name == name))
    return _paper(opened) if shown == "paper" else _models(opened)


def _models(opened: Opened) -> Shown:
    """Draw where the parameters of this model and of published ones are, as shares."""
    recipe = Recipe(published_counts, opened.path)
    found = recipe.result()
    picture = chart(_chart(found, share=True))
    if opened.run.settings.is_opened:
        st.caption(_("Not counted: {what}.").format(what=_(NOT_COUNTED)))
    return Shown(
        name="counts",
        title=_("Parameters by kind of part, in this model and in published ones"),
        recipe=recipe,
        seen=_seen(found),
        code=(describe, Description.by_group),
        pictures=[picture],
        formula=_count_formulas(describe(opened.run.settings.model, 1, 1)),
    )


def _seen(found: Counts) -> str:
    """Say where most parameters are, and how large this model is beside the first published one."""
    own, other = found.totals[:2]
    part, share = most(found.groups[0])
    where = _("This model has **{parameters}**. The largest part, {share}, is **{part}**.").format(
        parameters=parameters(own), part=part, share=share
    )
    beside = _("{model} has {parameters}.").format(
        model=plain(_(found.models[1])), parameters=parameters(other)
    )
    return joined([where, beside])


def _paper(opened: Opened) -> Shown:
    """Draw how many parameters the models of the paper's Table 3 have."""
    recipe = Recipe(paper_counts, opened.path)
    found = recipe.result()
    title = _("Parameters of this model and of the paper’s, by kind of part")
    picture = chart(_chart(found, share=False))
    st.caption(
        _(
            "With a joint vocabulary of 41,000 pieces, with which all ten counts published for "
            "base, B and C come out; “big” fits neither this nor the 37,000 usually quoted."
        )
    )
    n_same = found.totals[2:].count(found.totals[1])
    text = _(
        "**{n}** of the {total} variants have as many parameters as “base” ({parameters}): the "
        "number of heads, dropout and label smoothing cost none."
    )
    return Shown(
        name="paper",
        title=title,
        recipe=recipe,
        seen=text.format(
            n=number(n_same),
            total=number(len(found.models) - 2),
            parameters=parameters(found.totals[1]),
        ),
        code=(describe, Description.by_group),
        pictures=[picture],
        formula=_count_formulas(describe(opened.run.settings.model, 1, 1)),
    )


def _chart(found: Counts, *, share: bool) -> Chart:
    series = {
        _(group): [
            count / (total if share else 1e6)
            for count, total in zip(counts, found.totals, strict=True)
        ]
        for group, counts in found.columns.items()
    }
    names = [found.models[0], *(_(each) for each in found.models[1:])]
    millions = _("{model} · {n} M")
    return bars(
        series,
        [
            millions.format(model=name, n=short(total / 1e6))
            for name, total in zip(names, found.totals, strict=True)
        ],
        value=Quantity(_("share of the parameters"), share=True)
        if share
        else Quantity(_("millions of parameters")),
        title=_("Parameters by kind of part (M: million)"),
        drawn="stacked",
    )


def _count_formulas(described: Description) -> str:
    """Return how many numbers a part of each group learns, in LaTeX."""
    found = {part.group: part.count for part in described.parts if part.count}
    counts = (rf"\text{{{labelled(_(group), '')}}} {count}" for group, count in found.items())
    return r", \qquad ".join(counts)


def _published(opened: Opened, published: Published) -> Shown:
    """Draw one published model, and say what it is made of."""
    recipe = Recipe(published_counts, opened.path)
    described = describe(published.config, LENGTH, LENGTH)
    session.belongs_to(PART, published.name)
    part = session.value(
        PART, lambda text: text if text in described.ids else None, described.sublayers[0].id
    )
    left, right = st.columns(2, gap="large")
    with left:
        take = partial(_take, published.name)
        picture = architecture(drawing(described, part), key=DIAGRAM, on_pick=take)
    with right:
        st.table(_facts(published), border="horizontal", hide_index=True, hide_header=True)
    largest, share = most(described.by_group())
    own, total = recipe.result().totals[0], described.parameters
    text = _("**{model}** has **{parameters}**. The largest part, {share}, is **{part}**. {times}")
    times = _("That is {n} times this model.")
    return Shown(
        name=f"size-{published.name}",
        title=_("{model}: what it is made of").format(model=_(published.label)),
        recipe=recipe,
        seen=text.format(
            model=plain(_(published.label)),
            parameters=parameters(total),
            part=largest,
            share=share,
            times=times.format(n=short(total / own)),
        ),
        code=(describe, Description.by_group),
        pictures=[picture],
        formula=described.part(part).formula,
    )


def _take(name: str) -> None:
    """Take over the part that was clicked in the drawing."""
    if pick := clicks.picked(DIAGRAM):
        session.choose({WHICH: name, PART: pick["part"]})


def _facts(published: Published) -> dict[str, list[str]]:
    config = published.config
    facts = {
        _("heads"): _heads(config),
        _("norms"): _norm(config),
        _("positions"): _(POSITION_LABELS[config.positions]),
        _("feed-forward"): _feed_forward(config),
        _("matrices"): _(TIED[config.tied]),
    }
    return {_("what"): list(facts), _("how"): [plain(each) for each in facts.values()]}


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
