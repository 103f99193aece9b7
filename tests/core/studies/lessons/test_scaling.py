import math
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.decoding.sentence import translate
from core.model import Record, Step
from core.runs.run import load_run
from core.studies.heads.question import heads_of
from core.studies.lessons.scaling import (
    MOST,
    N_KEYS,
    WIDTHS,
    ScoresError,
    jacobian,
    mean_of,
    read_scores,
    sampled_widths,
    softmax,
    why_scale,
    without_scaling,
)

GALLERY = Path(__file__).resolve().parents[4] / "gallery"


@pytest.mark.parametrize(
    "text", ["1, 2.5, -3", "1 2.5 −3", " 1;2.5 ;\t-3,", "1e0,25e-1,-3.0", "+1,,2.5,,-3"]
)
def test_numbers_are_read_however_they_are_set_apart(text):
    assert read_scores(text).tolist() == [1, 2.5, -3]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "There are no scores"),
        ("1, two", "“two” is not a number"),
        ("1_000", "“1_000” is not a number"),
        ("1, inf", "“inf” is not a finite number"),
        ("1e7", "“1e7” is too large"),
        ("x" * 500, "…” is not a number"),
        ("1 " * (MOST + 1), f"There are {MOST + 1} scores; at most {MOST}"),
    ],
)
def test_what_cannot_be_read_is_named(text, complaint):
    with pytest.raises(ScoresError, match=complaint.replace("(", r"\(")) as found:
        read_scores(text)
    assert len(str(found.value)) < 100


@given(scores=st.lists(st.floats(-20, 20), min_size=1, max_size=16))
def test_the_jacobian_is_what_finite_differences_give(scores):
    scores, step = np.array(scores), 1e-6
    moved = scores + step * np.eye(len(scores)), scores - step * np.eye(len(scores))
    measured = (softmax(moved[0]) - softmax(moved[1])).T / (2 * step)
    assert jacobian(softmax(scores)) == pytest.approx(measured, abs=1e-8)


def test_what_is_sampled_is_near_theory_and_that_of_the_jacobians_themselves():
    found = sampled_widths(40, seed=3)
    assert [each.d_k for each in found] == list(WIDTHS) == [2**i for i in range(11)]
    random = np.random.default_rng(3)
    for each in found:
        query = random.standard_normal((40, each.d_k), dtype=np.float32).astype(float)
        key = random.standard_normal((40, N_KEYS, each.d_k), dtype=np.float32).astype(float)
        scores = (key @ query[:, :, None])[..., 0]
        assert each.variance_unscaled == pytest.approx(scores.var(), rel=1e-3)
        assert each.variance_unscaled == pytest.approx(each.d_k, rel=0.6)
        assert each.variance_scaled == pytest.approx(each.variance_unscaled / each.d_k)
        sides = {1: each.gradient_unscaled, math.sqrt(each.d_k): each.gradient_scaled}
        for divisor, measured in sides.items():
            outputs = [softmax(row / divisor) for row in scores]
            norms = [np.linalg.norm(np.diag(y) - np.outer(y, y)) for y in outputs]
            assert measured == pytest.approx(np.mean(norms), rel=1e-3, abs=1e-12)


def test_without_the_division_scores_are_as_much_larger_as_the_root_of_the_width():
    found = why_scale((1.0, 2.0, 3.0), 64)
    assert found.unscaled.scores_K.tolist() == [8, 16, 24]
    assert found.scaled.scores_K.tolist() == [1, 2, 3]
    assert found.unscaled.norm < 0.01 * found.scaled.norm
    table = found.table()
    assert table["slope"][:9] == found.scaled.jacobian_KK.reshape(-1).tolist()
    assert [each for each in table["d_k"] if each] == list(WIDTHS)
    assert {len(column) for column in table.values()} == {9 + 3 + len(WIDTHS)}


@pytest.fixture(scope="module", params=["copy", "translate"])
def read(request):
    """A run, a sentence, and the translation of it."""
    run = load_run(GALLERY / request.param)
    sentence = {"copy": "k d a f q z", "translate": "The cat slept."}[request.param]
    translation = translate(run, sentence)
    return run, sentence, translation


def recorded(run, translation, steps):
    record = Record(steps=frozenset(steps))
    with torch.inference_mode():
        logits = run.model(
            torch.tensor([translation.source_ids]), torch.tensor([translation.fed_ids]), record
        )
    return record.tensors, logits[0].double()


def test_heads_with_the_scaling_are_as_the_model_has_them(read):
    run, sentence, translation = read
    tensors, logits = recorded(run, translation, {Step.WEIGHTS, Step.VISIBLE})
    found = without_scaling(run, sentence)
    for site in run.model.sites():
        weights = tensors[site, Step.WEIGHTS][0].double().numpy()
        visible = np.broadcast_to(tensors[site, Step.VISIBLE][0].numpy(), weights.shape[1:])
        counts = visible.sum(axis=1)
        entropies = -(weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=2)
        shares = [row[counts > 1] / np.log(counts[counts > 1]) for row in entropies]
        assert found.scaled[site] == pytest.approx([row.mean() for row in shares], abs=1e-6)
    wanted = [*translation.target_ids, 2]
    losses = [-float(row.log_softmax(0)[token]) for row, token in zip(logits, wanted, strict=True)]
    assert found.scaled_loss == pytest.approx(np.mean(losses), rel=1e-6)
    assert found.n_tokens == len(wanted)


def test_without_the_scaling_heads_are_sharper_on_average(read):
    run, sentence, _translation = read
    found = without_scaling(run, sentence)
    assert mean_of(found.unscaled) < mean_of(found.scaled)
    assert found.table()["head"] == [*map(str, heads_of(run.model)), None]
    numbers = [each for heads in found.scaled.values() for each in heads]
    assert found.table()["scaled"] == [*numbers, None]
    assert 0 <= found.n_same <= found.n_tokens
