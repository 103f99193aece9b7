from pathlib import Path

import pytest

from core.batch import pad
from core.decoding.generate import generate
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.intervals import Difference
from core.heads import Head, Site
from core.model import Silence
from core.runs.run import load_run
from core.studies.effects.head_effects import HeadEffect, HeadEffects, head_effects
from core.studies.effects.silencing import every_head

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


def test_one_heads_effect_is_found_by_its_name(effects):
    found = HeadEffects(tuple(effects.values()), N, 3, 5000)
    assert found.of(GUIDED) is effects[GUIDED]
    with pytest.raises(KeyError):
        found.of(Head(GUIDED.site, 4))
