"""What silencing each head costs, against decoding and evaluations of its own."""

import numpy as np
import pytest
import torch

from core.batch import pad
from core.config import ConfigError
from core.decoding.generate import generate
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.exposure import exposure
from core.evaluate.intervals import Difference
from core.evaluate.metrics import measure, sorted_batches
from core.evaluate.pronouns import study_pronouns
from core.heads import Head, Kind, Site
from core.model import Silence
from core.runs.run import load_run
from core.studies.effects.head_effects import (
    HeadEffect,
    HeadEffects,
    Silenceable,
    costliest_first,
    effect_maps,
    figure_of,
)
from tests.core.conftest import GALLERY


@pytest.fixture(scope="module")
def pairs(guided):
    return held_out_pairs(guided, 40, 7)


@pytest.fixture(scope="module")
def silenceable(guided, pairs):
    return Silenceable(guided.model, pairs)


SILENT = [
    [],
    [("decoder.1.cross", 0)],
    [("encoder.2.self", 0), ("decoder.1.cross", 2)],
    [("decoder.1.self", 2)],
    [("decoder.0.cross", 1), ("decoder.0.cross", 0)],
    [("decoder.0.cross", head) for head in range(4)],
]


@pytest.mark.parametrize("names", SILENT)
def test_right_is_what_decoding_with_the_same_heads_silent_writes(
    guided, pairs, silenceable, names
):
    heads = [Head(Site.parse(site), head) for site, head in names]
    found = silenceable.figures(heads)
    batches = list(sorted_batches(pairs))
    written = [
        target == pair.target[1:]
        for batch in batches
        for target, pair in zip(
            generate(guided.model, pad([p.source for p in batch]), probe=Silence.of(heads)),
            batch,
            strict=True,
        )
    ]
    assert found.right_N.tolist() == written
    # The claim is tested on sentences that are right and on such that are not.
    assert names in (SILENT[0], SILENT[-1]) or 0 < sum(written) < len(written)


def test_with_all_heads_the_figures_are_those_of_the_evaluation(guided, pairs, silenceable):
    found, quality = silenceable.figures(), measure(guided.model, pairs, guided.tokenizer)
    assert found.exact_match == quality.exact_match
    assert found.loss == pytest.approx(quality.loss, abs=2e-6)
    assert found.pronoun_right_R.mean() == study_pronouns(guided.model, pairs).accuracy


def test_a_parallel_decoder_is_refused_for_its_rows_are_fed_what_they_are_to_predict(parallel_run):
    pairs = held_out_pairs(parallel_run, 4, 0)
    with pytest.raises(ConfigError, match="fills in all words at once"):
        Silenceable(parallel_run.model, pairs)
    with pytest.raises(ConfigError, match="fills in all words at once"):
        exposure(parallel_run.model, pairs)


@pytest.mark.slow
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


def difference(change):
    return Difference(before=0.5, after=0.5 + change, low=change - 0.1, high=change + 0.1, n=400)


@pytest.mark.parametrize("figure", ["exact_match", "pronoun", "loss"])
def test_the_head_that_makes_a_figure_worst_comes_first(figure):
    heads = Site("encoder", 0, "self").heads(3)
    # A larger loss is as bad as a smaller share: here the later head always costs more.
    effects = [
        HeadEffect(head, difference(-at / 10), difference(at / 10), difference(-at / 20))
        for at, head in enumerate(heads)
    ]
    measured = HeadEffects(tuple(effects), 400, 0, 100)
    assert costliest_first(measured, figure) == effects[::-1]
    expected = [[figure_of(each, figure).change for each in effects]]
    assert effect_maps(measured, figure)[Kind.ENCODER_SELF] == pytest.approx(np.array(expected))
