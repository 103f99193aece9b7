from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.batch import pad
from core.decoding.generate import generate
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.intervals import Difference
from core.heads import Head, Kind, Site
from core.model import Silence
from core.runs.run import load_run
from core.studies.effects.ablation import every_head
from core.studies.effects.head_effects import (
    HeadEffect,
    HeadEffects,
    costliest_first,
    effect_maps,
    end_of,
    figure_of,
    figures,
    head_effects,
)

GALLERY = Path(__file__).parents[4] / "gallery"


GUIDED = Head(Site("encoder", 2, "self"), 0)


N = 60


@pytest.fixture(scope="module")
def run():
    return load_run(GALLERY / "translate-guided")


@pytest.fixture(scope="module")
def effects(run):
    return {each.head: each for each in head_effects(run, N, seed=3)}


def test_every_head_is_measured_on_the_same_sentences(run, effects):
    assert list(effects) == every_head(run.model)
    assert {each.exact_match.n for each in effects.values()} == {N}
    assert len({each.exact_match.before for each in effects.values()}) == 1
    assert len({each.loss.before for each in effects.values()}) == 1


def test_the_change_in_exact_match_is_that_of_translating_with_and_without_the_head(run, effects):
    pairs = held_out_pairs(run, N, seed=3)
    source_BS = pad([pair.source for pair in pairs])
    others = [head for head in effects if head != GUIDED]
    # The other one is that of the rest which is needed most.
    for head in (GUIDED, min(others, key=lambda each: effects[each].exact_match.change)):
        shares = []
        for probe in (None, Silence.of([head])):
            written = generate(run.model, source_BS, probe=probe)
            right = [target == pair.target[1:] for target, pair in zip(written, pairs, strict=True)]
            shares.append(sum(right) / N)
        found = effects[head].exact_match
        assert (found.before, found.after) == pytest.approx(shares)
        assert found.after < found.before - 0.1


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


def test_a_head_changes_nothing_where_every_interval_holds_0():
    nothing, something = Difference(1, 1, -0.1, 0.1, 9), Difference(1, 0.5, -0.7, -0.3, 9)
    head = Head(Site("encoder", 0, "self"), 0)
    assert HeadEffect(head, nothing, nothing, None).changes_nothing
    assert HeadEffect(head, nothing, nothing, nothing).changes_nothing
    assert not HeadEffect(head, nothing, something, None).changes_nothing
    assert not HeadEffect(head, nothing, nothing, something).changes_nothing


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
