import re

import numpy as np
import pytest
import torch

from core.decoding.sentence import translate
from core.runs.run import load_run
from tests.pages.conftest import ROOT, said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.scaling.conftest import WIDTHS, drawn


@pytest.mark.parametrize("components", ["normal", "uniform", "±1"])
def test_sampled_variances_stand_beside_theory(open_scaling, components):
    at = open_scaling(scaling="variance", components=components, samples="1000", sample_seed="4")
    unscaled, scaled, theory, one = drawn(at)[0].values()
    assert theory == WIDTHS
    assert one == [1] * len(WIDTHS)
    assert unscaled == pytest.approx(theory, rel=0.35)
    assert scaled == pytest.approx(np.divide(unscaled, WIDTHS), rel=1e-12)
    assert "n = 1,000" in said(at)
    assert "seed 4" in said(at)


def test_signs_are_sampled_as_said(open_scaling):
    at = open_scaling(scaling="variance", components="±1", samples="30", sample_seed="7")
    random = np.random.default_rng(7)
    wanted = []
    for width in WIDTHS:
        query = random.integers(0, 2, (30, width)) * 2 - 1
        key = random.integers(0, 2, (30, width)) * 2 - 1
        wanted.append(float((query * key).sum(axis=1).var()))
    assert next(iter(drawn(at)[0].values())) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(("key", "value"), [("samples", 30), ("components", "uniform")])
def test_every_choice_of_samples_changes_the_picture(open_scaling, key, value):
    at = open_scaling(scaling="variance")
    before = drawn(at)[0]
    at.segmented_control(key=key).set_value(value).run()
    assert drawn(at)[0] != before


def test_the_models_own_variances_are_its_queries_and_keys(open_scaling):
    at = open_scaling(scaling="variance", model="copy", sentence="a b c")
    products, divided = drawn(at, chart=1)[0].values()
    run = load_run(ROOT / "gallery" / "copy")
    assert len(products) == 4 * len(run.model.sites())
    assert products == pytest.approx([each * run.settings.model.d_k for each in divided], rel=1e-9)
    # Layer 0 of the pre-norm encoder by hand.
    source = translate(run, "a b c").source_ids
    with torch.inference_mode():
        layer = run.model.encoder[0]
        attention = layer.self_attention
        x = layer.residuals[0].norm(run.model.source_embedding(torch.tensor([source])))
        query, key = (
            part(x)[0].double().view(len(source), 4, -1).transpose(0, 1)
            for part in (attention.query, attention.key)
        )
    wanted = (query @ key.transpose(1, 2)).flatten(1).var(dim=1, correction=0)
    assert products[:4] == pytest.approx(wanted.tolist(), rel=1e-4)


@pytest.mark.parametrize("components", ["normal", "±1"])
def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(
    open_scaling, handed_over, components
):
    at = open_scaling(scaling="variance", components=components, samples="30", sample_seed="2")
    [shown] = handed_over
    assert_takeable(at, shown)
    assert len(shown.pictures) == 2
    sampled, heads = ([*drawn(at, chart)[0].values()] for chart in (0, 1))
    assert numbers_of(shown, "unscaled") == sampled[0] + heads[0]
    assert numbers_of(shown, "scaled") == sampled[1] + heads[1]
    assert computed(shown) == numbers_of(shown, "unscaled", "scaled")


def test_the_line_says_the_variance_at_the_largest_width(open_scaling):
    at = open_scaling(scaling="variance")
    series, _frame = drawn(at)
    widest = WIDTHS[-1]
    text = said(at)
    assert f"At d_k = {widest:,} the variance of q·k is **" in text
    unscaled = float(re.search(r"of q·k is \*\*([\d,.e+]+)\*\*", text)[1].replace(",", ""))
    assert unscaled == pytest.approx(series["q·k"][-1], rel=0.01)
    assert unscaled == pytest.approx(widest, rel=0.3)
