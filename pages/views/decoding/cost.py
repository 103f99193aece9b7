"""What each step of decoding costs, and why training computes all of them at once."""

from collections.abc import Sequence

from core.decoding.timing import DecodingTimes, computed_cells, measure_times, sentence_times
from pages.frame import cached, charts, controls
from pages.frame.language import N_, _, n_, number
from pages.frame.listed import joined
from pages.frame.opening import Opened
from pages.frame.snippets import loading, quoted
from pages.frame.view import Columns, Shown
from viz.charts.computed_cells import computed_cells as cells
from viz.charts.curves import Chart, Quantity, curves
from viz.component.standalone import Drawn

MEASURED = "measure_times"
HOW_TO_READ = N_(
    """
- Each triangle is the map of decoder self-attention: a **row** for each step, a **column** for each
  token that was fed before it.
- Without kept keys and values every step computes the whole prefix again, so the first rows are
  computed most often. With them each row is computed once, as in training; but training needs no
  step to wait for the one before.
- Times are measured on the computer that runs the app, each the smallest of several.
"""
)


def draw(opened: Opened) -> Shown:
    """Draw how often each cell is computed and, on request, how long each step takes."""
    translation = opened.inspection.translation
    n = len(translation.target_ids) + translation.finished
    measured = controls.toggle(_("Measure on this sentence"), MEASURED)
    times = cached.of_run(sentence_times, opened.path, opened.sentence) if measured else None
    pictures: list[Drawn] = []
    if times is not None:
        pictures.append(charts.chart(_times_chart(times)))
    pictures.append(charts.chart(_cells_chart(n), own_width=True))
    return Shown(
        name="decoding-cost",
        title=_("What each step of decoding costs"),
        numbers=lambda: _numbers(n, times),
        seen=_seen(n) if times is None else joined([_seen(n), _passes(times)]),
        python=_python(opened, n, measured),
        code=[computed_cells, measure_times],
        pictures=pictures,
        how_to_read=_(HOW_TO_READ),
        tries=[
            _("Measure, then type a longer sentence: the time of a step without kept keys grows."),
        ],
    )


def _times_chart(times: DecodingTimes) -> Chart:
    series = {
        _("keys and values kept"): [1000 * each for each in times.cached],
        _("whole prefix computed anew"): [1000 * each for each in times.recomputed],
    }
    return curves(
        series,
        x=Quantity(_("step")),
        y=Quantity(_("milliseconds")),
        title=_("How long each step takes"),
    )


def _cells_chart(n: int) -> Chart:
    anew, kept = (computed_cells(n, cached=is_cached) for is_cached in (False, True))
    names = {
        _("prefix computed anew"): (anew, n),
        _("keys and values kept"): (kept, n),
        _("training: all at once"): (kept, 1),
    }
    pictures = {
        f"{name}\n{_size(counts, passes)}": counts for name, (counts, passes) in names.items()
    }
    return cells(
        pictures,
        x=_("key"),
        y=_("query"),
        count=_("times computed"),
        title=_("How often each cell of self-attention is computed"),
    )


def _size(cells: Sequence[Sequence[int]], passes: int) -> str:
    """Say how many cells are computed, and in how many passes."""
    return n_("{cells} cells in {n} pass", "{cells} cells in {n} passes", passes).format(
        cells=number(sum(map(sum, cells))), n=number(passes)
    )


def _seen(n: int) -> str:
    """Say how many passes and cells a sentence takes."""
    kept, anew = (sum(map(sum, computed_cells(n, cached=is_cached))) for is_cached in (True, False))
    return n_(
        "Free running takes **{n}** pass of the decoder, training **1**. With keys and values "
        "kept both compute {kept} cells of each map; without, {anew}: {times} × as many.",
        "Free running takes **{n}** passes of the decoder, training **1**. With keys and values "
        "kept both compute {kept} cells of each map; without, {anew}: {times} × as many.",
        n,
    ).format(n=number(n), kept=number(kept), anew=number(anew), times=number(anew / kept, 1))


def _passes(times: DecodingTimes) -> str:
    n = len(times.cached)
    return n_(
        "Its {n} pass takes {cached} ms with kept keys and values, {anew} ms without; teacher "
        "forcing takes {one} ms.",
        "Its {n} passes take {cached} ms with kept keys and values, {anew} ms without; teacher "
        "forcing takes {one} ms.",
        n,
    ).format(
        n=number(n),
        cached=number(1000 * sum(times.cached), 1),
        anew=number(1000 * sum(times.recomputed), 1),
        one=number(1000 * times.one_pass, 1),
    )


def _numbers(n: int, times: DecodingTimes | None) -> Columns:
    """Return a row for each step: all cells of a step are computed equally often."""
    columns: dict[str, list[float]] = {
        "step": list(range(n)),
        "cells": [step + 1 for step in range(n)],
        "times_computed_anew": [row[0] for row in computed_cells(n, cached=False)],
        "times_computed_kept": [row[0] for row in computed_cells(n, cached=True)],
    }
    if times is None:
        return columns
    return columns | {
        "seconds_anew": list(times.recomputed),
        "seconds_kept": list(times.cached),
        "seconds_of_one_pass": [times.one_pass] * n,
    }


def _python(opened: Opened, n: int, measured: bool) -> str:
    imports = ["from core.decoding.timing import computed_cells"]
    lines = [
        "numbers = {",
        f'    "step": list(range({n})),',
        f'    "cells": [step + 1 for step in range({n})],',
        f'    "times_computed_anew": [row[0] for row in computed_cells({n}, cached=False)],',
        f'    "times_computed_kept": [row[0] for row in computed_cells({n}, cached=True)],',
        "}",
        "",
    ]
    if measured:
        imports.append("from core.decoding.timing import sentence_times")
        lines[-1:] = [
            f"times = sentence_times(run, {quoted(opened.sentence)})",
            'numbers["seconds_anew"] = times.recomputed',
            'numbers["seconds_kept"] = times.cached',
            f'numbers["seconds_of_one_pass"] = [times.one_pass] * {n}',
            "",
        ]
    return loading(opened.path, *imports) + "\n".join(lines)
