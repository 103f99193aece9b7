import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluate.intervals import Difference
from core.heads import Head, Kind, Site
from core.studies.effects.effect_maps import (
    costliest_first,
    effect_maps,
    end_of,
    figure_of,
    figures,
)
from core.studies.effects.head_effects import HeadEffect, HeadEffects

SITES = [
    Site(stack, layer, kind)
    for stack, kind in (("encoder", "self"), ("decoder", "self"), ("decoder", "cross"))
    for layer in range(2)
]


def difference(change):
    return Difference(before=0.5, after=0.5 + change, low=change - 0.1, high=change + 0.1, n=400)


def effects(with_pronouns=True):
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


@pytest.mark.parametrize("figure", ["exact_match", "pronoun", "loss"])
def test_every_change_stands_at_its_layer_and_head(figure):
    measured = effects()
    maps = effect_maps(measured, figure)
    assert {kind: values.shape for kind, values in maps.items()} == dict.fromkeys(Kind, (2, 3))
    for each in measured.heads:
        value = maps[each.head.kind][each.head.layer, each.head.index]
        assert value == np.float32(figure_of(each, figure).change)


def test_a_figure_that_was_not_measured_is_not_offered():
    assert figures(effects()) == ["exact_match", "pronoun", "loss"]
    assert figures(effects(with_pronouns=False)) == ["exact_match", "loss"]
    with pytest.raises(ValueError, match="pronoun"):
        effect_maps(effects(with_pronouns=False), "pronoun")


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
    measured = effects()
    ranked = costliest_first(measured, figure)
    # A larger loss is as bad as a smaller share: here the later head always costs more.
    assert ranked == list(reversed(measured.heads))


def test_heads_that_cost_the_same_stay_in_the_order_of_the_model():
    measured = effects(with_pronouns=False)
    assert costliest_first(measured, "pronoun") == list(measured.heads)
