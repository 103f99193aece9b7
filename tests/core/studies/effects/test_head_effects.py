"""What silencing each head costs, against decoding and evaluations of its own."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

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
from core.studies.effects import head_effects as measuring
from core.studies.effects.head_effects import (
    HeadEffect,
    HeadEffects,
    Silenceable,
    costliest_first,
    effect_maps,
    end_of,
    figure_of,
    figures,
    head_effects,
)
from core.studies.heads.question import heads_of

GALLERY = Path(__file__).parents[4] / "gallery"


GUIDED = Head(Site("encoder", 2, "self"), 0)


N = 60


@pytest.fixture(scope="module")
def run():
    return load_run(GALLERY / "translate-guided")


@pytest.fixture(scope="module")
def effects(run):
    return {each.head: each for each in head_effects(run, N, seed=3)}


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


def test_a_target_beyond_the_limit_of_decoding_is_never_right(run, monkeypatch):
    [pair] = held_out_pairs(run, 1, 7)
    assert Silenceable(run.model, [pair]).figures().right_N.tolist() == [True]
    n_tokens = len(pair.target) - 1
    monkeypatch.setattr(measuring, "length_limit", lambda model, length: n_tokens - 1)
    assert Silenceable(run.model, [pair]).figures().right_N.tolist() == [False]


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


def test_every_head_is_measured_on_the_same_sentences(run, effects):
    assert list(effects) == heads_of(run.model)
    assert {each.exact_match.n for each in effects.values()} == {N}
    assert len({each.exact_match.before for each in effects.values()}) == 1
    assert len({each.loss.before for each in effects.values()}) == 1


def test_the_guided_head_costs_pronouns_for_sure_and_most_heads_do_not(effects):
    found = effects[GUIDED]
    assert found.pronoun.is_sure
    assert found.pronoun.change < -0.3
    assert not found.changes_nothing
    sure = [head for head, each in effects.items() if each.pronoun.is_sure]
    assert set(sure) <= {GUIDED, Head(Site("encoder", 1, "self"), 1)}


def test_a_task_without_pronouns_has_no_effect_on_them(copy_run):
    effects = list(head_effects(copy_run, 4))
    assert len(effects) == 8
    assert {each.pronoun for each in effects} == {None}


SITES = [
    Site(stack, layer, kind)
    for stack, kind in (("encoder", "self"), ("decoder", "self"), ("decoder", "cross"))
    for layer in range(2)
]


def difference(change):
    return Difference(before=0.5, after=0.5 + change, low=change - 0.1, high=change + 0.1, n=400)


@pytest.mark.parametrize("figure", ["exact_match", "pronoun", "loss"])
def test_every_change_stands_at_its_layer_and_head(figure):
    measured = drawn_effects()
    maps = effect_maps(measured, figure)
    assert {kind: values.shape for kind, values in maps.items()} == dict.fromkeys(Kind, (2, 3))
    for each in measured.heads:
        value = maps[each.head.kind][each.head.layer, each.head.index]
        assert value == np.float32(figure_of(each, figure).change)


def test_a_figure_that_was_not_measured_is_not_offered():
    assert figures(drawn_effects()) == ["exact_match", "pronoun", "loss"]
    assert figures(drawn_effects(with_pronouns=False)) == ["exact_match", "loss"]
    with pytest.raises(ValueError, match="pronoun"):
        effect_maps(drawn_effects(with_pronouns=False), "pronoun")


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1))
def test_no_change_is_beyond_the_end_of_the_scale_and_few_are_far_within(changes):
    largest = float(np.abs(np.array(changes, np.float32)).max())
    end = end_of({Kind.ENCODER_SELF: np.array([changes], np.float32)})
    assert end >= largest * (1 - 1e-6)
    assert end <= max(0.01, 2.5 * largest * (1 + 1e-6))
    # One, two or five times a power of ten.
    assert f"{end:e}"[0] in "125"


@pytest.mark.parametrize("figure", ["exact_match", "pronoun", "loss"])
def test_the_head_that_makes_a_figure_worst_comes_first(figure):
    measured = drawn_effects()
    ranked = costliest_first(measured, figure)
    # A larger loss is as bad as a smaller share: here the later head always costs more.
    assert ranked == list(reversed(measured.heads))


def drawn_effects(with_pronouns=True):
    """Every head with a change of its own, three heads in each of two layers."""
    found = [
        HeadEffect(
            head=Head(site, head),
            exact_match=difference(-(at * 3 + head) / 100),
            loss=difference((at * 3 + head) / 10),
            pronoun=difference(-(at * 3 + head) / 50) if with_pronouns else None,
        )
        for at, site in enumerate(SITES)
        for head in range(3)
    ]
    return HeadEffects(tuple(found), 400, 0, 100)
