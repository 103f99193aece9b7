import re

import numpy as np
import pytest

from core.heads import Head, Kind, Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.heads.summaries import HeadSummary, Pattern, head_summaries
from core.tokenizer.tokenizer import Token
from pages.frame import notes
from pages.views.heads import roles_sentence as overview
from tests.pages.conftest import MODEL, ROOT, tick_rows, ticked_rows
from tests.pages.views.attention.conftest import seen

TIRED = "The animal didn't cross the street because it was too tired."
KINDS = {"encoder self": "encoder.self", "decoder self": "decoder.self", "cross": "decoder.cross"}
TOKENS = tuple(Token(text, text == "EOS", at) for at, text in enumerate(["the", "cat", "EOS"]))


@pytest.fixture
def open_overview(open_page, taken):
    """Return a function that opens the view, and gives the page and its `Shown`."""

    def opener(**query):
        at = open_page(
            "heads", **({"trial": "roles", "roles_on": "sentence", "model": MODEL} | query)
        )
        return at, taken[-1]

    return opener


def table(at):
    [found] = at.dataframe
    return found.value


def places(at):
    return [tuple(map(int, re.findall(r"\d+", name))) for name in table(at)["head"]]


def tick(at, *rows):
    [found] = at.dataframe
    tick_rows(at, found, *rows)


def ticked(at):
    """Return layer and head of the row that is ticked."""
    [row] = ticked_rows(at, overview.TABLE)
    return places(at)[row]


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_is_that_of_the_summaries(open_overview, kind):
    at, _ = open_overview(kind=kind)
    inspection = inspect_sentence(load_run(ROOT / "gallery" / "translate-guided"), TIRED)
    expected = {
        (s.head.layer, s.head.index): s for s in head_summaries(inspection, Kind(KINDS[kind]))
    }
    rows = table(at)
    assert set(places(at)) == set(expected)
    for place, (_, row) in zip(places(at), rows.iterrows(), strict=True):
        pattern = expected[place].pattern
        assert (row["in_rows"], row["by_chance"]) == (100 * pattern.share, 100 * pattern.chance)
    assert (rows["in_rows"] - rows["by_chance"]).dropna().is_monotonic_decreasing


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_said_which_head_differs_most_from_chance_and_how_many_have_a_pattern(
    open_overview, kind
):
    at, taken = open_overview(kind=kind)
    columns = taken.columns()
    above = np.subtract(columns["in_rows"], columns["by_chance"])
    top = min(
        (-round(gain, 9), layer, head, row)
        for row, (gain, layer, head) in enumerate(
            zip(above, columns["layer"], columns["head"], strict=True)
        )
    )[-1]
    where = notes.site_and_head(
        Head(Kind(KINDS[kind]).site(columns["layer"][top]), columns["head"][top])
    )
    alike = sum(abs(each - above[top]) < 1e-9 for each in above) > 1
    how = "differs from chance as much as any" if alike else "differs most from chance"
    assert seen(at).startswith(f"**{where}** {how}: ")
    share, chance = (100 * columns[name][top] for name in ("in_rows", "by_chance"))
    assert f"{share:.1f}".removesuffix(".0") + " % of" in seen(at)
    assert f"by chance {chance:.1f}".removesuffix(".0") + " %)" in seen(at)
    clear = sum(
        share >= max(0.5, 2 * chance)
        for share, chance in zip(columns["in_rows"], columns["by_chance"], strict=True)
    )
    assert f"Clear patterns: **{clear}** of {len(above)} heads." in seen(at)


def test_a_ticked_row_chooses_its_head(open_overview):
    at, _ = open_overview()
    row, chosen = next(each for each in enumerate(places(at)) if each[1] != ticked(at))
    tick(at, row)
    assert ticked(at) == chosen
    [link] = [each.proto for each in at.get("page_link") if "its map" in each.proto.label]
    assert f"layer={chosen[0]}&head={chosen[1]}" in link.query_string


@pytest.mark.parametrize(
    ("sentence", "word", "n_tokens", "n_all"),
    [
        ("He photographed Schwarzenegger yesterday.", "Schwarzenegger", 9, 18),
    ],
)
def test_a_word_of_many_tokens_is_no_pattern_of_heads_that_are_nearly_even(
    open_overview, sentence, word, n_tokens, n_all
):
    asked = {"model": "everyday", "sentence": sentence, "unit": "words", "kind": "encoder.self"}
    at, _ = open_overview(**asked)
    rows = table(at)
    about_it = rows[rows["does"].str.contains(word)]
    assert len(about_it) > 0
    assert about_it["by_chance"].tolist() == pytest.approx([100 * n_tokens / n_all] * len(about_it))
    assert about_it["does"].str.startswith("varies").all()
    clear = int(re.search(r"Clear patterns: \*\*(\d+)\*\* of 12 heads", seen(at))[1])
    assert clear < 6


def in_words(name, at, hits, rows=20, *, site="encoder.0.self", whole_words=False):
    pattern = Pattern(name, at, hits, rows, chance=1 / 500)
    summary = HeadSummary(Head(Site.parse(site), 0), 1.0, 0.5, 1.0, 0.5, pattern, rows)
    return overview.said(summary, TOKENS, whole_words=whole_words).replace("\u00a0", " ")


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
