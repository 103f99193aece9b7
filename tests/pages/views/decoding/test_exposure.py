import pytest

from core.evaluate.evaluation import held_out_pairs
from core.evaluate.exposure import exposure, overall
from core.runs.run import load_run
from pages.frame.language import plain
from tests.pages.conftest import ROOT
from tests.pages.views.decoding.conftest import assert_python_leaves_the_same_numbers


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr("pages.views.decoding.exposure.FEW", 12)


def test_exposure_bias_is_measured_on_a_few_sentences_and_on_many_on_request(open_view):
    at, shown = open_view("exposure", model="copy")
    assert len(at.get("vega_lite_chart")) == 1
    assert max(shown.numbers()["targets"]) == 60
    at.segmented_control(key="exposure_samples").set_value(400).run()
    assert not at.exception
    assert any("400 held-out sentences" in each.value for each in at.markdown)


def test_exposure_bias_stands_beside_that_of_another_run_of_the_task(open_view, own_runs, few):
    at, _shown = open_view("exposure", model="translate")
    # Runs of other tasks would be measured on other sentences.
    assert at.selectbox(key="exposure_beside").options == ["none", "translate-guided"]
    at.selectbox(key="exposure_beside").set_value("translate-guided").run()
    assert not at.exception
    told = [text.value for text in at.markdown if "an exposure bias of at most **" in text.value]
    assert len(told) == 1
    for name in ("this run", "translate-guided"):
        found = overall(exposure(*measured(name.replace("this run", "translate"))))
        line = next(line for line in told[0].split("\n") if plain(name).lower() in line.lower())
        assert f"of {found.n:,} tokens right" in line
        assert f"**{100 * (found.forced - found.free):.2f}** points".replace("-", "−") in line


def measured(name):
    run = load_run(ROOT / "gallery" / name)
    return run.model, held_out_pairs(run, 12, seed=0)


def test_python_computes_every_number_again(open_view, few):
    _at, shown = open_view(
        "exposure",
        model="translate",
        exposure_beside="translate-guided",
    )
    assert set(shown.numbers()["run"]) == {"translate", "translate-guided"}
    assert_python_leaves_the_same_numbers(
        shown, "position", "true_words_fed", "own_words_fed", "targets"
    )
