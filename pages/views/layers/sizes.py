"""Published models without their weights: what each is made of, and where its parameters are."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from core.config import ModelConfig
from core.describe import Description, describe
from core.families.published import PUBLISHED, Published
from core.heads import STACK_LABELS
from core.model.norm import NORM_KINDS
from pages.frame import address, clicks, controls
from pages.frame.architecture import drawing
from pages.frame.charts import chart
from pages.frame.components import architecture
from pages.frame.language import N_, _, capitalised, n_, number, percent, plain
from pages.frame.listed import joined, listed
from pages.frame.opening import Opened
from pages.frame.snippets import importing
from pages.frame.view import Columns, Shown
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity

WHICH, PART, DIAGRAM = "published", "published_part", "published_diagram"
FEW = 10
"""So many times as large is said with a decimal."""
LENGTH = 16
"""Tokens in each stack of the drawing."""
POSITIONS = {
    "sinusoidal": N_("sinusoids, added to the tokens"),
    "halves": N_("sinusoids, all sines first, added to the tokens"),
    "learned": N_("learned, added to the tokens"),
    "buckets": N_("learned for distances, added to the scores"),
    "rotary": N_("rotary: queries and keys are turned"),
    "none": N_("none"),
}
ACTIVATIONS = {
    "relu": N_("ReLU"),
    "gelu": N_("GELU"),
    "gelu_tanh": N_("GELU by tanh"),
    "silu": N_("SiLU"),
}
TIED = {
    "all": N_("all embeddings and the output are one matrix"),
    "target": N_("target embedding and output are one matrix"),
    "embeddings": N_("both embeddings are one matrix, the output has its own"),
    "none": N_("every embedding and the output have their own matrix"),
}


def draw(opened: Opened) -> Shown:
    """Draw a published model with one part chosen, and tell what makes it what it is."""
    by_name = {each.name: each for each in PUBLISHED}
    with st.container(horizontal=True, vertical_alignment="center"):
        labels = {name: _(each.label) for name, each in by_name.items()}
        name = controls.selection(_("Published model"), WHICH, labels, PUBLISHED[2].name, width=260)
    published = by_name[name]
    described = describe(published.config, LENGTH, LENGTH)
    address.belongs_to(PART, name)
    part = address.value(
        PART, lambda text: text if text in described.ids else None, described.sublayers[0].id
    )
    left, right = st.columns(2, gap="large")
    with left:
        picture = architecture(drawing(described, part), key=DIAGRAM, on_pick=partial(_take, name))
    with right:
        st.table(_facts(published), border="horizontal", hide_index=True, hide_header=True)
        shares = chart(_chart())
    own = describe(opened.run.settings.model, 1, 1).parameters
    return Shown(
        name=f"size-{name}",
        title=_("{model}: what it is made of").format(model=_(published.label)),
        seen=_seen(published, described, own),
        numbers=_numbers,
        python=_PYTHON,
        code=(describe, Description.by_group),
        pictures=[picture, shares],
        formula=described.part(part).formula,
        tries=(
            _("BERT has no decoder, GPT-2 and LLaMA no encoder: what is left of the drawing?"),
            _("T5 small beside LLaMA 7B: where are most parameters, and why?"),
            _("LLaMA 3: how many heads share one set of keys and values?"),
        ),
    )


def _take(name: str) -> None:
    """Take over the part that was clicked in the drawing."""
    if pick := clicks.picked(DIAGRAM):
        address.choose({WHICH: name, PART: pick["part"]})


def _seen(published: Published, described: Description, own: int) -> str:
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
        _("positions"): _(POSITIONS[config.positions]),
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


def _groups() -> dict[str, Mapping[str, int]]:
    """Return for each model how many parameters each kind of part has."""
    return {_(each.label): describe(each.config, 1, 1).by_group() for each in PUBLISHED}


def _chart() -> Chart:
    found = _groups()
    names = list(next(iter(found.values())))
    return bars(
        {
            _(group): [each[group] / sum(each.values()) for each in found.values()]
            for group in names
        },
        list(found),
        value=Quantity(_("share of the parameters"), share=True),
        title=_("Where the parameters of published models are"),
        drawn="stacked",
    )


def _numbers() -> Columns:
    found = _groups()
    names = list(next(iter(found.values())))
    return {
        "model": list(found),
        **{group: [each[group] for each in found.values()] for group in names},
        "published": [each.parameters for each in PUBLISHED],
        "source": [each.source for each in PUBLISHED],
    }


_PYTHON = (
    importing(
        "from core.families.published import PUBLISHED",
        "from core.describe import describe",
    )
    + "\n"
    + "groups = [describe(each.config, 1, 1).by_group() for each in PUBLISHED]\n"
    + "numbers = {group: [each[group] for each in groups] for group in groups[0]}\n"
)
