"""Where the parameters are: in this model, and in every model of the paper's Table 3."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core.describe import Description, describe
from core.model.paper import TABLE_3
from core.studies.opening.survey import NOT_COUNTED
from pages.frame import controls
from pages.frame.charts import chart
from pages.frame.language import _, number, percent, plain
from pages.frame.listed import labelled
from pages.frame.opening import Opened
from pages.frame.snippets import loading
from pages.frame.view import Columns, Shown
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity

Groups = Sequence[Mapping[str, int]]
"""Of each model: kind of part → parameters."""


def draw(opened: Opened) -> Shown:
    """Show how many parameters each kind of part has, here and in the paper's models."""
    own = opened.run.settings.model
    names = [opened.path.name, *(row.name for row in TABLE_3)]
    described = [describe(config, 1, 1) for config in (own, *(row.config for row in TABLE_3))]
    groups = [each.by_group() for each in described]
    share = controls.toggle(_("as shares"), "share")
    picture = chart(_chart(names, groups, share))
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
        st.table(_table(opened, names, groups), border="horizontal", hide_index=True)
    return Shown(
        name="parameters",
        title=_("Parameters of this model and of the paper's, by kind of part"),
        seen=_seen(names, groups),
        numbers=lambda: _numbers(opened, names, groups),
        python=_python(opened),
        code=(describe, Description.by_group),
        pictures=[picture],
        formula=_count_formulas(described[0]),
        tries=(
            _("Rows A: the number of heads changes no count, as long as h·d_k stays d_model."),
            _("Rows B: narrower keys and queries save little, and cost quality."),
            _("Rows D: no label smoothing has the better perplexity and the worse BLEU."),
        ),
    )


def _seen(names: Sequence[str], groups: Groups) -> str:
    """Say how large this model is beside the paper's first one, and where most of it is."""
    own, base = (sum(each.values()) for each in groups[:2])
    most = max(groups[0], key=lambda name: groups[0][name])
    return _(
        "This model has **{own}** parameters, {share} of the paper's {base}; most are in "
        "**{part}**: {part_share}."
    ).format(
        own=number(own),
        share=percent(own / base),
        base=plain(names[1]),
        part=_(most),
        part_share=percent(groups[0][most] / own),
    )


def _chart(names: Sequence[str], groups: Groups, share: bool) -> Chart:
    totals = [sum(each.values()) for each in groups]
    series = {
        _(group): [
            each.get(group, 0) / (total if share else 1e6)
            for each, total in zip(groups, totals, strict=True)
        ]
        for group in groups[0]
    }
    return bars(
        series,
        names,
        value=Quantity(_("share of the parameters"), share=True)
        if share
        else Quantity(_("millions of parameters")),
        title=_("Parameters of this model and of the paper's, by kind of part"),
        drawn="stacked",
    )


def _table(opened: Opened, names: Sequence[str], groups: Groups) -> Mapping[str, list[str]]:
    settings = opened.run.settings
    dropouts = [settings.model.dropout, *(row.config.dropout for row in TABLE_3)]
    smoothings = [
        settings.training.label_smoothing,
        *(row.label_smoothing for row in TABLE_3),
    ]
    steps = [settings.training.steps, *(row.steps for row in TABLE_3)]
    return {
        _("model"): [plain(names[0]), *names[1:]],
        _("millions"): [number(sum(each.values()) / 1e6, 1) for each in groups],
        _("published"): ["", *(number(row.millions) if row.millions else "" for row in TABLE_3)],
        _("perplexity"): ["", *(number(row.perplexity, 2) for row in TABLE_3)],
        "BLEU": ["", *(number(row.bleu, 1) for row in TABLE_3)],
        _("dropout"): [number(each, padded=False) for each in dropouts],
        "ε_ls": [number(each, padded=False) for each in smoothings],
        _("training steps"): [number(each) for each in steps],
    }


def _numbers(opened: Opened, names: Sequence[str], groups: Groups) -> Columns:
    settings = opened.run.settings
    return {
        "model": names,
        **{group: [each.get(group, 0) for each in groups] for group in groups[0]},
        "published_millions": [None, *(row.millions for row in TABLE_3)],
        "perplexity": [None, *(row.perplexity for row in TABLE_3)],
        "BLEU": [None, *(row.bleu for row in TABLE_3)],
        "dropout": [settings.model.dropout, *(row.config.dropout for row in TABLE_3)],
        "label_smoothing": [
            settings.training.label_smoothing,
            *(row.label_smoothing for row in TABLE_3),
        ],
        "steps": [settings.training.steps, *(row.steps for row in TABLE_3)],
    }


def _python(opened: Opened) -> str:
    imports = (
        "from core.describe import describe",
        "from core.model.paper import TABLE_3",
    )
    lines = [
        "models = [run.settings.model, *(row.config for row in TABLE_3)]",
        "groups = [describe(model, 1, 1).by_group() for model in models]",
        "numbers = {group: [each.get(group, 0) for each in groups] for group in groups[0]}",
        "",
    ]
    return loading(opened.path, *imports) + "\n".join(lines)


def _count_formulas(described: Description) -> str:
    """Return how many numbers a part of each group learns, in LaTeX."""
    found = {part.group: part.count for part in described.parts if part.count}
    counts = (rf"\text{{{labelled(_(group), '')}}} {count}" for group, count in found.items())
    return r", \qquad ".join(counts)
