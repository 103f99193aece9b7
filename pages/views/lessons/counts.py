"""Where the parameters are: in the loaded model and in published ones."""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from core.config import ModelConfig
from core.config.published import PUBLISHED, Published
from core.describe import Description, describe
from core.describe.parts import Part
from core.heads import STACK_LABELS, Stack
from core.model.norm import NORM_KINDS
from core.studies.lessons.counts import Counts, published_counts
from core.studies.opening.survey import NOT_COUNTED
from pages.frame import controls, texts
from pages.frame.charts import chart
from pages.frame.language import (
    _,
    capitalised,
    labelled,
    listed,
    n_,
    number,
    percent,
    plain,
    short,
)
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, row
from pages.frame.view import Shown
from pages.views.lessons import reading, stacks
from pages.views.lessons.units import ACTIVATIONS
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity


def draw(opened: Opened) -> Shown:
    """Draw where the parameters of this model and of published ones are, or one of them."""
    with row():
        pictures = {
            "models": _("well-known models"),
            "published": _("one model in detail"),
            "reading": _("reading n tokens"),
        }
        shown = stacks.ask_picture(opened, "counts_shown", pictures)
        if shown == "published":
            names = {each.name: _(each.label) for each in PUBLISHED}
            label = _("Published model")
            name = controls.selection(
                label, "published", names, "llama-7b", width=260, labelled=False
            )
    if shown == "reading":
        return reading.draw(opened)
    recipe = Recipe(published_counts, opened.path)
    if shown == "published":
        return _published(recipe, next(each for each in PUBLISHED if each.name == name))
    found, config = recipe.result(), opened.run.settings.model
    picture = chart(_chart(found))
    if n := opened.run.settings.n_left_out:
        text = _("Not counted: {n} {what}.")
        st.caption(text.format(n=number(n), what=_(NOT_COUNTED)))
    return Shown(
        name="counts",
        title=_("Parameters by kind of part, in this model and in published ones"),
        recipe=recipe,
        seen=_seen(found),
        code=(describe, Description.by_group),
        pictures=[picture],
        formula="" if config.architecture else _count_formulas(describe(config)),
    )


def _seen(found: Counts) -> str:
    """Say which part is the largest of this model, and of how many published ones."""
    own, *others = found.groups
    part = max(own, key=lambda group: own[group])
    n_same = sum(groups.get(part, 0) == max(groups.values()) for groups in others)
    shares = [
        counted / total for counted, total in zip(found.columns[part], found.totals, strict=True)
    ]
    most = max(range(1, len(shares)), key=lambda at: shares[at])
    text = _(
        "**{share}** of {parameters} are in **{part}**: the largest part here, and in {n} of "
        "{total} published models, too (up to {other}, in {model})."
    )
    return text.format(
        part=_(part),
        share=percent(shares[0]),
        parameters=parameters(found.totals[0]),
        n=number(n_same),
        total=number(len(others)),
        model=plain(_(found.models[most])),
        other=percent(shares[most]),
    )


def _published(recipe: Recipe[Counts], published: Published) -> Shown:
    """Draw what one published model is made of, from its configuration."""
    config, label = published.config, plain(_(published.label))
    whole = describe(config)
    one = describe(
        replace(
            config,
            n_encoder_layers=min(1, config.n_encoder_layers),
            n_decoder_layers=min(1, config.n_decoder_layers),
        )
    )
    left, right = st.columns(2, gap="large")
    with left:
        picture = chart(_of_one_layer(one))
    with right:
        st.table(_facts(published, whole), border="horizontal", hide_index=True, hide_header=True)
    layers = [_layers(whole, stack) for stack in whole.stacks]
    outside = sum(part.parameters for part in whole.parts if part.layer is None)
    text = _("**{parameters}**: {layers}, and {outside} outside of the layers.")
    return Shown(
        name=f"published-{published.name}",
        title=_("{model}, counted from its configuration").format(model=_(published.label)),
        question=_("What is {model} made of?").format(model=label),
        recipe=recipe,
        seen=text.format(
            parameters=parameters(whole.parameters),
            layers=listed(layers),
            outside=_millions(outside),
        ),
        code=(describe, Description.by_group),
        pictures=[picture],
        formula=_count_formulas(whole),
    )


def _of_one_layer(one: Description) -> Chart:
    """Draw how many parameters each part of one layer has, and what is outside of the layers."""
    labels = {part.id: _(part.label) for part in one.parts}
    counted = {_name(each, labels): each.parameters / 1e6 for each in one.parts if each.parameters}
    return bars(
        {_("parameters"): list(counted.values())},
        list(counted),
        value=Quantity(_("millions of parameters"), write=short),
        title=_("One of the equal layers, and what is outside of them"),
    )


def _name(part: Part, labels: Mapping[str, str]) -> str:
    """Return what a part is called, with its stack and whether it is in a layer."""
    stack = _(STACK_LABELS[part.stack])
    place = stack if part.layer is None else _("{stack} layer").format(stack=stack)
    return _(part.title).format(place=place, part=labels[part.block or part.id])


def parameters(n: int) -> str:
    """Return a number of parameters in words.

    >>> parameters(251_968), parameters(6_738_415_616)
    ('251,968 parameters', '6,740 million parameters')
    """
    if n < 1_000_000:
        return n_("{n} parameter", "{n} parameters", n)
    millions = n / 1_000_000
    return n_("{n} million parameters", "{n} million parameters", round(millions), short(millions))


def _layers(whole: Description, stack: Stack) -> str:
    """Say how many layers a stack has, and how large one is: the last, where the first has more."""
    n = whole.stacks[stack]
    last = sum(
        part.parameters for part in whole.parts if (part.stack, part.layer) == (stack, n - 1)
    )
    text = n_("{n} {stack} layer of {size}", "{n} {stack} layers of {size} each", n)
    return text.format(stack=_(STACK_LABELS[stack]), size=_millions(last))


def _millions(n: int) -> str:
    return _("{n} million").format(n=short(n / 1e6))


def _facts(published: Published, whole: Description) -> dict[str, list[str]]:
    config = published.config
    facts = {
        _("parameters counted from its configuration"): number(whole.parameters),
        _("parameters as published"): number(published.parameters),
        _("heads"): _heads(config),
        _("norms"): _norm(config),
        _("positions"): _positions(config),
        _("feed-forward"): _feed_forward(config),
    }
    return {_("what"): list(facts), _("how"): [plain(each) for each in facts.values()]}


def _heads(config: ModelConfig) -> str:
    heads = n_("{n} of width {d_k}", "{n} of width {d_k}", config.n_heads).format(
        d_k=number(config.d_k)
    )
    if config.n_key_value_sets == config.n_heads:
        return heads
    sets = n_("{n} set of keys and values", "{n} sets of keys and values", config.n_key_value_sets)
    return listed([heads, sets])


def _norm(config: ModelConfig) -> str:
    kind = NORM_KINDS[config.norm_kind].__name__
    if config.norm == "pre":
        return _("{kind} before each sublayer").format(kind=kind)
    return _("{kind} after each sublayer").format(kind=kind)


def _positions(config: ModelConfig) -> str:
    words: Mapping[str, str] = texts.toml("settings")["words"]
    return words.get(config.positions, config.positions)


def _feed_forward(config: ModelConfig) -> str:
    name = _(ACTIVATIONS[config.activation])
    return capitalised(_("{name}, gated").format(name=name)) if config.gated else name


def _chart(found: Counts) -> Chart:
    series = {
        _(group): [count / total for count, total in zip(counts, found.totals, strict=True)]
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
        value=Quantity(_("share of the parameters"), share=True),
        title=_("Parameters by kind of part (M: million)"),
        drawn="stacked",
    )


def _count_formulas(described: Description) -> str:
    """Return how many numbers a part of each group learns, in LaTeX."""
    found = {part.group: part.count for part in described.parts if part.count}
    counts = (rf"\text{{{labelled(_(group), '')}}} {count}" for group, count in found.items())
    return r", \qquad ".join(counts)
