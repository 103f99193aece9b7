"""How the heads of a layer form: how evenly each spreads its weights at every snapshot."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import streamlit as st

from core.heads import STACK_LABELS, Site
from core.inspection import Inspection, even_weights, inspect_sentence
from core.runs.run import RunError
from core.runs.weights import stops
from core.studies.heads.evenness import evenness
from pages.frame import cached, snippets
from pages.frame.charts import chart
from pages.frame.language import _, number, percent
from pages.frame.maps import labels
from pages.frame.view import Columns, Shown, saying_why
from pages.views.training import heads_at_step
from viz.charts.curves import Level, Quantity, curves
from viz.charts.token_strips import TokenStrip, token_strips
from viz.component.standalone import Drawn

SHARP = 0.25
"""A head that spreads its weights less evenly looks at little but one token."""
_SKETCHED = 6
"""So many tokens are enough to show how weights spread."""
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
        _sketch(path, sentence)
    found = {step: _evennesses(path, step, sentence, site) for step in offered}
    series = {
        _("layer {layer}, head {head}").format(layer=site.layer, head=head): list(along)
        for head, along in enumerate(zip(*found.values(), strict=True))
    }
    figure = curves(
        series,
        x=Quantity(
            _("step (beyond {n} logarithmic)").format(n=number(int(_SQUEEZED))), squeezed=_SQUEEZED
        ),
        at=list(offered),
        y=Quantity(_("spread: entropy, as a share of the largest"), share=True),
        title=_("How far the heads of {layer} spread their weights").format(layer=_name(site)),
        rules=[Level(SHARP, _("sharp: below {share}").format(share=percent(SHARP)))],
    )
    chart(figure)
    return Shown(
        name=f"{path.name}-forming-{site}",
        title=str(figure.title),
        seen=_seen(found, site),
        numbers=lambda: _columns(found),
        python=_python(path, sentence, site),
        code=[evenness],
        pictures=[Drawn(chart=figure)],
        about={"sentence": sentence},
        formula=r"""\frac{1}{Q} \sum_q \frac{-\sum_k w_{qk} \ln w_{qk}}
        {\ln |\{k : \text{visible}_{qk}\}|}""",
    )


def _sketch(path: Path, sentence: str) -> None:
    """Show what the ends of the axis look like, on the first tokens of the sentence."""
    inspection: Inspection = cached.of_run_at(inspect_sentence, path, 0, sentence)
    read = (inspection.source_tokens or inspection.fed_tokens)[:_SKETCHED]
    if len(read) < 2:
        return
    visible_K = np.ones(len(read), bool)
    even_K = even_weights(visible_K)
    for text, row_K in (
        (_("{share}: all alike"), even_K),
        (_("{share}: one alone"), np.eye(len(read))[len(read) // 2]),
    ):
        # The logarithms of an even row may end a rounding error beside 1.
        said = text.format(share=percent(round(evenness(row_K[None], even_K[None]), 6)))
        strip = TokenStrip(
            looks=said,
            said=said,
            keys=labels(read),
            weights_K=row_K.astype(np.float32),
            visible_K=visible_K,
            most=None,
            written="",
        )
        st.html(token_strips([strip]), width="content")


def _name(site: Site) -> str:
    """Return a layer's name as it stands within a sentence."""
    return _("{stack} layer {layer} {kind}").format(
        stack=_(STACK_LABELS[site.stack]),
        layer=site.layer,
        kind=_(site.attention.sublayer_label),
    )


def _seen(found: dict[int, list[float]], site: Site) -> str:
    """Say from which snapshot on all heads are sharp, and how they were in the one before."""
    steps = list(found)
    if len(steps) < 2:
        return _("Only one snapshot was kept, so there is no change to see.")
    at = len(steps)
    while at and max(found[steps[at - 1]]) < SHARP:
        at -= 1
    if at == len(steps):
        text = _(
            "At step **{step}**, the last, not all heads of {layer} are sharp: **{now}**; at step "
            "{before}, {then}."
        )
        now, before = steps[-1], steps[0]
    else:
        text = _(
            "By step **{step}** all heads of {layer} are sharp: **{now}**; at step {before} still "
            "{then}."
        )
        now, before = steps[at], steps[max(at - 1, 0)]
        if at == 0:
            text = _("All heads of {layer} are sharp from step **{step}** on: **{now}**.")
    return text.format(
        step=number(now),
        layer=_name(site),
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
    return [evenness(weights_QK, attention.even_QK) for weights_QK in attention.weights_HQK]


def _columns(found: dict[int, list[float]]) -> Columns:
    rows = [(step, head, each) for step, heads in found.items() for head, each in enumerate(heads)]
    return {name: [row[at] for row in rows] for at, name in enumerate(("step", "head", "entropy"))}


def _python(path: Path, sentence: str, site: Site) -> str:
    imports = [
        "from pathlib import Path",
        "",
        "from core.studies.heads.evenness import evenness",
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
        "        numbers.append([step, head, evenness(weights_QK, found.even_QK)])",
    ]
    return "\n".join([*imports, "", *lines, ""])
