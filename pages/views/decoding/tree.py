"""The tree of a beam search: the prefixes that it kept and dropped."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.decoding.beam import beam_steps, beam_tree, length_penalty
from core.decoding.beam_tree import BeamSearch, beam_search
from pages.frame import charts, session
from pages.frame.language import _, joined, number, plain, translated
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from pages.views.decoding import branches, methods
from viz.charts import beam_tree as trees
from viz.component.standalone import Drawn

TREE = "beam_tree"


def draw(opened: Opened) -> Shown | None:
    """Draw the tree of a search; a click opens the stepper on a prefix."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        method = methods.ask_beam()
    if method is None:
        return None
    # What is clicked belongs to this search, whatever is decoded elsewhere.
    branches.chosen(opened, method)
    searching = Recipe(beam_search, opened.path, opened.sentence, method)
    found = searching.result()
    return Shown(
        name="beam-tree",
        title=_("What a beam search kept and dropped (beam {n})").format(n=number(method.beam)),
        recipe=searching,
        seen=_seen(found, method.alpha),
        code=[beam_steps, beam_tree],
        pictures=[drawn(opened, found, _open_in_stepper)],
    )


def _seen(found: BeamSearch, alpha: float) -> str:
    """Say which finished prefix is the best, which comes next, and how many were dropped."""
    n_dropped = sum(not node.kept for node in found.nodes)
    dropped = _("Prefixes dropped: {n} of {total}.").format(
        n=number(n_dropped), total=number(len(found.nodes))
    )
    if not found.finished:
        return joined([_("No prefix came to its end."), dropped])
    (best, text), *others = (
        (found.nodes[at].hypothesis, plain(found.prefixes[at])) for at in found.finished[:2]
    )
    n = len(best.tokens)
    told = [
        _(
            "Best, with a score of **{score}** (log-probability {sum} divided by the length "
            "penalty ((5 + {n}) / 6)^{alpha} = {penalty}): “{text}”"
        ).format(
            score=number(best.score),
            text=text,
            sum=number(best.log_probability),
            n=number(n),
            alpha=number(alpha, padded=False),
            penalty=number(length_penalty(n, alpha)),
        )
    ]
    told += [
        _("Next, with {score}: “{text}”").format(score=number(other.score), text=its_text)
        for other, its_text in others
    ]
    return joined([*told, dropped])


def drawn(opened: Opened, found: BeamSearch, follow: Callable[[branches.Overrides], None]) -> Drawn:
    """Draw a tree, and return it for a file.

    Args:
        opened: The run and the sentence.
        found: The search.
        follow: What a click does with the tokens of the prefix.
    """
    shown = _tree_nodes(opened, found)
    figure = trees.beam_tree(shown, translated(trees.DEFAULT_TREE_TEXTS))
    st.caption(_("Click a prefix to follow it."))
    least = trees.narrowest(shown)
    take = partial(_take_node, found, follow)
    return charts.chart(figure, key=TREE, on_click=take, least=least)


def _take_node(found: BeamSearch, follow: Callable[[branches.Overrides], None]) -> None:
    for point in charts.clicked_points(TREE, trees.PICKED)[:1]:
        follow(dict(enumerate(found.nodes[point["node"]].hypothesis.tokens)))


def _open_in_stepper(prefix: branches.Overrides) -> None:
    session.choose_above(
        {"decoding": "steps", session.METHOD: "beam", branches.OVERRIDES: branches.written(prefix)}
    )


def _tree_nodes(opened: Opened, found: BeamSearch) -> list[trees.TreeNode]:
    """Return the nodes; where a token is a piece of a word, ␣ marks those that begin one."""
    tokenizer = opened.run.target_tokenizer
    prefixes = [node.hypothesis.tokens for node in found.nodes]
    last_two = [[each.word for each in tokenizer.describe(prefix)[-2:]] for prefix in prefixes]
    has_pieces = any(len(set(words)) < len(words) for words in last_two)
    return [
        trees.TreeNode(
            label=f"␣{token}"
            if has_pieces and tokenizer.begins_word(node.hypothesis.tokens[-1])
            else token,
            text=text,
            score=node.hypothesis.score,
            log_probability=node.hypothesis.log_probability,
            step=node.step,
            kept=node.kept,
            finished=node.hypothesis.finished,
            parent=node.parent,
        )
        for node, token, text in zip(found.nodes, found.tokens, found.prefixes, strict=True)
    ]
