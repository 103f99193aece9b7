"""The tree of a beam search: the prefixes that it kept and dropped."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from core.decoding.beam import beam_steps, beam_tree
from core.decoding.beam_tree import BeamSearch, beam_search
from core.decoding.choosing import Greedy
from pages.frame import charts, session
from pages.frame.language import _, joined, n_, number, plain, translated
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
        seen=_seen(opened, found, method.beam),
        code=[beam_steps, beam_tree],
        pictures=[drawn(found, _open_in_stepper)],
    )


def _seen(opened: Opened, found: BeamSearch, beam: int) -> str:
    """Return what the search found, and whether greedy decoding finds the same."""
    kept = n_(
        "At each step the {n} best prefix is kept.",
        "At each step the {n} best prefixes are kept.",
        beam,
    ).format(n=number(beam))
    if not found.finished:
        return joined([kept, _("None of them came to its end.")])
    one = _("“**{text}**” (score {score})")
    best, *others = (
        one.format(text=plain(found.prefixes[at]), score=number(found.nodes[at].hypothesis.score))
        for at in found.finished[:2]
    )
    greedy = branches.decoding(opened, Greedy(), {}).result()
    tokens = found.nodes[found.finished[0]].hypothesis.tokens
    sentences = [kept, _("The best in the end: {text}.").format(text=best)]
    if tuple(each.chosen for each in greedy) == tuple(tokens):
        sentences.append(_("Here it does not pay: greedy decoding writes **the same**."))
    else:
        text = opened.run.target_tokenizer.decode([each.chosen for each in greedy])
        sentences.append(
            _("Here it makes a difference: greedy decoding writes “{text}”.").format(
                text=plain(text)
            )
        )
    sentences += [_("Second: {text}.").format(text=other.replace("**", "")) for other in others]
    return joined(sentences)


def drawn(found: BeamSearch, follow: Callable[[branches.Overrides], None]) -> Drawn:
    """Draw a tree, and return it for a file.

    Args:
        found: The search.
        follow: What a click does with the tokens of the prefix.
    """
    shown = _shown_nodes(found)
    nodes = _tree_nodes(found, shown)
    figure = trees.beam_tree(nodes, translated(trees.DEFAULT_TREE_TEXTS))
    st.caption(_("A click opens a prefix step by step, where it can be changed."))
    least = trees.narrowest(nodes)
    take = partial(_take_node, found, shown, follow)
    return charts.chart(figure, key=TREE, on_click=take, least=least)


def _take_node(
    found: BeamSearch, shown: Sequence[int], follow: Callable[[branches.Overrides], None]
) -> None:
    for point in charts.clicked_points(TREE, trees.PICKED)[:1]:
        follow(dict(enumerate(found.nodes[shown[point["node"]]].hypothesis.tokens)))


def _open_in_stepper(prefix: branches.Overrides) -> None:
    session.choose_above(
        {"decoding": "steps", session.METHOD: "beam", branches.OVERRIDES: branches.written(prefix)}
    )


def _shown_nodes(found: BeamSearch) -> list[int]:
    """Return the nodes up to the end of the two best sentences, and none that goes on after it."""
    if not found.finished:
        return list(range(len(found.nodes)))
    last = max(found.nodes[at].step for at in found.finished[:2])
    return [
        at
        for at, node in enumerate(found.nodes)
        if node.step < last or (node.step == last and node.hypothesis.finished)
    ]


def _tree_nodes(found: BeamSearch, shown: Sequence[int]) -> list[trees.TreeNode]:
    """Return nodes as the chart draws them; a finished one is labelled by its score."""
    places = {at: place for place, at in enumerate(shown)}
    nodes = [(at, found.nodes[at], found.nodes[at].hypothesis) for at in shown]
    return [
        trees.TreeNode(
            label=number(hypothesis.score, 2) if hypothesis.finished else found.tokens[at],
            text=found.prefixes[at],
            score=hypothesis.score,
            log_probability=hypothesis.log_probability,
            step=node.step,
            kept=node.kept,
            finished=hypothesis.finished,
            parent=None if node.parent is None else places[node.parent],
        )
        for at, node, hypothesis in nodes
    ]
