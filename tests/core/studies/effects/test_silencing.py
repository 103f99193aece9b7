"""One pass tells what decoding would, with any heads silent."""

from pathlib import Path

import numpy as np
import pytest
import torch

from core.batch import Pair, collate, pad
from core.config import ConfigError
from core.decoding.generate import generate
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.exposure import exposure
from core.evaluate.metrics import measure, sorted_batches
from core.evaluate.pronouns import study_pronouns
from core.heads import Head, Site
from core.model import Silence
from core.runs.run import load_run
from core.studies.effects import silencing
from core.studies.effects.silencing import Silenceable, every_head

GALLERY = Path(__file__).parents[4] / "gallery"


@pytest.fixture(scope="module")
def run():
    return load_run(GALLERY / "translate-guided")


@pytest.fixture(scope="module")
def pairs(run):
    return held_out_pairs(run, 40, 7)


@pytest.fixture(scope="module")
def silenceable(run, pairs):
    return Silenceable(run.model, pairs)


SILENT = [
    [],
    [("decoder.1.cross", 0)],
    [("encoder.2.self", 0), ("decoder.1.cross", 2)],
    [("decoder.1.self", 2)],
    [("decoder.0.cross", 1), ("decoder.0.cross", 0)],
    [("decoder.0.cross", head) for head in range(4)],
]


@pytest.mark.parametrize("names", SILENT)
def test_right_is_what_decoding_with_the_same_heads_silent_writes(run, pairs, silenceable, names):
    heads = [Head(Site.parse(site), head) for site, head in names]
    found = silenceable.figures(heads)
    batches = list(sorted_batches(pairs))
    written = [
        target == pair.target[1:]
        for batch in batches
        for target, pair in zip(
            generate(run.model, pad([p.source for p in batch]), probe=Silence.of(heads)),
            batch,
            strict=True,
        )
    ]
    assert found.right_N.tolist() == written
    # The claim is tested on sentences that are right and on such that are not.
    assert names in (SILENT[0], SILENT[-1]) or 0 < sum(written) < len(written)


def test_with_all_heads_the_figures_are_those_of_the_evaluation(run, pairs, silenceable):
    found, quality = silenceable.figures(), measure(run.model, pairs, run.tokenizer)
    assert found.exact_match == quality.exact_match
    assert found.loss == pytest.approx(quality.loss, abs=2e-6)
    assert found.pronoun_right_R.mean() == study_pronouns(run.model, pairs).accuracy


def test_pronouns_are_those_of_the_pronoun_study_for_every_head(run, pairs, silenceable):
    for each in study_pronouns(run.model, pairs).heads:
        right_R = silenceable.figures([each.head]).pronoun_right_R
        assert right_R.mean() == pytest.approx(each.silenced_accuracy)


def test_losses_equal_a_computation_in_float64_sentence_by_sentence(run, pairs, silenceable):
    head = Head(Site("encoder", 1, "self"), 1)
    found = silenceable.figures([head])
    ordered = [pair for batch in sorted_batches(pairs) for pair in batch]
    for index in (0, 17, 39):
        batch = collate([ordered[index]])
        with torch.no_grad():
            logits_TV = run.model(batch.source_BS, batch.fed_BT, Silence.of([head]))[0]
        logits_TV = logits_TV.double().numpy()
        shifted_TV = logits_TV - logits_TV.max(axis=1, keepdims=True)
        normed_TV = shifted_TV - np.log(np.exp(shifted_TV).sum(axis=1, keepdims=True))
        labels = batch.labels_BT[0].numpy()
        expected = -normed_TV[np.arange(len(labels)), labels].sum()
        assert found.loss_N[index] == pytest.approx(expected, rel=1e-3, abs=1e-4)
        assert found.n_tokens_N[index] == len(labels)


def test_measuring_with_other_heads_leaves_no_trace(silenceable):
    before = silenceable.figures()
    silenceable.figures([Head(Site("encoder", 0, "self"), 0)])
    silenceable.figures([Head(Site("decoder", 0, "self"), 0)])
    after = silenceable.figures()
    assert np.array_equal(before.loss_N, after.loss_N)


def test_a_target_beyond_the_limit_of_decoding_is_never_right(run, monkeypatch):
    [pair] = held_out_pairs(run, 1, 7)
    assert Silenceable(run.model, [pair]).figures().right_N.tolist() == [True]
    n_tokens = len(pair.target) - 1
    monkeypatch.setattr(silencing, "length_limit", lambda model, length: n_tokens - 1)
    assert Silenceable(run.model, [pair]).figures().right_N.tolist() == [False]


def test_a_task_without_pronouns_has_none(copy_run):
    pairs = [Pair(pair.source, pair.target) for pair in held_out_pairs(copy_run, 3, 0)]
    assert len(Silenceable(copy_run.model, pairs).figures().pronoun_right_R) == 0


def test_every_head_is_named_once_site_by_site(run):
    heads = every_head(run.model)
    assert len(set(heads)) == len(heads) == 7 * 4
    assert [head.site for head in heads if head.index == 0] == list(run.model.sites())


def test_a_parallel_decoder_is_refused_for_its_rows_are_fed_what_they_are_to_predict(parallel_run):
    pairs = held_out_pairs(parallel_run, 4, 0)
    with pytest.raises(ConfigError, match="fills in all words at once"):
        Silenceable(parallel_run.model, pairs)
    with pytest.raises(ConfigError, match="fills in all words at once"):
        exposure(parallel_run.model, pairs)


@pytest.mark.parametrize("silent", SILENT[:2])
def test_of_several_right_targets_whichever_is_written_counts(silent):
    run = load_run(GALLERY / "either")
    pairs = held_out_pairs(run, 60, 3)
    heads = [Head(Site.parse(site), index) for site, index in silent]
    found = Silenceable(run.model, pairs).figures(heads)
    order = [pair for group in sorted_batches(pairs) for pair in group]
    said = [
        generate(run.model, torch.tensor([pair.source]), probe=Silence.of(heads))[0]
        for pair in order
    ]
    assert found.right_N.tolist() == [
        pair.is_right(one) for pair, one in zip(order, said, strict=True)
    ]
    # The one that is shown is a fair coin's.
    shown = [one == pair.target[1:] for pair, one in zip(order, said, strict=True)]
    assert 0 < sum(shown) < found.right_N.sum()
