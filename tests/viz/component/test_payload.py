import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.component.payload import (
    TokenLabel,
    check_texts,
    framed,
    padded,
    read_label,
    unframed,
    written_label,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=9,
)


@given(st.dictionaries(st.text(max_size=9), JSON), st.binary(max_size=9))
def test_a_header_comes_out_again_and_what_follows_begins_at_a_multiple_of_four(header, rest):
    packed = framed(header) + rest
    found, begin = unframed(packed)
    assert found == header
    assert begin % 4 == 0
    assert packed[begin:] == rest
    assert struct.unpack_from("<I", packed)[0] <= begin - 4


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_cannot_say_are_refused(number):
    with pytest.raises(ValueError, match="not JSON compliant"):
        framed({"number": number})


@given(st.text(), st.booleans(), st.booleans(), st.booleans())
def test_a_label_comes_out_again(text, special, unknown, continues):
    label = TokenLabel(text, special, unknown, continues)
    assert read_label(written_label(label)) == label


@given(st.binary(max_size=40))
def test_a_block_is_filled_up_with_less_than_four_zeros(block):
    found = padded(block)
    assert found[: len(block)] == block
    assert len(found) % 4 == 0
    assert not found[len(block) :].strip(b"\0")
    assert len(found) - len(block) < 4


def test_a_text_that_is_shown_nowhere_is_refused_by_name():
    check_texts({"title": "Titre"}, {"title": "Title"})
    with pytest.raises(ValueError, match="titel"):
        check_texts({"titel": "Titre"}, {"title": "Title"})
