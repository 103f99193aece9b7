import re

import numpy as np
import pytest

from core.analysis.heads.evenness import evenness
from core.inspection import inspect_sentence
from core.runs.run import load_run
from tests.pages.conftest import ROOT, said
from tests.pages.views.conftest import assert_takeable, computed, numbers_of
from tests.pages.views.scaling.conftest import drawn


def test_heads_are_those_of_the_attention_page_before_the_change(open_scaling):
    at = open_scaling(scaling="heads", model="translate", sentence="The cat slept.")
    before, after = drawn(at)[0].values()
    inspection = inspect_sentence(load_run(ROOT / "gallery" / "translate"), "The cat slept.")
    wanted = [
        evenness(head, attention.even_QK)
        for attention in inspection.attention.values()
        for head in attention.weights_HQK
    ]
    assert before == pytest.approx(wanted, abs=1e-6)
    assert 0 <= min(after) <= max(after) <= 1
    means = re.findall(r"\*\*([\d.]+)\xa0%\*\*", said(at))
    assert [float(each) for each in means] == pytest.approx(
        [100 * np.mean(before), 100 * np.mean(after)], abs=0.051
    )


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_scaling, handed_over):
    at = open_scaling(scaling="heads", model="copy", sentence="a b c")
    [shown] = handed_over
    assert_takeable(at, shown)
    scaled, unscaled = drawn(at)[0].values()
    assert numbers_of(shown, "unscaled", "scaled") == unscaled + scaled
    losses = ("unscaled_loss", "scaled_loss", "same_choices", "tokens")
    assert computed(shown) == numbers_of(shown, "unscaled", "scaled", *losses)
