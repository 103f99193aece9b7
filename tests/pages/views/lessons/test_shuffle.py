import numpy as np
import pytest

from core.runs.run import load_run
from core.studies.lessons.positions import shuffled
from tests.pages.conftest import ROOT, said
from tests.pages.views.lessons.conftest import TIRED, charts, set_number


def caption(at):
    [found] = [each.value for each in at.caption if each.value.startswith("Shuffled: ")]
    return found


def test_shuffled_words_come_out_the_same_without_positions_alone(open_lesson):
    at, shown = open_lesson("shuffle", model="translate", sentence=TIRED)
    found = shuffled(load_run(ROOT / "gallery" / "translate"), TIRED, 0)
    [curves] = charts(at)
    assert curves["without positions"] == pytest.approx([1] * len(found.tokens), abs=1e-5)
    cosines = [
        found.cosines_with_SS[token, found.order_S.index(token)]
        for token in range(len(found.tokens))
    ]
    assert curves["with positions"] == pytest.approx(cosines, abs=1e-12)
    assert "Without positions **no output changes** (all within 0.00001)" in shown.seen
    least = int(np.argmin(cosines))
    changes = f"**{found.tokens[least].text}** changes most: cosine **{cosines[least]:.2f}**"
    assert changes in shown.seen


@pytest.mark.parametrize("mixing", ["lstm_two_way", "convolution", "average", "none"])
@pytest.mark.parametrize("positions", ["sinusoidal", "rotary", "none"])
def test_what_is_said_of_the_order_is_what_the_bars_show(
    open_lesson, own_random, mixing, positions
):
    own_random(encoder_mixing=mixing, positions=positions)
    at, shown = open_lesson("shuffle", model="runs/random", sentence="a b c d e")
    [cosines] = charts(at)
    text, without = shown.seen, min(cosines["without positions"])
    assert ("no output changes" in text) == (without > 1 - 1e-6)
    assert ("**notices** all the same" in text) == (without < 1 - 1e-6)
    has_some = "with positions" in cosines
    assert has_some == (positions != "none") == ("has no positions" not in text)
    if has_some and min(cosines["with positions"]) < 1 - 1e-6:
        assert f"cosine **{min(cosines['with positions']):.2f}**" in text


def test_shuffling_again_gives_another_order(open_lesson):
    at, _shown = open_lesson("shuffle", pe_seed="4")
    before = caption(at)
    set_number(at, "pe_seed", 5)
    assert caption(at) != before
    assert sorted(caption(at).split()) == sorted(before.split())
    assert caption(set_number(at, "pe_seed", 4)) == before


def test_one_word_cannot_be_shuffled_and_says_so(open_lesson):
    assert "nothing to shuffle" in said(open_lesson("shuffle", sentence="animal")[0])
