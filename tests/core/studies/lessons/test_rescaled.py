import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from core.decoding.sentence import translate
from core.model import Record, Step
from core.runs.run import load_run
from core.studies.lessons.rescaled import mean_of, score_spread, without_scaling

GALLERY = Path(__file__).resolve().parents[4] / "gallery"


@pytest.fixture(scope="module", params=["copy", "translate"])
def read(request):
    """A run, a translation of it, and the ids that it is fed."""
    run = load_run(GALLERY / request.param)
    sentence = {"copy": "k d a f q z", "translate": "The cat slept."}[request.param]
    translation = translate(run, sentence)
    return run, translation, (1, *translation.target_ids)


def recorded(run, translation, fed, steps):
    record = Record(steps=frozenset(steps))
    with torch.inference_mode():
        logits = run.model(torch.tensor([translation.source_ids]), torch.tensor([fed]), record)
    return record.tensors, logits[0].double()


def test_variances_are_those_of_the_recorded_scores(read):
    run, translation, fed = read
    tensors, _logits = recorded(run, translation, fed, {Step.SCORES, Step.VISIBLE})
    found = score_spread(run, translation)
    for site in run.model.sites():
        scores = tensors[site, Step.SCORES][0].double().numpy()
        visible = np.broadcast_to(tensors[site, Step.VISIBLE][0].numpy(), scores.shape[1:])
        wanted = [head[visible].var() for head in scores]
        assert found.scaled[site] == pytest.approx(wanted, rel=1e-4)
        assert found.unscaled[site] == pytest.approx(
            [each * run.settings.model.d_k for each in wanted], rel=1e-4
        )


def test_heads_with_the_scaling_are_as_the_model_has_them(read):
    run, translation, fed = read
    tensors, logits = recorded(run, translation, fed, {Step.WEIGHTS, Step.VISIBLE})
    found = without_scaling(run, translation)
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


def test_without_the_scaling_the_first_layer_weighs_the_products_themselves(read):
    run, translation, fed = read
    tensors, _logits = recorded(run, translation, fed, {Step.QUERY, Step.KEY})
    site = run.model.sites()[0]
    query, key = (tensors[site, step][0].double() for step in (Step.QUERY, Step.KEY))
    weights = (query @ key.transpose(1, 2)).softmax(dim=-1)
    wanted = torch.special.entr(weights).sum(-1).mean(-1) / math.log(weights.shape[-1])
    assert without_scaling(run, translation).unscaled[site] == pytest.approx(
        wanted.tolist(), abs=1e-5
    )


def test_without_the_scaling_heads_are_sharper_on_average(read):
    run, translation, _fed = read
    found = without_scaling(run, translation)
    assert mean_of(found.unscaled) < mean_of(found.scaled)
    assert 0 <= found.n_same <= found.n_tokens


def test_a_translation_that_met_the_length_limit_is_not_asked_for_an_end(read):
    run, translation, _fed = read
    cut = replace(translation, finished=False)
    assert without_scaling(run, cut).n_tokens == len(translation.target_ids)
