"""Silence head after head, and watch what the model can still do."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import streamlit as st

from core.runs.run import Run, RunError
from core.studies.effects.ablation import every_head
from core.studies.effects.head_effects import HeadEffects
from core.studies.effects.pruning import (
    BY_SCORE,
    GREEDY,
    N_PRUNED,
    SEED,
    GrowingCurve,
    PruningPoint,
    greedy_passes,
    heads_needed,
    pruning_by_score,
)
from core.studies.effects.stored import Curves as Stored
from core.studies.effects.stored import stored_pruning
from pages.frame import address, cached, measured_on, session, snippets
from pages.frame.charts import chart
from pages.frame.language import N_, _, n_, number, percent, plain
from pages.frame.messages import explained
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown
from pages.views.heads import prune_findings
from pages.views.heads.prune_findings import ORDERS, Points
from viz.charts.curves import Chart, Quantity, curves
from viz.component.standalone import Drawn

START, STOP = "prune_start", "prune_stop"
"""Keys of the buttons."""
SECONDS = 0.2
"""Between two points: each is measured while the page waits for nothing else."""
_DRAWER = "prune"
_FORMULA = r"""
h_{k+1} = \arg\min_{h \notin S_k} \mathcal{L}(S_k \cup \{h\}), \qquad
S_{k+1} = S_k \cup \{h_{k+1}\}, \qquad
\mathcal{L}(S): \text{ loss per token after the true prefix with the heads } S \text{ silent}
"""
TRIES = (
    N_(
        "Compare the two orders. A score that is measured with all other heads speaking "
        "does not know that two heads do the same work: either alone can go, not both."
    ),
    N_(
        "Look at the flat beginning of the curve: the task does not need so many heads, as "
        "Michel et al. (2019) found in larger models."
    ),
    N_("See which heads go last, and look at their maps on the page “Attention”."),
)

Curves = Mapping[str, GrowingCurve]
"""Name of an order → its curve."""


def draw(opened: Opened) -> Shown:
    """Draw the curves as far as they are measured, and go on with them while that is asked for."""
    try:
        effects = cached.effects(opened.path)
    except RunError as error:
        st.error(plain(explained(error)))
        effects = None
    growing = _curves(opened.path, effects, _stored(opened.path))
    running = _is_running(opened.path) and not _done(growing)
    # A part of its own, so that going on leaves the rest of the page alone.
    every = SECONDS if running else None
    address.part("curves", _draw, opened.run, growing, running, every=every)
    if effects is None:
        st.caption(
            _("The order by score needs what each head costs by itself: measure it in “silence”.")
        )
    points = _points(growing)
    # While it grows, a picture would be behind at once: the files hold the numbers then.
    drawn = any(points.values()) and not running
    return Shown(
        name="prune",
        title=_("How quality falls, from right to left, as one head after the other goes"),
        numbers=lambda: numbers(_points(growing)),
        python=_python(opened, points, running),
        # Said where it stands: while it grows it would be behind at once.
        seen="" if running else prune_findings.seen(points),
        code=(greedy_passes, pruning_by_score, heads_needed),
        pictures=[Drawn(chart=_picture(points))] if drawn else (),
        formula=_FORMULA,
        tries=[_(each) for each in TRIES],
    )


def _draw(run: Run, growing: Curves, running: bool) -> None:
    path = run.path
    if running:
        _go_on(path, growing)
    if running != (_is_running(path) and not _done(growing)):
        # With another timer, and the other button.
        st.rerun()
    _buttons(path, growing, running)
    points = _points(growing)
    if not any(points.values()):
        return
    chart(_picture(points))
    for name, found in points.items():
        if found and found[-1].n_left == 0:
            st.caption(prune_findings.last_to_go(name, found))
    n = next(iter(points.values()))[0].n
    said = n_(
        "{sentences}. The same sentence chooses the next head and "
        "measures what is left, so the greedy curve is a little kinder than on other sentences.",
        "{sentences}. The same sentences choose the next head and "
        "measure what is left, so the greedy curve is a little kinder than on other sentences.",
        n,
    )
    st.caption(said.format(sentences=measured_on.drawn(run, n, SEED)))


def _go_on(path: Path, growing: Curves) -> None:
    """Go on for a moment with the first curve that is not whole."""
    curve = next((curve for curve in growing.values() if not curve.done), None)
    try:
        if curve is not None:
            curve.go_on()
    except RunError as error:
        stop(path)
        session.drawer(_DRAWER)["refused", path] = explained(error)


def _buttons(path: Path, growing: Curves, running: bool) -> None:
    """Offer what makes sense now, and say how far it is."""
    if reason := session.drawer(_DRAWER).get(("refused", path)):
        st.error(plain(reason))
    if _done(growing):
        return
    begun = any(curve.points for curve in growing.values())
    with st.container(horizontal=True, vertical_alignment="center"):
        if running:
            st.button(_("Pause"), key=STOP, icon=":material/pause:", on_click=stop, args=(path,))
        else:
            st.button(
                _("Go on") if begun else _("Prune"),
                key=START,
                icon=":material/play_arrow:",
                on_click=start,
                args=(path,),
            )
        if begun or running:
            name = next(name for name, curve in growing.items() if not curve.done)
            st.progress(growing[name].share, _how_far(name, growing[name]))
        else:
            first = next(iter(growing.values()))
            text = n_(
                "Silences the {heads} heads one after the other: about {n} pass.",
                "Silences the {heads} heads one after the other: about {n} passes.",
                first.n_passes,
            )
            said = text.format(heads=number(first.n_heads), n=number(first.n_passes))
            st.caption(said, width="content")


def _how_far(name: str, curve: GrowingCurve) -> str:
    text = n_(
        "order “{name}”: {done} of {of} head silenced, {share} of the work done",
        "order “{name}”: {done} of {of} heads silenced, {share} of the work done",
        curve.n_heads,
    )
    return text.format(
        name=_(ORDERS[name]),
        done=number(max(0, len(curve.points) - 1)),
        of=number(curve.n_heads),
        share=percent(curve.share),
    )


def start(path: Path) -> None:
    """Go on with the curves of a run as long as somebody looks."""
    drawer = session.drawer(_DRAWER)
    drawer["running", path] = True
    drawer.pop(("refused", path), None)


def stop(path: Path) -> None:
    """Leave the curves as they are."""
    session.drawer(_DRAWER)["running", path] = False


def _is_running(path: Path) -> bool:
    return bool(session.drawer(_DRAWER).get(("running", path)))


def _done(growing: Curves) -> bool:
    return all(curve.done for curve in growing.values())


def _stored(path: Path) -> Stored:
    """Return what was measured before and kept with the run; say why where it cannot be used."""
    try:
        return cached.of_run(stored_pruning, path, N_PRUNED)
    except RunError as error:
        st.error(plain(explained(error)))
        return {}


def _curves(path: Path, effects: HeadEffects | None, stored: Stored) -> Curves:
    """Return the curves of a run: shared by all who look, kept until the run changes."""
    known = {name: tuple(points) for name, points in stored.items()}
    found = {GREEDY: cached.of_run(_greedy, path, N_PRUNED, known.get(GREEDY, ()))}
    if effects is not None:
        scores = tuple(each.loss.change for each in effects.heads)
        found[BY_SCORE] = cached.of_run(_by_score, path, scores, N_PRUNED, known.get(BY_SCORE, ()))
    return found


def _greedy(run: Run, n: int, measured: tuple[PruningPoint, ...]) -> GrowingCurve:
    return GrowingCurve(partial(greedy_passes, run, n), len(every_head(run.model)), measured)


def _by_score(
    run: Run, scores: tuple[float, ...], n: int, measured: tuple[PruningPoint, ...]
) -> GrowingCurve:
    heads = every_head(run.model)
    of_head = dict(zip(heads, scores, strict=True))
    return GrowingCurve(lambda: pruning_by_score(run, of_head, n), len(heads), measured)


def _points(growing: Curves) -> Points:
    return {name: curve.points for name, curve in growing.items()}


def _picture(points: Points) -> Chart:
    longest = max(points.values(), key=len)
    return curves(
        {_(ORDERS[name]): [each.exact_match for each in found] for name, found in points.items()},
        x=Quantity(_("heads left")),
        y=Quantity(_("exact match"), share=True),
        at=[each.n_left for each in longest],
        title=_("How quality falls, from right to left, as one head after the other goes"),
    )


def numbers(points: Points) -> Columns:
    """Return a row for each point."""
    rows = [(name, each) for name, found in points.items() for each in found]
    return {
        "order": [name for name, _point in rows],
        "heads_left": [each.n_left for _name, each in rows],
        "silenced_last": [str(each.removed or "") for _name, each in rows],
        "exact_match": [each.exact_match for _name, each in rows],
        "loss": [each.loss for _name, each in rows],
        "n": [each.n for _name, each in rows],
    }


def _python(opened: Opened, points: Points, running: bool) -> str:
    """Return what computes the points that are shown; while these grow, all of them."""
    whole = running or not any(points.values())
    imports = [
        "from itertools import islice",
        "from core.studies.effects.pruning import greedy_pruning, pruning_by_score",
    ]
    upto = None if whole else len(points["greedy"])
    lines = [f"points = [*islice(greedy_pruning(run, {N_PRUNED}), {upto})]"]
    if "by_score" in points:
        imports.append("from core.studies.effects.stored import stored_effects")
        upto = None if whole else len(points["by_score"])
        lines += [
            "scores = {each.head: each.loss.change for each in stored_effects(run).heads}",
            f"points += islice(pruning_by_score(run, scores, {N_PRUNED}), {upto})",
        ]
    lines += [
        'numbers = {"exact_match": [each.exact_match for each in points],',
        '           "loss": [each.loss for each in points]}',
    ]
    return snippets.loading(opened.path, *imports) + "\n".join([*lines, ""])
