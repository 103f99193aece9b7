import numpy as np
import pytest

from core.runs.run import load_run
from core.studies.lessons.positions import shuffled
from tests.pages.conftest import ROOT, said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.positions.conftest import charted, set_number
from tests.pages.views.positions.test_norms import TIRED


def caption(at):
    [found] = [each.value for each in at.caption if each.value.startswith("Shuffled: ")]
    return found


def test_shuffled_words_come_out_the_same_without_positions_alone(open_positions):
    at = open_positions("shuffle", model="translate", sentence=TIRED)
    found = shuffled(load_run(ROOT / "gallery" / "translate"), TIRED, 0)
    curves = charted(at)
    assert curves["without positions"] == pytest.approx([1] * len(found.tokens), abs=1e-5)
    cosines = [
        found.cosines_with_SS[token, found.order_S.index(token)]
        for token in range(len(found.tokens))
    ]
    assert curves["with positions"] == pytest.approx(cosines, abs=1e-12)
    assert "does not notice** (all within 0.00001)" in said(at)
    least = int(np.argmin(cosines))
    assert f"**{found.tokens[least].text}** changes most" in said(at)
    assert f"changes most: cosine **{cosines[least]:.2f}**" in said(at)


@pytest.mark.parametrize("model", ["bottleneck-fixed", "bottleneck-attention"])
def test_a_recurrent_encoder_notices_the_order_without_positions(
    open_positions, handed_over, model
):
    at = open_positions("shuffle", model=model, sentence="a b c d e")
    cosines = charted(at)
    assert list(cosines) == ["without positions"]
    assert "has no positions, and its encoder **notices** all the same. Its recurrent" in said(at)
    assert "not notice" not in said(at)
    assert f"changes most: cosine **{min(cosines['without positions']):.2f}**" in said(at)
    tries = " ".join(handed_over[-1].tries)
    assert "keeps its output" not in tries and "Positions but no mask" not in tries


@pytest.mark.parametrize("mixing", ["lstm_two_way", "convolution", "average", "none"])
@pytest.mark.parametrize("positions", ["sinusoidal", "rotary", "none"])
def test_what_is_said_of_the_order_is_what_the_bars_show(
    open_positions, own_random, handed_over, mixing, positions
):
    own_random(encoder_mixing=mixing, positions=positions)
    at = open_positions("shuffle", model="runs/random", sentence="a b c d e")
    cosines = charted(at)
    text, without = said(at), min(cosines["without positions"])
    assert ("does not notice" in text) == (without > 1 - 1e-6)
    assert ("**notices** all the same" in text) == (without < 1 - 1e-6)
    assert ("keeps its output" in handed_over[-1].tries[0]) == (without > 1 - 1e-6)
    shown = "with positions" in cosines
    assert shown == (positions != "none") == ("has no positions" not in text)
    if shown and min(cosines["with positions"]) < 1 - 1e-6:
        assert f"cosine **{min(cosines['with positions']):.2f}**" in text


def test_shuffling_again_gives_another_order(open_positions):
    at = open_positions("shuffle", pe_seed="4")
    before = caption(at)
    set_number(at, "pe_seed", 5)
    assert caption(at) != before
    assert sorted(caption(at).split()) == sorted(before.split())
    assert caption(set_number(at, "pe_seed", 4)) == before
    assert not set_number(at, "pe_seed", -1).exception


def test_one_word_cannot_be_shuffled_and_says_so(open_positions):
    assert "nothing to shuffle" in said(open_positions("shuffle", sentence="animal"))


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_positions, handed_over):
    at = open_positions("shuffle", model="copy", sentence="a b c d", pe_seed="3")
    shown = handed_over[-1]
    assert_takeable(at, shown)
    cosines = numbers_of(shown, "without_positions", "with_positions")
    drawn = charted(at)
    assert {*drawn["without positions"], *drawn["with positions"]} <= {*cosines}
    differences = ("largest_difference_without", "largest_difference_with")
    assert computed(shown) == cosines + numbers_of(shown, *differences)
