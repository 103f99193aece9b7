"""The tree of a beam search, and what wider beams and samples write."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import fmean

import streamlit as st

from core.decoding.beam import Beam, Hypothesis, beam_steps, beam_tree
from core.decoding.beam_tree import (
    FOUND_BY_BEAM,
    BeamSearch,
    beam_search,
    first_found_by_beam,
)
from core.decoding.choosing import Sampling
from core.decoding.generate import DecodingStrategy
from core.evaluate.strategies import DecodedText, compare_strategies
from core.runs.run import Run
from core.tasks import Task
from pages.frame import charts, controls, session
from pages.frame.language import _, joined, n_, number, percent, plain, translated
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from pages.views.decoding import branches, methods
from viz.charts import beam_tree as trees
from viz.component.standalone import Drawn

TREE = "beam_tree"


def draw(opened: Opened) -> Shown | None:
    """Draw the tree of a search; a click opens the stepper on a prefix. Or compare widths."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        pictures = {"tree": _("one search"), "widths": _("by width")}
        by_width = controls.choice(_("Shown"), "tree_shown", pictures, "tree") == "widths"
        method = None if by_width else methods.ask_beam()
    if by_width:
        return _by_width(opened)
    if method is None:
        return None
    # What is clicked belongs to this search, whatever is decoded elsewhere.
    branches.chosen(opened, method)
    searching = Recipe(beam_search, opened.writer, opened.sentence, method)
    found = searching.result()
    return Shown(
        name="beam-tree",
        title=_("What a beam search kept and dropped (beam {n})").format(n=number(method.beam)),
        recipe=searching,
        seen=_seen(found, method.beam),
        code=[beam_steps, beam_tree],
        pictures=[drawn(found, partial(_open_in_stepper, opened.sentence))],
    )


def _by_width(opened: Opened) -> Shown:
    """Compare what greedy decoding, beams and samples write: likelihood and repetition."""
    recipe = Recipe(compare_strategies, opened.writer, opened.inspecting)
    rows = recipe.result().texts
    columns = {
        _("decoding"): [_strategy(each.strategy) for each in rows],
        _("text"): [plain(each.text) for each in rows],
        _("log-probability"): [number(each.log_probability, 2) for each in rows],
        _("per token"): [number(each.log_probability / each.n_tokens, 2) for each in rows],
        _("repeated pairs of tokens"): [percent(each.repeated) for each in rows],
    }
    st.table(columns, border="horizontal", hide_index=True)
    return Shown(
        name="beam-widths",
        title=_("Wider beams and samples: likelihood and repetition"),
        question=_("Does a wider beam find a more probable text?"),
        recipe=recipe,
        seen=joined(_of_strategies(rows)),
        code=[compare_strategies],
    )


def _of_strategies(rows: Sequence[DecodedText]) -> Iterator[str]:
    """Say whether the widest beam finds more than greedy decoding, and what samples do."""
    greedy, *_between, widest = (each for each in rows if isinstance(each.strategy, Beam))
    samples = [each for each in rows if isinstance(each.strategy, Sampling)]
    text = _(
        "**Not here**: a beam of {n} finds a text of log-probability {beam}, greedy decoding one "
        "of {greedy}."
    )
    if widest.text == greedy.text:
        text = _("**Not here**: a beam of {n} finds the text of greedy decoding ({greedy}).")
    elif widest.log_probability > greedy.log_probability:
        text = _(
            "**Here it does**: a beam of {n} finds a text of log-probability **{beam}**, greedy "
            "decoding one of {greedy}."
        )
    assert isinstance(widest.strategy, Beam)
    yield text.format(
        n=number(widest.strategy.beam),
        beam=number(widest.log_probability, 2),
        greedy=number(greedy.log_probability, 2),
    )
    text = _("Samples from the model’s own distribution have {mean} on average.")
    yield text.format(mean=number(fmean(each.log_probability for each in samples), 2))
    if any(each.repeated for each in rows):
        text = _("Pairs of tokens that stood there before: beam **{beam}**, samples **{mean}**.")
        mean = fmean(each.repeated for each in samples)
        yield text.format(beam=percent(widest.repeated), mean=percent(mean))


def _strategy(strategy: DecodingStrategy) -> str:
    """Name a strategy."""
    if isinstance(strategy, Beam):
        return _("beam {n}").format(n=number(strategy.beam)) if strategy.beam > 1 else _("greedy")
    assert isinstance(strategy, Sampling)
    return _("sample {n}").format(n=number((strategy.seed or 0) + 1))


def telling(run: Run, task: Task) -> str:
    """Return a sentence of which a beam finds another translation than greedy decoding, if any."""
    config = run.model.config
    if not config.is_encoder_decoder or config.is_parallel:
        return ""
    known = [FOUND_BY_BEAM[task.name]] if task.name in FOUND_BY_BEAM else []
    texts = (*known, *(each.source for each in task.examples))
    return Recipe(first_found_by_beam, run.path, texts, methods.USUAL_BEAM).result()


def _seen(found: BeamSearch, beam: int) -> str:
    """Return what greedy decoding and the search find, and which of them scores better."""
    if not found.finished:
        return n_(
            "The search keeps the {n} best beginning; none came to its end.",
            "The search keeps the {n} best beginnings; none came to its end.",
            beam,
        )
    best, greedy = found.nodes[found.finished[0]].hypothesis, found.greedy
    if best.tokens == greedy.tokens:
        text = _(
            "**Here it is**: greedy decoding, which takes the most probable word at each step, "
            "finds the same as a beam of {n}, “**{text}**” (score {score})."
        )
    elif best.score > greedy.score:
        text = _(
            "**Not here**: greedy decoding takes the most probable word at each step and finds "
            "“{greedy}” (score {greedy_score}); a beam of {n} finds “**{text}**”, which the model "
            "scores higher ({score})."
        )
    else:
        text = _(
            "**Here it is**: greedy decoding finds “**{greedy}**” (score {greedy_score}); a beam "
            "of {n} drops its beginning and finds “{text}”, which the model scores lower ({score})."
        )
    return text.format(
        n=number(beam),
        text=plain(found.prefixes[found.finished[0]]),
        score=_score(best),
        greedy=plain(found.greedy_text),
        greedy_score=_score(greedy),
    )


def _score(hypothesis: Hypothesis) -> str:
    return number(hypothesis.score, 2)


def drawn(found: BeamSearch, follow: Callable[[branches.Overrides], None]) -> Drawn:
    """Draw a tree, and return it for a file.

    Args:
        found: The search.
        follow: What a click does with the tokens of the prefix.
    """
    shown = _shown_nodes(found)
    nodes = _tree_nodes(found, shown)
    figure = trees.beam_tree(nodes, translated(trees.DEFAULT_TREE_TEXTS))
    how = _(
        "At each step the best stands on top. A square is the end of a sentence, with its score: "
        "closer to 0 is better. Click a word to go on from it, step by step."
    )
    st.caption(how)
    least = trees.narrowest(nodes)
    take = partial(_take_node, found, shown, follow)
    return charts.chart(figure, key=TREE, on_click=take, least=least)


def _take_node(
    found: BeamSearch, shown: Sequence[int], follow: Callable[[branches.Overrides], None]
) -> None:
    for point in session.component_value(TREE).selection[trees.PICKED][:1]:
        follow(dict(enumerate(found.nodes[shown[point["node"]]].hypothesis.tokens)))


def _open_in_stepper(sentence: str, prefix: branches.Overrides) -> None:
    # Each view opens on an example of its own: the sentence goes along.
    chosen = {session.SENTENCE: sentence, branches.OVERRIDES: branches.written(prefix)}
    session.choose_above({"decoding": "steps", session.METHOD: "beam", **chosen})


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
    by_greedy = found.by_greedy
    nodes = [(at, found.nodes[at], found.nodes[at].hypothesis) for at in shown]
    return [
        trees.TreeNode(
            label=_score(hypothesis) if hypothesis.finished else found.tokens[at],
            text=found.prefixes[at],
            score=hypothesis.score,
            log_probability=hypothesis.log_probability,
            step=node.step,
            kept=node.kept,
            finished=hypothesis.finished,
            greedy=by_greedy[at],
            parent=None if node.parent is None else places[node.parent],
        )
        for at, node, hypothesis in nodes
    ]
