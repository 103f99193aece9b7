import pytest

from core.heads import Head, Site
from core.studies.heads.patterns import Pattern
from core.studies.heads.summaries import HeadSummary
from core.tokenizer.tokenizer import Token
from pages.views.attention import head_table

TOKENS = tuple(Token(text, text == "EOS", at) for at, text in enumerate(["the", "cat", "EOS"]))


def in_words(name, at, hits, rows=20, *, site="encoder.0.self", whole_words=False):
    pattern = Pattern(name, at, hits, rows, chance=1 / 500)
    summary = HeadSummary(Head(Site.parse(site), 0), 1.0, 0.5, 1.0, 0.5, pattern, rows)
    return head_table.said(summary, TOKENS, whole_words=whole_words).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("pattern", "site", "words"),
    [
        (("offset", -1, 13), "encoder.0.self", "looks at the previous token in 65 % of its rows"),
        (("offset", 0, 20), "encoder.0.self", "looks at itself in 100 % of its rows"),
        (("offset", -2, 20), "decoder.0.self", "looks at the token 2 back in 100 %"),
        (("offset", 3, 20), "encoder.0.self", "looks at the token 3 ahead in 100 %"),
        (("token", 2, 16), "encoder.0.self", "looks at EOS in 80 % of its rows (16 of 20"),
        (("token", 1, 16), "encoder.0.self", "looks at “cat” (position 1) in 80 %"),
        (("text", 0, 16), "encoder.0.self", "looks at another token of its text"),
        (("text", 0, 16), "decoder.0.cross", "looks at the source token of the same text"),
        (("offset", 0, 16), "decoder.0.cross", "looks at the source token of the same position in"),
        (("offset", -2, 16), "decoder.0.cross", "the source token 2 before the same position"),
        (("near", 0, 16), "decoder.0.cross", "looks at the source token of the same position ± 1"),
        (("forward", 0, 16), "decoder.0.cross", "moves from left to right in 80 % of steps"),
        (("offset", -1, 3), "encoder.0.self", "varies; most often the previous token in 15 %"),
        (("even", 0, 20), "encoder.0.self", "spreads nearly evenly over all that it may see"),
        (("none", 0, 0, 0), "decoder.0.self", "has no choice: no row sees more than one token"),
    ],
)
def test_a_pattern_is_said_in_words(pattern, site, words):
    assert words in in_words(*pattern, site=site)


def test_words_are_called_words():
    assert "the previous word" in in_words("offset", -1, 20, whole_words=True)


def test_what_is_nearly_all_or_nothing_is_not_called_so():
    words = in_words("offset", -1, 255, 256)
    assert "in 99.6 % of its rows (255 of 256; by chance 0.2 %)" in words
