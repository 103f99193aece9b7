import numpy as np
import pytest

from core.runs.run import load_run
from core.studies.lessons.gradient_step import RATES, gradient_step
from pages.frame.language import number
from pages.frame.needs import why_not
from pages.views.training.one_step import NEEDS
from tests.pages.conftest import ROOT, chart_rows, said
from tests.pages.kinds_of_model import CHANGED, LIKE
from tests.viz.unpacked import unframed

MODEL = "translate-guided"
AT_ONCE = ("like bert", "LSTM, fixed vector")
TRAINED = [
    pytest.param(kind, marks=() if kind in AT_ONCE else pytest.mark.slow)
    for kind in (*LIKE, *CHANGED)
    if not kind.endswith("pairs gone")
]
SENTENCE = "The animal slept because it was tired."
TARGET = "L'animal a dormi parce qu'il était fatigué."


@pytest.fixture(scope="module")
def expected():
    return gradient_step(load_run(ROOT / "gallery" / MODEL, 100), SENTENCE, TARGET)


@pytest.fixture
def opened(open_page, taken):
    """Return a function that opens the view; it returns the page, and what is seen."""

    def opener(**query):
        asked = {"model": MODEL, "step": "100", "sentence": SENTENCE, "reference": TARGET}
        at = open_page("training", training="one_step", **asked | query)
        return at, taken[-1].seen

    return opener


def descent_of(at):
    header, _arrays = unframed(at.get("bidi_component")[-1].proto.bytes)
    return header["descent"]


def test_the_picture_has_the_step_of_the_snapshot_in_the_link(opened, expected):
    at, _seen = opened(rate="0.01")
    shown = descent_of(at)
    assert shown["before"] == pytest.approx(expected.log_probabilities_T, abs=1e-4)
    assert shown["after"] == pytest.approx(expected.updated_RT[RATES.index(0.01)], abs=1e-4)
    relative = [each.relative for each in expected.blocks]
    assert [*shown["gradients"].values()] == pytest.approx(relative, abs=1e-4)
    assert set(shown["gradients"]) >= {"source", "encoder.0.self", "decoder.0.cross"}


def test_it_opens_at_the_best_rate_and_says_where_a_rate_is_too_large_or_too_small(
    opened, expected
):
    losses = dict(zip(RATES, expected.updated_losses, strict=True))
    best = min(losses, key=losses.get)
    at, seen = opened()
    assert f"from {number(expected.loss)} to **{number(losses[best])}**" in seen
    assert "lowers the loss" in seen
    assert descent_of(at)["rate"] == number(best, padded=False)
    curve = {row["x"]: row["y"] for row in chart_rows(at, -1) if "series" in row}
    assert curve == pytest.approx(losses)
    assert "hardly changes" in opened(rate=str(RATES[0]))[1]
    assert losses[RATES[-1]] > expected.loss
    assert "**too large**" in opened(rate=str(RATES[-1]))[1]


def test_where_no_true_target_is_known_it_is_what_the_newest_weights_write(opened):
    at, _seen = opened(sentence="Tired animals slept.", reference=None)
    assert "No true target is known" in said(at)
    assert len(descent_of(at)["truth"]) > 1


def test_a_wrong_word_in_the_reference_has_the_largest_loss(opened):
    wrong = TARGET.replace("dormi", "traversé")
    at, _seen = opened(step="5000", reference=wrong)
    shown = descent_of(at)
    assert shown["truth"][int(np.argmin(shown["before"]))] == "traversé"


@pytest.mark.parametrize("view", ["one_step", "watch"])
@pytest.mark.parametrize("kind", TRAINED)
def test_a_model_of_any_kind_is_shown_while_it_trains_or_the_view_says_why_not(
    run_of_kind, elsewhere, open_page, taken, kind, view
):
    run = run_of_kind(kind)
    elsewhere("OWN", run.parent)
    at = open_page("training", training=view, model="runs/run")
    assert not at.error
    why = why_not(load_run(run), NEEDS) if view == "one_step" else ""
    assert [box.value for box in at.info] == ([why] if why else [])
    assert bool(at.get("bidi_component")) is not bool(why)
    assert bool(taken) is not bool(why)
