"""The tree of a beam search: the prefixes that it kept and dropped."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from core.decoding.beam import Beam, BeamNode, beam_steps, beam_tree, length_penalty
from pages.frame import address, cached, charts, session
from pages.frame.language import N_, _, n_, number, plain, translated
from pages.frame.listed import joined
from pages.frame.opening import Opened
from pages.frame.snippets import loading, quoted
from pages.frame.view import Columns, Shown
from pages.views.decoding import branches, methods
from viz.charts import beam_tree as trees
from viz.component.standalone import Drawn

TREE = "beam_tree"
HOW_TO_READ = N_(
    """
- Each **point** is a prefix, shown by its last token; the line leads back to the prefix that it
  continues. A square is finished: it ends with EOS.
- At each step the best prefixes are **kept** and the others **dropped**; the best are shown.
  The better a prefix, the higher it stands. The thick line leads to **the best** in the end.
- Prefixes are compared by their **score**: the log-probability of all their tokens, divided by the
  length penalty. Where a token is a piece of a word, ␣ stands for the space before a word.
- Click a point: the stepper decodes that prefix, and goes on from there.
"""
)


def draw(opened: Opened) -> Shown | None:
    """Draw the tree of a search; a click opens the stepper on a prefix."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        method = methods.ask_beam()
    if method is None:
        return None
    # What is clicked belongs to this search, whatever is decoded elsewhere.
    branches.chosen(opened, method)
    nodes = cached.beam(opened.path, opened.sentence, method)
    chart = drawn(opened, nodes, _open_in_stepper)
    return Shown(
        name="beam-tree",
        title=n_(
            "What a beam search with {n} prefix kept and dropped",
            "What a beam search with {n} prefixes kept and dropped",
            method.beam,
        ).format(n=number(method.beam)),
        numbers=lambda: _numbers(opened, nodes),
        python=_python(opened, method),
        seen=_seen(nodes, opened, method.alpha),
        code=[beam_steps, beam_tree],
        pictures=[chart],
        formula=r"\mathrm{score}(y) = \frac{\log p(y \mid x)}{\left((5 + |y|) / 6\right)^\alpha}",
        how_to_read=_(HOW_TO_READ),
        tries=[
            _("A beam of 1 is greedy decoding: one line, and what it dropped beside it."),
            _("A length penalty of 0 compares plain log-probabilities: short targets win."),
        ],
    )


def _seen(nodes: Sequence[BeamNode], opened: Opened, alpha: float) -> str:
    """Say which finished prefix is the best, which comes next, and how many were dropped."""
    done = sorted(
        (node.hypothesis for node in nodes if node.kept and node.hypothesis.finished),
        key=lambda each: -each.score,
    )
    n_dropped = sum(not node.kept for node in nodes)
    dropped = n_(
        "{n} of {total} prefix was dropped.", "{n} of {total} prefixes were dropped.", n_dropped
    ).format(n=number(n_dropped), total=number(len(nodes)))
    if not done:
        unfinished = _("No prefix came to its end.")
        return joined([unfinished, dropped])
    texts = [plain(opened.run.target_tokenizer.decode(each.tokens)) for each in done[:2]]
    n = len(done[0].tokens)
    told = [
        _(
            "Best, with a score of **{score}** (log-probability {sum} divided by the length "
            "penalty ((5 + {n}) / 6)^{alpha} = {penalty}): “{text}”"
        ).format(
            score=number(done[0].score),
            text=texts[0],
            sum=number(done[0].log_probability),
            n=number(n),
            alpha=number(alpha, padded=False),
            penalty=number(length_penalty(n, alpha)),
        )
    ]
    if len(done) > 1:
        text = _("Next, with {score}: “{text}”")
        told.append(text.format(score=number(done[1].score), text=texts[1]))
    return joined([*told, dropped])


def drawn(
    opened: Opened, nodes: Sequence[BeamNode], follow: Callable[[branches.Overrides], None]
) -> Drawn:
    """Draw a tree, and return it for a file.

    Args:
        opened: The run and the sentence.
        nodes: Of the search.
        follow: What a click does with the tokens of the prefix.
    """
    shown = _marked(opened, nodes)
    figure = trees.beam_tree(shown, translated(trees.DEFAULT_TREE_TEXTS))
    follows = _("Click a prefix to follow it.")
    finished = _(
        "A finished prefix (square) takes no place in the beam: kept ones stand beside those that "
        "go on."
    )
    st.caption(joined([follows, finished]))
    least = trees.narrowest(shown)
    return charts.clickable(figure, TREE, partial(_take_node, nodes, follow), least=least)


def _take_node(nodes: Sequence[BeamNode], follow: Callable[[branches.Overrides], None]) -> None:
    for point in session.picked_points(TREE, trees.PICKED)[:1]:
        follow(dict(enumerate(nodes[point["node"]].hypothesis.tokens)))


def _open_in_stepper(prefix: branches.Overrides) -> None:
    address.choose_above(
        {"decoding": "steps", session.METHOD: "beam", branches.OVERRIDES: branches.written(prefix)}
    )


def _shown(opened: Opened, node: BeamNode) -> trees.TreeNode:
    hypothesis, tokenizer = node.hypothesis, opened.run.target_tokenizer
    return trees.TreeNode(
        label=tokenizer.describe(hypothesis.tokens)[-1].text,
        text=tokenizer.decode(hypothesis.tokens),
        score=hypothesis.score,
        log_probability=hypothesis.log_probability,
        step=node.step,
        kept=node.kept,
        finished=hypothesis.finished,
        parent=node.parent,
    )


def _marked(opened: Opened, nodes: Sequence[BeamNode]) -> list[trees.TreeNode]:
    """Return the nodes; where a token is a piece of a word, ␣ marks those that begin one."""
    shown, tokenizer = [_shown(opened, node) for node in nodes], opened.run.target_tokenizer
    words = [[each.word for each in tokenizer.describe(n.hypothesis.tokens)[-2:]] for n in nodes]
    if all(len(set(each)) == len(each) for each in words):
        return shown
    return [
        replace(each, label=f"␣{each.label}")
        if tokenizer.begins_word(node.hypothesis.tokens[-1])
        else each
        for each, node in zip(shown, nodes, strict=True)
    ]


def _numbers(opened: Opened, nodes: Sequence[BeamNode]) -> Columns:
    shown = [_shown(opened, node) for node in nodes]
    return {
        "node": list(range(len(nodes))),
        "parent": [node.parent for node in nodes],
        "step": [node.step for node in nodes],
        "token": [node.label for node in shown],
        "prefix": [node.text for node in shown],
        "kept": [node.kept for node in nodes],
        "finished": [node.finished for node in shown],
        "score": [node.score for node in shown],
        "log_probability": [node.log_probability for node in shown],
    }


def _python(opened: Opened, method: Beam) -> str:
    imports = (
        "from core.decoding.beam import Beam, beam_steps, beam_tree",
        "from core.decoding.sentence import given_text",
    )
    lines = [
        f"given = given_text(run, {quoted(opened.sentence)})",
        "source_S, prompt = given.source_S, given.prompt",
        f"beam = Beam({method.beam}, {method.alpha})",
        "steps = beam_steps(run.model, source_S, beam, prompt=prompt)",
        "nodes = beam_tree(steps)",
        "numbers = {",
        '    "score": [node.hypothesis.score for node in nodes],',
        '    "log_probability": [node.hypothesis.log_probability for node in nodes],',
        "}",
        "",
    ]
    return loading(opened.path, *imports) + "\n".join(lines)
