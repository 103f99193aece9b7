import math

import numpy as np
import pytest

from core.config import ConfigError
from core.decoding.sentence import passes_of, predicted_length, source_tensor
from core.decoding.step import decode_steps
from core.runs.run import load_run
from core.tasks import TASKS
from core.training.prepare import prepare_run
from core.training.settings import with_settings
from core.training.trainer import train_run
from core.vocabulary import EOS
from tests.core.conftest import MINIATURE, draw_few
from tests.pages.conftest import ROOT, said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.masks.conftest import panels, texts

SENTENCE = "a b c d b e f g"


@pytest.fixture(scope="module")
def parallel():
    return load_run(ROOT / "gallery" / "parallel")


@pytest.fixture(scope="module")
def causal():
    return load_run(ROOT / "gallery" / "either")


@pytest.mark.parametrize("n", [1, 3])
def test_each_pass_shows_what_it_read_and_what_it_wrote(open_view, parallel, n):
    at, shown = open_view("passes", model="parallel", sentence=SENTENCE, passes=str(n))
    found = passes_of(parallel, SENTENCE, n)
    first, _beside = panels(at)
    assert len(first.values) == 2 * n
    n_shown = max(
        each.said.index(EOS) + 1 if EOS in each.said else len(each.said) for each in found
    )
    describe = parallel.target_tokenizer.describe_alone
    for number, each in enumerate(found):
        reads, writes = 2 * number, 2 * number + 1
        np.testing.assert_array_equal(~first.visible[reads], each.masked[:n_shown])
        assert first.visible[writes].all()
        assert list(first.texts[writes]) == [t.text for t in describe(each.said[:n_shown])]
        np.testing.assert_allclose(first.values[writes], each.probabilities[:n_shown], rtol=1e-6)
        if number:
            kept = [t.text for t in describe(found[number - 1].said[:n_shown])]
            assert [
                one
                for one, hidden in zip(first.texts[reads], each.masked, strict=False)
                if not hidden
            ] == [one for one, hidden in zip(kept, each.masked, strict=False) if not hidden]
    assert set(first.texts[0]) == {"MASK"}
    # Counted from 1, as the text above counts them.
    assert texts(first.rows)[:2] == ["pass 1 reads", "pass 1 writes"]
    assert_takeable(at, shown)


def test_beside_are_the_steps_of_a_run_of_the_same_task_that_writes_left_to_right(
    open_view, causal
):
    at, shown = open_view("passes", model="parallel", sentence=SENTENCE)
    _first, beside = panels(at)
    steps = list(decode_steps(causal.model, source_tensor(causal, SENTENCE)))
    n = len(steps)
    np.testing.assert_array_equal(beside.visible, np.tril(np.ones((n, n), bool)))
    sure = [math.exp(step.log_probability) for step in steps]
    np.testing.assert_allclose(beside.values[-1], sure, rtol=1e-5)
    assert texts(beside.rows)[0] == "step 0 writes"
    assert "“either”: left to right" in beside.title
    assert shown.columns()["run"][-1] == "either"


def test_without_such_a_run_that_is_said(open_view, own_runs, elsewhere, another):
    another("alone", of="parallel")
    elsewhere("GALLERY", own_runs)
    at, shown = open_view("passes", model="alone", sentence=SENTENCE)
    assert len(panels(at)) == 1
    assert "No other run of this task writes left to right" in said(at)
    assert set(shown.columns()["run"]) == {"alone"}


def test_the_python_computes_the_numbers(open_view):
    _at, shown = open_view("passes", model="parallel", sentence=SENTENCE, passes="2")
    assert computed(shown, ROOT) == pytest.approx(numbers_of(shown, "probability"), abs=1e-6)


@pytest.mark.parametrize("view", ["steps", "tree", "output", "cost", "exposure"])
def test_views_of_the_next_word_say_why_there_is_none(open_view, view):
    at, shown = open_view(view, model="parallel")
    assert shown is None
    assert "no word is the next one" in said(at)


def test_a_model_that_writes_left_to_right_has_no_passes(open_view):
    at, shown = open_view("passes", model="either")
    assert shown is None
    assert "does not fill in all words at once" in said(at)


@pytest.fixture(scope="module")
def predicting(tmp_path_factory):
    """A folder with one barely trained run that predicts how long its targets are."""
    folder = tmp_path_factory.mktemp("runs")
    changes = {"decoder": "parallel", "length": "predicted", "steps": 2}
    with pytest.MonkeyPatch.context() as patch:
        draw_few(patch)
        preset = with_settings(MINIATURE, changes)
        prepare_run(folder / "mine", TASKS["either"], "miniature", preset, "python -m core …")
        for _ in train_run(folder / "mine"):
            pass
    return folder


def test_a_predicted_length_is_said_and_its_end_stands_from_the_beginning(
    open_view, predicting, elsewhere
):
    elsewhere("OWN", predicting)
    at, shown = open_view("passes", model="runs/mine", sentence=SENTENCE, passes="2")
    run = load_run(predicting / "mine")
    found = predicted_length(run, SENTENCE)
    source_1S = source_tensor(run, SENTENCE)[None]
    mean_D = run.model.encode(source_1S)[0].mean(dim=0)
    share_N = run.model.length.linear(mean_D).softmax(dim=-1).detach()
    assert found.probability == pytest.approx(float(share_N.max()), abs=1e-6)
    assert found.n_source == source_1S.shape[1] == found.n_target - int(share_N.argmax()) + 32
    assert f"**{found.n_target}** tokens with probability" in said(at)
    first = panels(at)[0]
    assert len(first.values[0]) == found.n_target
    assert first.visible[0].tolist() == [False] * (found.n_target - 1) + [True]
    assert list(first.texts[0]) == ["MASK"] * (found.n_target - 1) + ["EOS"]
    assert first.values[0][-1] == first.values[-1][-1] == 1.0
    assert_takeable(at, shown)


def test_only_a_model_that_predicts_lengths_says_one(parallel):
    with pytest.raises(ConfigError, match="predicts no length"):
        predicted_length(parallel, SENTENCE)
