"""Layers, LayerNorm, units, mixing, and why scores are divided."""

import math

import numpy as np
import pytest

from core.decoding.sentence import translate
from core.heads import Site
from core.model import Step
from core.studies.lessons.scaling import sampled_widths
from pages.frame.language import percent, plain
from tests.pages.conftest import chart_rows, said, send
from tests.pages.views.lessons.conftest import TIRED, charts, exact, panels, row_names


def test_at_its_last_depth_the_lens_says_what_the_model_says(open_lesson, run):
    at, _shown = open_lesson("layers")
    [panel] = panels(at)
    fed = [token.text for token in run.tokenizer.describe(translate(run, TIRED).fed_ids)]
    assert [label.text for label in panel.columns.labels] == fed
    assert list(panel.texts[-1]) == [*fed[1:], "EOS"]
    # The embedding of a tied model says what it was fed, which is grey: it only repeats.
    assert list(panel.texts[0])[1:] == fed[1:]
    repeats = [[text == own for text, own in zip(row, fed, strict=True)] for row in panel.texts]
    assert (~panel.visible[:-1]).tolist() == repeats[:-1]
    assert panel.visible[-1].all()
    send(at, "pick", {"panel": 0, "row": 0, "column": 11})
    assert at.selectbox(key="lens_position").value == 11
    assert "“était”" in said(at)
    at.text_input(key="sentence").set_value("The cat slept.").run()
    assert at.selectbox(key="lens_position").value < 7


@pytest.mark.parametrize("position", [3, 9])
def test_the_line_says_from_which_layer_on_a_word_is_the_best_guess(open_lesson, position):
    at, shown = open_lesson("layers", lens_position=str(position))
    [panel] = panels(at)
    guesses = [row[position] for row in panel.texts]
    first = next(i for i in range(len(guesses)) if set(guesses[i:]) == {guesses[-1]})
    where = [
        f"“{plain(guesses[-1])}” is the best guess from the embedding on",
        f"“{plain(guesses[-1])}” is the best guess from layer 0 on",
        f"the last layer is the first to guess “{plain(guesses[-1])}”",
    ]
    assert where[first] in shown.seen


def test_older_links_name_a_stack_a_position_and_a_picture_of_their_own(open_lesson, tensors):
    query = {"layers_shown": "added", "stream_stack": "encoder", "stream_position": "3"}
    at, shown = open_lesson("layers", **query)
    assert at.segmented_control(key="layers_shown").value == "norm"
    sites = [
        Site("encoder", layer, kind) for layer in range(3) for kind in ("self", "feed_forward")
    ]
    added = np.stack([np.linalg.norm(tensors[site, Step.ADDED], axis=-1)[3] for site in sites])
    output = [row["value"] for row in chart_rows(at) if row["series"] == "output"]
    assert output == pytest.approx(added.tolist(), rel=1e-5)
    most = int(added.argmax())
    # The embedding comes before the first sublayer.
    before = [Site("encoder", 0, "embedding"), *sites][most]
    length = np.linalg.norm(tensors[before, Step.STREAM_OUT][3])
    assert f"adds most: **{added[most]:.3g}** ({length:.3g} before, " in shown.seen
    # The row of attention comes first: it is the first one of the picture.
    assert shown.seen.startswith(f"{plain('Self-attention 0')} adds to “")
    assert f"a vector of length **{added[0]:.3g}** (" in shown.seen


def test_other_sentences_move_a_vector_under_batch_norm_alone(open_lesson):
    # The older name of a sublayer stays valid.
    at, shown = open_lesson("norm", layer="1", sublayer="feed-forward")
    [moved] = charts(at)
    # LayerNorm counts no other position: only rounding moves a vector.
    assert max(moved["LayerNorm"]) < 1e-5
    assert f"by up to **{max(moved['BatchNorm']):.2f}** standard deviations" in shown.seen


def test_the_line_counts_the_units_that_fire_on_one_word_alone(open_lesson, tensors):
    at, shown = open_lesson("units", unit_stack="decoder", layer="1", unit_position="3")
    fires_KF = tensors[Site("decoder", 1, "feed_forward"), Step.HIDDEN]
    share = f"**{100 * (fires_KF[3] > 0).mean():.1f}".removesuffix(".0")
    assert any(each.value.startswith(share) for each in at.caption)
    strongest = np.argsort(-fires_KF[3])[:8]
    n_alone = int(((fires_KF[:, strongest] > 0).sum(axis=0) == 1).sum())
    counted = f"**{n_alone} of the 8** units" if n_alone else "All **8** units"
    assert shown.seen.startswith(counted)
    np.testing.assert_allclose(
        panels(at)[0].values, np.maximum(fires_KF[:, strongest].T, 0), rtol=1e-5
    )


def test_units_open_on_the_layer_in_which_most_fire_and_a_click_opens_another(open_lesson):
    at, _shown = open_lesson("units")
    _top, panel = panels(at)
    position = at.selectbox(key="unit_position").value
    assert panel.columns.labels[position].text == "it"
    assert at.selectbox(key="layer").value == panel.values[:, position].argmax()
    send(at, "pick", {"panel": 0, "row": 0, "column": 3})
    assert at.selectbox(key="layer").value == 0
    assert at.selectbox(key="unit_position").value == 3


def test_only_attention_mixes_positions(open_lesson):
    at, shown = open_lesson("mixing", layer="2")
    attention, feed_forward = (panel.values for panel in panels(at))
    off = ~np.eye(len(attention), dtype=bool)
    assert (attention[off] > 0).all()
    assert (feed_forward[off] == 0).all()
    assert (np.diag(feed_forward) > 0).all()
    assert f"up to **{percent(attention[off].max())}** of the change" in shown.seen
    assert f"the feed-forward layer **{percent(0)}**" in shown.seen


@pytest.mark.parametrize("d_k", [1, 1024])
def test_a_softmax_of_wide_vectors_saturates_unless_scores_are_divided(open_lesson, d_k):
    at, shown = open_lesson("scaling", undivided="16, 32; -48 8", d_k=str(d_k))
    x = np.array([16, 32, -48, 8])
    weights, variance, gradient = charts(at)
    for name, scores in (("without ÷ √d_k", x), ("with ÷ √d_k", x / math.sqrt(d_k))):
        y = exact(scores)
        assert weights[name] == pytest.approx(y.tolist(), abs=1e-12)
        assert f"**{percent(y.max())}**" in shown.seen
    assert ("hardly any gradient is left" in shown.seen) == (d_k > 1)
    assert f"key 2: 32 ÷ √{d_k:,} = {32 / d_k**0.5:.0f}" in row_names(at)
    sampled = sampled_widths(1000, 0)
    assert variance["without ÷ √d_k"] == [each.variance_unscaled for each in sampled]
    assert gradient["with ÷ √d_k"] == [each.gradient_scaled for each in sampled]


def test_a_short_softmax_is_worked_out_at_two_temperatures(open_lesson):
    at, _shown = open_lesson("scaling", undivided="3, 1, -3", d_k="4")
    worked = "(3; 1; −3) = (20.1; 2.72; 0.0498), ÷ 22.9 = **(0.88; 0.12; 0.00)**"
    cooled = "(1.5; 0.5; −1.5) = (4.48; 1.65; 0.223), ÷ 6.35 = **(0.71; 0.26; 0.04)**"
    assert worked in said(at) and f"a temperature of 2: e to the power of {cooled}." in said(at)
