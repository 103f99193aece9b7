"""The view "prune": silence head after head, and watch what the model can still do."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st

from core.analysis.effects.head_effects import HeadEffects
from core.analysis.effects.pruning import (
    N_PRUNED,
    SEED,
    PruningPoint,
    greedy_passes,
    heads_needed,
    pruning_by_score,
)
from core.analysis.effects.pruning_steps import GrowingCurve
from core.analysis.effects.silencing import every_head
from core.runs.run import Run, RunError
from pages.frame import cached, lesson, session
from pages.frame.charts import chart
from pages.frame.lesson import Explanation
from pages.frame.notes import site_and_head
from pages.frame.opening import Opened
from pages.frame.text import _, percent, plain
from viz.charts.curves import Quantity, curves

START, STOP = "prune_start", "prune_stop"
"""Keys of the buttons."""
SECONDS = 0.2
"""Between two points: each is measured while the page waits for nothing else."""
TOLERANCE = 0.01
_DRAWER = "prune"

Curves = Mapping[str, GrowingCurve]


def draw(opened: Opened) -> None:
    """Draw the curves as far as they are measured, and go on with them while that is asked for."""
    try:
        effects = cached.effects(opened.path)
    except RunError as error:
        st.error(plain(str(error)))
        effects = None
    growing = _curves(opened.path, effects)
    running = _is_running(opened.path) and not _done(growing)
    # A fragment of its own, so that going on leaves the rest of the page alone.
    st.fragment(_draw, run_every=SECONDS if running else None)(opened.path, growing, running)
    if effects is None:
        st.caption(
            _("The order by score needs what each head costs by itself: measure it in “silence”.")
        )
    lesson.explained(_explanation())


def _draw(path: Path, growing: Curves, running: bool) -> None:
    if running:
        _go_on(path, growing)
    if running != (_is_running(path) and not _done(growing)):
        # With another timer, and the other button.
        st.rerun()
    _buttons(path, growing, running)
    points = {name: curve.points for name, curve in growing.items()}
    if any(points.values()):
        _picture(points)


def _go_on(path: Path, growing: Curves) -> None:
    """Go on for a moment with the first curve that is not whole."""
    curve = next((curve for curve in growing.values() if not curve.done), None)
    try:
        if curve is not None:
            curve.go_on()
    except RunError as error:
        stop(path)
        session.drawer(_DRAWER)["refused", path] = str(error)


def _buttons(path: Path, growing: Curves, running: bool) -> None:
    """Offer what makes sense now, and say how far it is."""
    first = next(iter(growing.values()))
    n_heads = first.n_heads
    begun = any(curve.points for curve in growing.values())
    if reason := session.drawer(_DRAWER).get(("refused", path)):
        st.error(plain(reason))
    if _done(growing):
        return
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
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
        if not begun and not running:
            text = _("Silences the {heads} heads one after the other: about {passes} passes.")
            said = text.format(heads=n_heads, passes=f"{first.n_passes:,}")
            st.caption(said, width="content")
        else:
            name, curve = next(item for item in growing.items() if not item[1].done)
            text = _("order “{name}”: {done} of {of} heads silenced, {share} of the work done")
            done, share = max(0, len(curve.points) - 1), max(0.0, min(1.0, curve.share))
            said = text.format(name=name, done=done, of=n_heads, share=percent(share))
            st.progress(share, said)


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


def _curves(path: Path, effects: HeadEffects | None) -> Curves:
    """Return the curves of a run: shared by all who look, kept until the run changes."""
    found = {_("greedy"): cached.of_run(_greedy, path, N_PRUNED)}
    if effects is not None:
        scores = tuple(each.loss.change for each in effects.heads)
        found[_("by score")] = cached.of_run(_by_score, path, scores, N_PRUNED)
    return found


def _greedy(run: Run, n: int) -> GrowingCurve:
    return GrowingCurve(lambda: greedy_passes(run, n), len(every_head(run.model)))


def _by_score(run: Run, scores: tuple[float, ...], n: int) -> GrowingCurve:
    heads = every_head(run.model)
    of_head = dict(zip(heads, scores, strict=True))
    return GrowingCurve(lambda: pruning_by_score(run, of_head, n), len(heads))


def _picture(points: Mapping[str, Sequence[PruningPoint]]) -> None:
    longest = max(points.values(), key=len)
    first = longest[0]
    chart(
        curves(
            {name: [each.exact_match for each in found] for name, found in points.items()},
            x=Quantity(_("heads left")),
            y=Quantity(_("exact match"), share=True),
            at=[each.n_left for each in longest],
            title=_("How quality falls, from right to left, as one head after the other goes"),
        )
    )
    for name, found in points.items():
        if found and found[-1].n_left == 0:
            st.markdown(_needed(name, found))
    st.caption(
        _(
            "{n} held-out sentences, seed {seed}. The same sentences choose the next head and "
            "measure what is left, so the greedy curve is a little kinder than on other sentences."
        ).format(n=first.n, seed=SEED)
    )
    rows = [(name, each) for name, found in points.items() for each in found]
    lesson.numbers(
        "prune",
        {
            "order": [name for name, _point in rows],
            "heads left": [each.n_left for _name, each in rows],
            "silenced last": [
                "" if each.removed is None else str(each.removed) for _name, each in rows
            ],
            "exact match": [each.exact_match for _name, each in rows],
            "loss": [each.loss for _name, each in rows],
            "n": [each.n for _name, each in rows],
        },
    )


def _needed(name: str, found: Sequence[PruningPoint]) -> str:
    needed = heads_needed(found, TOLERANCE)
    if needed is None:
        text = _("All heads together get {all} right: there is too little to lose.")
        return text.format(all=percent(found[0].exact_match))
    text = _(
        "In the order “{name}” the task needs {needed} of {of} heads: with them exact match is "
        "{share}, with all {all}; with one less it has lost more than {points:.0f} point. "
        "The last to go: {last}."
    )
    [at] = [point for point in found if point.n_left == needed]
    last = [site_and_head(point.removed) for point in found[-3:] if point.removed is not None]
    return text.format(
        name=name,
        needed=needed,
        of=found[0].n_left,
        points=100 * TOLERANCE,
        share=percent(at.exact_match),
        all=percent(found[0].exact_match),
        last="; ".join(last),
    )


def _explanation() -> Explanation:
    return Explanation(
        formula=_FORMULA,
        tries=(
            _(
                "Compare the two orders. A score that is measured with all other heads speaking "
                "does not know that two heads do the same work: either alone can go, not both."
            ),
            _(
                "Look at the curve’s flat beginning: so many heads the task does not need, as "
                "Michel et al. (2019) found in larger models."
            ),
            _("See which heads go last, and look at their maps on the page “Attention”."),
        ),
        code=(greedy_passes, pruning_by_score, heads_needed),
    )


_FORMULA = r"""
h_{k+1} = \arg\min_{h \notin S_k} \mathcal{L}(S_k \cup \{h\}), \qquad
S_{k+1} = S_k \cup \{h_{k+1}\}, \qquad
\mathcal{L}(S): \text{ loss per token after the true prefix with the heads } S \text{ silent}
"""
