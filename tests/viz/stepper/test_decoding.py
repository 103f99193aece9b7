from dataclasses import replace

import numpy as np
import pytest

from tests.browser.apps import decoding_cases
from tests.viz.unpacked import unframed
from viz.stepper.decoding import (
    DEFAULT_DECODING_TEXTS,
    Alternative,
    StepView,
    TokenLabel,
    pack_decoding,
    unpack_decoding,
)

HOSTILE = (
    "<script>alert(1)</script>",
    "</s>",
    '"\\',
    "🐈‍⬛",
    "שלום",
    "\u2028",
    "\ud800",
    "{key}",
    "",
)


@pytest.mark.parametrize("case", ["known", "sentence", "by_hand", "alone", "hostile"])
def test_what_is_packed_comes_out_again(case):
    view = replace(decoding_cases.CASES[case](), arrival=2)
    back = unpack_decoding(pack_decoding(view))
    for name in ("source", "divergence", "first_difference", "start", "arrival"):
        assert getattr(back, name) == getattr(view, name)
    assert back.texts == DEFAULT_DECODING_TEXTS
    assert (back.forced is None) == (view.forced is None)
    for one, other in [(back.free, view.free), (back.forced, view.forced)]:
        if one and other:
            assert (one.fed, one.steps) == (other.fed, other.steps)
            assert np.abs(one.cross - other.cross).max() <= 1 / 65535
            assert np.abs(one.self_ - other.self_).max() <= 1 / 65535
            assert (np.triu(one.self_, 1) == 0).all()


def test_a_decoder_that_does_not_look_back_is_packed_without_those_weights():
    view = decoding_cases.known()
    free, forced = (replace(side, self_=None) for side in (view.free, view.forced))
    back = unpack_decoding(pack_decoding(replace(view, free=free, forced=forced)))
    assert back.free.self_ is None and back.forced.self_ is None
    assert np.abs(back.forced.cross - view.forced.cross).max() <= 1 / 65535


def test_a_decoder_alone_is_packed_with_its_prompt_and_without_a_source():
    view = decoding_cases.prompt()
    assert view.free.n_before == 2
    back = unpack_decoding(pack_decoding(view))
    assert back.source == () and back.free.cross is None and back.forced.cross is None
    for one, other in ((back.free, view.free), (back.forced, view.forced)):
        assert (one.fed, one.steps) == (other.fed, other.steps)
        assert one.self_.shape == (2, 3, 5, 7)
        assert np.abs(one.self_ - other.self_).max() <= 1 / 65535


def with_cross(weights):
    view = decoding_cases.known()
    cross = view.free.cross.copy()
    cross[0, 0, 0] = weights
    return replace(view, free=replace(view.free, cross=cross))


def test_three_digits_of_a_weight_survive_and_only_zero_becomes_zero():
    view = with_cross(np.array([0.9726, 0.0123, 1e-9, 0.0], np.float32))
    shown = unpack_decoding(pack_decoding(view)).free.cross[0, 0, 0]
    assert [f"{weight:.3g}" for weight in shown[:2]] == ["0.973", "0.0123"]
    assert shown[2] > 0
    assert shown[3] == 0


def test_a_sum_a_little_above_one_is_full_weight():
    view = with_cross(np.array([1.00005, 0, 0, 0], np.float32))
    assert unpack_decoding(pack_decoding(view)).free.cross[0, 0, 0, 0] == 1.0


def test_the_largest_page_stays_small():
    assert len(pack_decoding(decoding_cases.many(3, 8, 60, 60))) < 1_000_000


def test_any_characters_survive():
    labels = tuple(TokenLabel(text, special=i % 2 == 0) for i, text in enumerate(HOSTILE))
    view = decoding_cases.hostile()
    side = replace(view.free, fed=labels[: len(view.source)])
    back = unpack_decoding(pack_decoding(replace(view, free=side)))
    assert back.free.fed == side.fed


def chart_of(step):
    """Which bars the component marks as chosen and as true."""
    view = decoding_cases.known()
    steps = (step, *view.free.steps[1:])
    header, _ = unframed(pack_decoding(replace(view, free=replace(view.free, steps=steps))))
    written = header["sides"][0]["steps"][0]
    return written["chosenAt"], written["trueAt"]


def test_of_two_tokens_that_read_the_same_the_one_with_that_probability_is_marked():
    le = TokenLabel("le")
    top = (Alternative(7, le, 0.5), Alternative(8, le, 0.3), Alternative(9, TokenLabel("la"), 0.1))
    step = StepView(le, 0.3, top, 0.1, 1.0, le, 0.5, 0)
    assert chart_of(step) == (1, 0)
    assert chart_of(replace(step, chosen=TokenLabel("chat"), chosen_probability=0.01))[0] == -1


def test_a_token_that_reads_otherwise_in_the_list_is_marked_by_its_number():
    was, begins = TokenLabel("était"), TokenLabel("␣était")
    top = (Alternative(7, begins, 0.93), Alternative(8, was, 0.001))
    step = StepView(was, 0.93, top, 0.069, 1.0, was, 0.93, 0, chosen_token=7, true_token=7)
    assert chart_of(step) == (0, 0)
    assert chart_of(replace(step, true_token=8)) == (0, 1)


def test_a_page_may_translate_the_texts():
    view = replace(decoding_cases.known(), texts={"fed": "Eingabe"})
    texts = unpack_decoding(pack_decoding(view)).texts
    assert (texts["fed"], texts["next"]) == ("Eingabe", "comes next")


STEP = {
    "chosen": TokenLabel("a"),
    "chosen_probability": 0.6,
    "top": (Alternative(1, TokenLabel("a"), 0.6), Alternative(2, TokenLabel("b"), 0.3)),
    "others": 0.1,
    "entropy": 0.9,
}
