import math

import numpy as np
import pytest

from core.decoding.generate import decode_steps
from core.decoding.mask_predict import MaskPredict
from core.decoding.parallel import passes_of
from core.decoding.sentence import model_input
from core.runs.run import load_run
from tests.pages.conftest import ROOT
from tests.pages.views.decoding.conftest import panels, texts

SENTENCE = "a b c d b e f g"


@pytest.fixture(scope="module")
def parallel():
    return load_run(ROOT / "gallery" / "parallel")


@pytest.mark.parametrize("n", [1, 3])
def test_each_pass_shows_what_it_read_and_what_it_wrote(open_view, parallel, n):
    # As older links open it.
    at, _shown = open_view("passes", model="parallel", sentence=SENTENCE, passes=str(n))
    found = passes_of(parallel, SENTENCE, MaskPredict(n))
    first, _beside = panels(at)
    assert len(first.values) == 2 * n
    n_shown = max(len(each.written) for each in found)
    describe = parallel.target_tokenizer.describe_alone
    for number, each in enumerate(found):
        reads, writes = 2 * number, 2 * number + 1
        np.testing.assert_array_equal(~first.visible[reads], each.masked[:n_shown])
        assert first.visible[writes].all()
        assert list(first.texts[writes]) == [t.text for t in describe(each.token_ids[:n_shown])]
        np.testing.assert_allclose(first.values[writes], each.probabilities[:n_shown], rtol=1e-6)
        if number:
            kept = [t.text for t in describe(found[number - 1].token_ids[:n_shown])]
            hidden = each.masked[:n_shown]
            expected = ["MASK" if h else text for h, text in zip(hidden, kept, strict=True)]
            assert list(first.texts[reads]) == expected
    assert set(first.texts[0]) == {"MASK"}
    # Counted from 1, as the text above counts them.
    assert texts(first.rows.labels)[:2] == ["pass 1 reads", "pass 1 writes"]


def test_a_chosen_length_is_filled_and_the_models_own_is_named(open_view, parallel):
    at, shown = open_view("steps", model="parallel", sentence=SENTENCE, length="3")
    [*_, last] = passes_of(parallel, SENTENCE, MaskPredict(n_tokens=3))
    written = parallel.target_tokenizer.describe_alone(last.written)
    assert list(panels(at)[0].texts[-1]) == texts(written)
    assert len(written) == 4
    own = len(passes_of(parallel, SENTENCE, MaskPredict())[-1].written) - 1
    assert f"Length 3 is given; the model itself writes {own}." in shown.seen


def test_beside_are_the_steps_of_a_run_of_the_same_task_that_writes_left_to_right(open_view):
    causal = load_run(ROOT / "gallery" / "either")
    at, shown = open_view("steps", model="parallel", sentence=SENTENCE)
    _first, beside = panels(at)
    steps = list(decode_steps(causal.model, model_input(causal, SENTENCE).source_S))
    n = len(steps)
    np.testing.assert_array_equal(beside.visible, np.tril(np.ones((n, n), bool)))
    sure = [math.exp(step.log_probability) for step in steps]
    np.testing.assert_allclose(beside.values[-1], sure, rtol=1e-5)
    assert texts(beside.rows.labels)[0] == "step 1 writes"
    assert "“either”: left to right" in beside.title
    assert shown.columns()["run"][-1] == "either"
