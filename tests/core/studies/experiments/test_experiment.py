from dataclasses import fields, replace

import pytest

from core.model.building import count_parameters
from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.experiment import BASE, Experiment, Variant
from core.studies.experiments.measures import BLEU
from core.studies.experiments.results import SHIPPED, Results
from core.tasks import TASKS

CASES = [(each, variant) for each in EXPERIMENTS.values() for variant in each.variants]


@pytest.mark.parametrize(("experiment", "variant"), CASES, ids=lambda each: each.name)
def test_every_variant_can_be_trained_and_differs_from_the_base_in_what_it_says(
    experiment, variant
):
    assert experiment.task in TASKS
    found, base = (experiment.preset(each, 2) for each in (variant, experiment.variants[0]))
    assert found.training.seed == 2
    same = {"steps", "batch_size", "evaluate_every", "checkpoint_every"}
    # What others start from is trained before them, in another way.
    if variant.name not in {each.start for each in experiment.variants}:
        for name in same:
            assert getattr(found.training, name) == getattr(base.training, name)
    differing = {
        each.name
        for part in ("model", "training")
        for each in fields(getattr(base, part))
        if getattr(getattr(found, part), each.name) != getattr(getattr(base, part), each.name)
    }
    # Heads of another number have another width.
    assert differing - {"d_k", "d_v"} == set(variant.changes)
    assert count_parameters(found.model) > 0


@pytest.mark.parametrize("names", [["other"], [BASE, "one", "one"], []])
def test_variants_need_names_of_their_own_and_a_base(names):
    order = EXPERIMENTS["order"]
    with pytest.raises(ValueError, match="base first"):
        replace(order, variants=tuple(Variant(name, name) for name in names))
    assert isinstance(order, Experiment)


def test_a_start_or_a_measure_that_there_is_not_is_refused():
    order = EXPERIMENTS["order"]
    with pytest.raises(ValueError, match="no variant to start from: nowhere"):
        replace(order, variants=(Variant(BASE, "all", start="nowhere"),))
    with pytest.raises(ValueError, match="bleu is not measured"):
        replace(order, judged_by="bleu")
    with pytest.raises(ValueError, match="as good is said of shares, not of bleu"):
        replace(order, measures=(BLEU,), judged_by="bleu")


def test_an_order_or_a_control_of_other_variants_is_refused():
    order = EXPERIMENTS["order"]
    with pytest.raises(ValueError, match="are not its variants"):
        replace(order, ordered=(BASE,))
    with pytest.raises(ValueError, match="no variant nobody"):
        replace(order, control="nobody")


def test_variants_are_shown_in_an_order_of_their_own_where_there_is_one():
    assert EXPERIMENTS["order"].shown == EXPERIMENTS["order"].variants
    shown = [each.name for each in EXPERIMENTS["vocabulary"].shown]
    assert shown == ["300", "600", BASE, "4000"]


def test_what_all_others_begin_with_is_the_start():
    assert EXPERIMENTS["metric"].start == EXPERIMENTS["metric"].variant("half")
    assert EXPERIMENTS["order"].start is None


def test_what_is_impossible_by_construction_was_never_seen():
    for experiment, variant in CASES:
        for measure in variant.impossible:
            found = Results.load(SHIPPED / f"{experiment.name}.json")
            assert [each.value(measure) for each in found.of(variant.name)] == [0.0] * 3
            assert not experiment.preset(variant, 0).model.pointer


def test_what_is_judged_is_claimed():
    for each in EXPERIMENTS.values():
        assert each.fading or any(variant.expected for variant in each.variants)


def test_a_variant_that_there_is_not_is_named():
    with pytest.raises(KeyError, match="nothing"):
        EXPERIMENTS["order"].variant("nothing")
