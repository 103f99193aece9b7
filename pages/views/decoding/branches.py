"""Other ways that a decoding could have gone: mistakes, branches, and the tree of a beam search."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.decoding.beam import BeamNode
from core.decoding.methods import Beam, Method
from core.decoding.step import DecodeStep
from core.runs.run import Run
from pages.frame import cached, opening, session
from pages.frame.text import _
from pages.views.decoding import overrides
from viz.charts.beam_tree import TreeNode, beam_tree

TREE = "beam_tree"
MISTAKE_RANK = 3
"""A corrupted token is the one of this rank: likely enough to be a word, and not the model's."""


def corrupt(scope: str, free: Sequence[DecodeStep]) -> None:
    """Put another word in the place of the one that the model said at the reported step."""
    step = overrides.corrupted_step()
    if step is not None and step < len(free):
        order = free[step].logits_V.argsort(descending=True, stable=True).tolist()
        overrides.override(scope, step, order[MISTAKE_RANK])


def compare(opened: opening.Opened, method: Method, scope: str, free: Sequence[DecodeStep]) -> None:
    """Offer to keep what is shown, and list what was kept."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(_("Keep this decoding to compare"), on_click=overrides.keep_branch, args=(scope,))
        st.caption(_("log-probability {total:.4f}").format(total=_total(free)), width="content")
    for index, chosen in enumerate(overrides.branches(scope)):
        steps = cached.decoded(opened.path, opened.sentence, method, chosen)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                _("open"),
                key=f"open_branch_{index}",
                type="tertiary",
                on_click=overrides.open_branch,
                args=(scope, index),
            )
            st.text(_said(opened.run, steps))
            st.caption(_("log-probability {total:.4f}").format(total=_total(steps)))


def tree(opened: opening.Opened, method: Beam, scope: str) -> None:
    """Draw the prefixes that the search kept and dropped; a click follows one of them."""
    nodes = cached.beam(opened.path, opened.sentence, method)
    figure = beam_tree(
        [_shown(opened.run, node) for node in nodes],
        x=_("step"),
        kept=_("kept"),
        dropped=_("dropped"),
    )
    st.markdown(_("**What the search kept and dropped**: click a prefix to follow it."))
    st.plotly_chart(figure, key=TREE, on_select=partial(_follow, scope, nodes))


def _follow(scope: str, nodes: Sequence[BeamNode]) -> None:
    """Show the prefix of the node that was clicked."""
    for index in session.clicked_points(TREE)[:1]:
        tokens = nodes[index].hypothesis.tokens
        overrides.follow(scope, tokens)


def _shown(run: Run, node: BeamNode) -> TreeNode:
    hypothesis = node.hypothesis
    return TreeNode(
        label=run.tokenizer.describe(hypothesis.tokens)[-1].text,
        text=run.tokenizer.decode(hypothesis.tokens),
        score=hypothesis.score,
        log_probability=hypothesis.log_probability,
        step=node.step,
        kept=node.kept,
        finished=hypothesis.finished,
        parent=node.parent,
    )


def _total(steps: Sequence[DecodeStep]) -> float:
    return sum(step.log_probability for step in steps)


def _said(run: Run, steps: Sequence[DecodeStep]) -> str:
    return run.tokenizer.decode([step.chosen for step in steps])
