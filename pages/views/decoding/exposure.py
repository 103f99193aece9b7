"""Exposure bias: how far a model's early mistakes carry, over held-out sentences."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st

from core.evaluate.exposure import PositionAccuracy, exposure, held_out_exposure, overall
from core.runs.run import RunError
from core.tasks import TASKS
from pages.frame import cached, charts, controls
from pages.frame.language import _, capitalised, n_, number, percent, plain
from pages.frame.messages import explained
from pages.frame.opening import Opened
from pages.frame.snippets import folder, importing
from pages.frame.view import Columns, Shown
from viz.charts.curves import Chart, Quantity, curves

FEW, MANY = 60, 400
"""Held-out sentences: so few are decoded while one looks, so many tell more."""
SAMPLES, BESIDE = "exposure_samples", "exposure_beside"

Found = Mapping[str, Sequence[PositionAccuracy]]
"""Run → how often it is right at each position."""


def draw(opened: Opened) -> Shown | None:
    """Draw how often each target position is right, with true and with own words fed."""
    n, runs = _ask(opened)
    try:
        with st.spinner(_("Measuring …")):
            found = {name: cached.of_run(held_out_exposure, path, n) for name, path in runs.items()}
    except RunError as error:
        st.error(plain(explained(error)))
        return None
    picture = charts.chart(_chart(found))
    return Shown(
        name="exposure-bias",
        title=_("Right tokens at each target position, true and own words fed"),
        numbers=lambda: _numbers(found, [path.name for path in runs.values()]),
        python=_python(list(runs.values()), n),
        seen=" ".join(_exposed(name, overall(each), n) for name, each in found.items()),
        code=[exposure, overall],
        pictures=[picture],
        how_to_read=_(
            "In training the decoder is fed the true words; when it writes, its own. Where the two "
            "curves part, early mistakes are fed back and mislead what comes after: that is the "
            "exposure bias. Words are compared position by position: one word too many makes all "
            "that follow it wrong, so the gap is the most that the bias can be. Fewer sentences "
            "are long, so the last positions are the least certain."
        ),
        tries=[
            _("Lay a run that was trained with scheduled sampling beside it: is its gap smaller?"),
        ],
    )


def _ask(opened: Opened) -> tuple[int, dict[str, Path]]:
    """Ask on how many held-out sentences to measure, and which runs."""
    others = _others_of_its_task(opened)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        offered = {each: number(each) for each in (FEW, MANY)}
        n = controls.choice(_("Held-out sentences"), SAMPLES, offered, FEW, labelled=True)
        other = controls.selection(
            _("Beside another run of this task, trained with scheduled sampling for example"),
            BESIDE,
            {"": _("none")} | {name: name for name in others},
            "",
            width=420,
        )
    return n, {_("this run"): opened.path} | ({other: others[other]} if other else {})


def _others_of_its_task(opened: Opened) -> dict[str, Path]:
    """Return the other runs that learned the same; of own pairs nobody knows whether they are."""
    task = opened.run.settings.task
    return {
        name: path
        for name, path in cached.run_paths().items()
        if path != opened.path and task in TASKS and _task_of(path) == task
    }


def _task_of(path: Path) -> str | None:
    try:
        return None if cached.complaint(path) else cached.settings(path).task
    except RunError:
        return None


def _chart(found: Found) -> Chart:
    series = {}
    for name, positions in found.items():
        tail = "" if len(found) == 1 else f" · {name}"
        series[_("true words fed") + tail] = [each.forced for each in positions]
        series[_("own words fed") + tail] = [each.free for each in positions]
    return curves(
        series,
        x=Quantity(_("target position")),
        y=Quantity(_("right tokens"), share=True, zero=False),
        title=_("Right tokens at each target position, EOS included"),
    )


def _exposed(name: str, found: PositionAccuracy, n_sentences: int) -> str:
    return n_(
        "{name} has **{forced}** of {n} token right when the true words are fed, **{free}** when "
        "its own are ({samples} held-out sentences): an exposure bias of at most **{gap}** points.",
        "{name} has **{forced}** of {n} tokens right when the true words are fed, **{free}** when "
        "its own are ({samples} held-out sentences): an exposure bias of at most **{gap}** points.",
        found.n,
    ).format(
        samples=number(n_sentences),
        name=plain(capitalised(name)),
        forced=percent(found.forced),
        free=percent(found.free),
        gap=number(100 * (found.forced - found.free), 2),
        n=number(found.n),
    )


def _numbers(found: Found, names: Sequence[str]) -> Columns:
    rows = [
        (name, each.position, each.forced, each.free, each.n)
        for name, positions in zip(names, found.values(), strict=True)
        for each in positions
    ]
    columns = ("run", "position", "true_words_fed", "own_words_fed", "targets")
    return dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True))


def _python(paths: Sequence[Path], n: int) -> str:
    folders = ", ".join(map(folder, paths))
    lines = [
        "found = [",
        "    each",
        f"    for path in [{folders}]",
        f"    for each in held_out_exposure(load_run(path), {n})",
        "]",
        "numbers = {",
        '    "position": [each.position for each in found],',
        '    "true_words_fed": [each.forced for each in found],',
        '    "own_words_fed": [each.free for each in found],',
        '    "targets": [each.n for each in found],',
        "}",
        "",
    ]
    imports = (
        "from core.evaluate.exposure import held_out_exposure",
        "from core.runs.run import load_run",
    )
    begun = f"from pathlib import Path\n\n{importing(*imports)}\n"
    return begun + "\n".join(lines)
