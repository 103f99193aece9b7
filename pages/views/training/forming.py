"""How the heads of a layer form: how evenly each spreads its weights at every snapshot."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.analysis.heads.evenness import evenness
from core.heads import Site
from core.inspection import Inspection, inspect_sentence
from core.runs.run import RunError
from core.runs.weights import stops
from pages.frame import cached, snippets
from pages.frame.charts import chart
from pages.frame.language import _, number, percent
from pages.frame.view import Columns, Shown, saying_why
from pages.views.training import heads_at_step
from viz.charts.curves import Quantity, curves
from viz.component.standalone import Drawn

SHARP = 0.25
"""A head that spreads its weights less evenly looks at little but one token."""
_SQUEEZED = 100.0
"""Steps: beyond so many the axis is logarithmic, since most happens early."""


@saying_why(OSError, RunError)
def draw(path: Path) -> Shown | None:
    """Draw the heads of one layer along a run's training.

    Args:
        path: The run's folder.
    """
    if why := heads_at_step.why_none(path):
        st.info(why)
        return None
    model, offered = cached.settings(path).model, stops(path)
    sentence = heads_at_step.ask_sentence(path)
    with st.container(horizontal=True, vertical_alignment="center"):
        site = heads_at_step.ask_site(path, model)
    found = {step: _evennesses(path, step, sentence, site) for step in offered}
    series = {
        _("head {head}").format(head=head): list(along)
        for head, along in enumerate(zip(*found.values(), strict=True))
    }
    figure = curves(
        series,
        x=Quantity(_("step"), squeezed=_SQUEEZED),
        at=list(offered),
        y=Quantity(_("spread: entropy, as a share of the largest"), share=True),
        title=_("How evenly each head of this layer spreads its weights"),
    )
    chart(figure)
    st.caption(
        _(
            "Mean entropy of a head's rows: 100 % where each looks at all tokens alike, 0 % where "
            "each looks at one."
        )
    )
    return Shown(
        name=f"{path.name}-forming-{site}",
        title=str(figure.title),
        seen=_seen(found),
        numbers=lambda: _columns(found),
        python=_python(path, sentence, site),
        code=[evenness],
        pictures=[Drawn(chart=figure)],
        about={"sentence": sentence},
        formula=r"""\frac{1}{Q} \sum_q \frac{-\sum_k w_{qk} \ln w_{qk}}
        {\ln |\{k : \text{visible}_{qk}\}|}""",
    )


def _seen(found: dict[int, list[float]]) -> str:
    """Say from which snapshot on all heads are sharp, and how they were in the one before."""
    steps = list(found)
    if len(steps) < 2:
        return _("Only one snapshot was kept, so there is no change to see.")
    at = len(steps)
    while at and max(found[steps[at - 1]]) < SHARP:
        at -= 1
    if at == len(steps):
        text = _(
            "At step **{step}**, the last, not all heads are sharp (spread below {sharp}): they "
            "spread **{now}**; at step {before}, {then}."
        )
        now, before = steps[-1], steps[0]
    else:
        text = _(
            "By step **{step}** all heads are sharp (spread below {sharp}): they spread **{now}**; "
            "at step {before} still {then}."
        )
        now, before = steps[at], steps[max(at - 1, 0)]
        if at == 0:
            text = _(
                "All heads are sharp (spread below {sharp}) from step **{step}** on: **{now}**."
            )
    return text.format(
        step=number(now),
        sharp=percent(SHARP),
        now=_spread(found[now]),
        before=number(before),
        then=_spread(found[before]),
    )


def _spread(heads: Sequence[float]) -> str:
    """Return from where to where the spreads of some heads go."""
    low, high = percent(min(heads)), percent(max(heads))
    return low if low == high else _("{low} to {high}").format(low=low, high=high)


def _evennesses(path: Path, step: int, sentence: str, site: Site) -> list[float]:
    """Return the evenness of each head of a layer at a step."""
    inspection: Inspection = cached.of_run_at(inspect_sentence, path, step, sentence)
    attention = inspection.attention[site]
    return [evenness(weights_QK, attention.visible_QK) for weights_QK in attention.weights_HQK]


def _columns(found: dict[int, list[float]]) -> Columns:
    rows = [(step, head, each) for step, heads in found.items() for head, each in enumerate(heads)]
    return {name: [row[at] for row in rows] for at, name in enumerate(("step", "head", "entropy"))}


def _python(path: Path, sentence: str, site: Site) -> str:
    imports = [
        "from pathlib import Path",
        "",
        "from core.analysis.heads.evenness import evenness",
        "from core.heads import Site",
        "from core.inspection import inspect_sentence",
        "from core.runs.run import load_run",
        "from core.runs.weights import stops",
    ]
    lines = [
        f"path, numbers = {snippets.folder(path)}, []",
        "for step in stops(path):",
        f"    inspection = inspect_sentence(load_run(path, step), {snippets.quoted(sentence)})",
        f'    found = inspection.attention[Site.parse("{site}")]',
        "    for head, weights_QK in enumerate(found.weights_HQK):",
        "        numbers.append([step, head, evenness(weights_QK, found.visible_QK)])",
    ]
    return "\n".join([*imports, "", *lines, ""])
