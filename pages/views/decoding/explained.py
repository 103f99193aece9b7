"""What stands below the stepper: why decoding is as it is, with numbers of the loaded model."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.decoding.step import DecodeStep
from core.decoding.timing import DecodingTimes, computed_cells, sentence_times
from core.evaluate.exposure import PositionAccuracy, held_out_exposure, overall
from core.inspection import Inspection
from core.runs.run import Run, RunError, read_settings
from core.tasks import TASKS
from core.vocabulary import EOS
from pages.frame import cached, opening
from pages.frame.charts import chart
from pages.frame.text import _, percent, plain
from viz.charts.computed_cells import computed_cells as cells
from viz.charts.curves import Quantity, curves
from viz.charts.frames import softmax_table

EXPOSURE_SAMPLES = 400


def warnings(
    inspection: Inspection,
    free: Sequence[DecodeStep],
    forced: Sequence[DecodeStep],
    n_reference: int,
) -> None:
    """Say in one line what was cut, or did not come to an end."""
    said = []
    if inspection.translation.cut:
        said.append(_("The sentence was cut: the model has no more positions."))
    if free[-1].chosen != EOS:
        said.append(_("The model did not say EOS within {n} steps, the limit.").format(n=len(free)))
    if forced and len(forced) <= n_reference:
        said.append(_("The reference was cut: the model has no more positions."))
    if not forced:
        said.append(_("Without a reference there is nothing to force."))
    if said:
        st.caption(" ".join(said))


def output_layer(run: Run, free: Sequence[DecodeStep]) -> None:
    """Show how scores become probabilities, and what temperature does to them."""
    with st.expander(_("Output layer: from scores to probabilities")):
        st.latex(r"p_i = \frac{e^{z_i / \tau}}{\sum_j e^{z_j / \tau}}")
        left, right = st.columns(2)
        step = left.number_input(_("Step"), 0, len(free) - 1, 0, key="output_step")
        temperature = right.slider(_("Temperature τ"), 0.1, 5.0, 1.0, 0.1, key="output_temperature")
        logits = free[step].logits_V.numpy()
        tokens = [token.text for token in run.tokenizer.describe(range(len(logits)))]
        st.dataframe(softmax_table(logits, tokens, temperature), hide_index=True)


def why_sequential(opened: opening.Opened) -> None:
    """Measure what each step costs, with and without kept keys and values."""
    with st.expander(_("Why decoding is sequential")):
        st.markdown(
            _(
                "Each token is an input of the next step, so n tokens need n passes of the "
                "decoder. In training the true tokens are known: one masked pass computes all "
                "positions together."
            )
        )
        if st.toggle(_("Measure on this sentence"), key="measure_times"):
            times = cached.of_run(sentence_times, opened.path, opened.sentence)
            st.markdown(_passes(times))
            series = {
                _("keys and values kept"): [1000 * each for each in times.cached],
                _("whole prefix computed anew"): [1000 * each for each in times.recomputed],
            }
            chart(
                curves(
                    series,
                    x=Quantity(_("step")),
                    y=Quantity(_("milliseconds")),
                    title=_("What each step costs"),
                )
            )
            n = len(times.cached)
            pictures = {
                _("free running, prefix computed anew"): computed_cells(n, cached=False),
                _("free running, keys and values kept"): computed_cells(n, cached=True),
                _("training: one masked pass"): computed_cells(n, cached=True),
            }
            st.altair_chart(
                cells(pictures, x=_("key"), y=_("query"), count=_("times computed")),
                width="content",
            )


def exposure(opened: opening.Opened) -> None:
    """Compare forced and free accuracy per position over held-out sentences."""
    with st.expander(_("Exposure bias: how far early mistakes carry")):
        asked = _("Measure on {n} held-out sentences").format(n=EXPOSURE_SAMPLES)
        if not st.toggle(asked, key="measure_exposure"):
            return
        runs = {_("this run"): opened.path}
        others = _others_of_its_task(opened)
        other = st.selectbox(
            _("Beside another run of this task, trained with scheduled sampling for example"),
            list(others),
            index=None,
            placeholder=_("none"),
            key="exposure_beside",
            width=420,
        )
        if other is not None:
            runs[other] = others[other]
        try:
            with st.spinner(_("Measuring …")):
                found = {
                    name: cached.of_run(held_out_exposure, path, EXPOSURE_SAMPLES)
                    for name, path in runs.items()
                }
        except RunError as error:
            st.error(plain(str(error)))
            return
        series = {}
        for name, positions in found.items():
            tail = "" if len(found) == 1 else f" · {name}"
            series[_("true words fed") + tail] = [each.forced for each in positions]
            series[_("own words fed") + tail] = [each.free for each in positions]
        right = Quantity(_("right tokens"), share=True)
        chart(
            curves(
                series,
                x=Quantity(_("target position")),
                y=right,
                title=_("Right tokens at each target position, EOS included"),
            )
        )
        st.markdown("\n".join(_exposed(name, overall(each)) for name, each in found.items()))


def _others_of_its_task(opened: opening.Opened) -> dict[str, Path]:
    """Return the other runs that learned the same; of own pairs nobody knows whether they are."""
    task = opened.run.settings.task
    return {
        name: path
        for name, path in cached.run_paths().items()
        if path != opened.path and task in TASKS and _task_of(path) == task
    }


def _task_of(path: Path) -> str | None:
    try:
        return None if cached.complaint(path) else read_settings(path).task
    except RunError:
        return None


def _exposed(name: str, found: PositionAccuracy) -> str:
    return _(
        "- {name}: **{forced}** of {n:,} tokens right when the true words are fed, **{free}** when "
        "its own are. The gap of **{gap:.2f}** points is the exposure bias."
    ).format(
        name=plain(name),
        forced=percent(found.forced),
        free=percent(found.free),
        gap=100 * (found.forced - found.free),
        n=found.n,
    )


def _passes(times: DecodingTimes) -> str:
    return _(
        "Free running: **{n}** passes of the decoder, {cached:.1f} ms with kept keys and values, "
        "{anew:.1f} ms without. Teacher forcing: **1** pass, {one:.1f} ms."
    ).format(
        n=len(times.cached),
        cached=1000 * sum(times.cached),
        anew=1000 * sum(times.recomputed),
        one=1000 * times.one_pass,
    )
