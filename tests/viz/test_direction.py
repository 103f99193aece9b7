import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from viz.direction import isolated, unmarked

# UAX #9: letters and digits that run from right to left, and signs that turn a text.
TURNING = {"R", "AL", "AN", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
BEGINNINGS = {"LRI", "RLI", "FSI"}


@pytest.mark.parametrize("text", ["", "cat", "…!", "老师", "नमस्ते", "👨‍👩‍👧", "1️⃣", "🇫🇷", "ไทย", "é"])
def test_what_runs_from_left_to_right_stays_as_it_is(text):
    assert isolated(text) == text


@pytest.mark.parametrize("text", ["سلام", "می‌خواهم", "ר.", "(שלום", "٣", "‏.", "a ܐ b", "𐤀", "𞤀"])
def test_what_runs_from_right_to_left_is_isolated_once(text):
    assert isolated(text) == f"\u2068{text}\u2069" == isolated(isolated(text))
    assert unmarked(isolated(text)) == text


def test_every_sign_that_turns_a_text_is_known():
    turning = [
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.bidirectional(chr(code)) in TURNING
    ]
    # A lone end is left out, for it would end what is begun around it.
    assert len(turning) > 1_000
    assert all(isolated(sign).startswith("\u2068") for sign in turning)


@given(st.text("aא٣ .:(\u202e\u202c\u2066\u2067\u2068\u2069"))
@example("\u2069 it: 0.61")
@example("\u2067\u202eא")
def test_whatever_a_token_holds_ends_with_it(token):
    depth = 0
    for sign in isolated(token):
        kind = unicodedata.bidirectional(sign)
        depth += (kind in BEGINNINGS) - (kind == "PDI")
        assert depth >= 0
        # Outside of all isolates nothing is left that could move a neighbour.
        assert depth or kind == "PDI" or kind not in TURNING
    assert depth == 0
