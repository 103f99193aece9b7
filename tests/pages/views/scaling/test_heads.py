import json
import re

import numpy as np
import pytest

from core.heads import Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.heads.evenness import evenness
from core.studies.lessons.scaling import Rescaled
from pages.views.scaling import heads
from tests.pages.conftest import ROOT, said
from tests.pages.takeable import assert_takeable, computed, numbers_of
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
    assert [float(each) for each in means[-2:]] == pytest.approx(
        [100 * np.mean(before), 100 * np.mean(after)], abs=0.051
    )


@pytest.mark.parametrize("model", ["translate", "copy", "parallel"])
def test_what_the_scaling_is_worth_in_training_is_said_first(open_scaling, model):
    at = open_scaling(scaling="heads", model=model, sentence="a b c")
    if model == "parallel":
        # Its decoder has no next word, which is what is counted below.
        assert "trained without the scaling" not in said(at)
        return
    trained = json.loads((ROOT / "gallery" / "experiments" / "scale.json").read_text())["trained"]
    without, scaled = (
        np.mean([each["exact_match"] for each in trained if each["variant"] == name])
        for name in ("none", "base")
    )
    text = said(at)
    assert (
        "**What you see**] Other models, in short trainings of 800 steps: **trained without the "
        "scaling** they get "
        f"**{100 * without:.1f}\xa0%** of 2,000 held-out sentences right, with it "
        f"**{100 * scaled:.1f}\xa0%** (means of 3"
    ) in text
    assert text.index("trained without") < text.index("stay as they are")


@pytest.mark.parametrize(("after", "said_so"), [(0.1, "**less**"), (0.9, "**more**")])
def test_the_heads_are_said_to_spread_as_they_do(after, said_so):
    site = Site("encoder", 0, "self")
    found = Rescaled({site: (0.5,)}, {site: (after,)}, 4, 3, 0.1, 0.2)
    text = heads._said(found)
    assert said_so in text
    assert "**3** of 4 tokens stay" in text


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_scaling, handed_over):
    at = open_scaling(scaling="heads", model="copy", sentence="a b c")
    [shown] = handed_over
    assert_takeable(at, shown)
    scaled, unscaled = drawn(at)[0].values()
    assert numbers_of(shown, "unscaled", "scaled") == unscaled + scaled
    trained = ("right_trained_without", "right_trained_with")
    losses = ("unscaled_loss", "scaled_loss", "same_choices", "tokens", *trained)
    assert computed(shown) == numbers_of(shown, "unscaled", "scaled", *losses)
