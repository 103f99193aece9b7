import json

import pytest

from tests.pages.conftest import ROOT

EVERYDAY = ROOT / "gallery" / "everyday"
PAIRS = "The red car stopped.\tLa voiture rouge s'est arrêtée.\nShe runs.\tElle court.\n"


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text(PAIRS)
    return path


@pytest.mark.slow
def test_links_are_written_a_line_for_a_pair_and_printed_with_their_words(command, pairs):
    out = pairs.with_name("links")
    status, printed, told = command("align", EVERYDAY, "--file", pairs, "--pharaoh", out)
    assert (status, printed) == (0, "")
    assert "AER 3." in told and "punctuation not counted" in told
    first, second = out.read_text().splitlines()
    assert {"0-0", "2-1", "1-2"} <= set(first.split())
    assert second == "0-0 1-1 2-2"
    status, printed, _ = command("align", EVERYDAY, "--file", pairs, "--json")
    found = json.loads(printed)["pairs"][1]
    assert found["source"] == ["She", "runs", "."]
    assert [link[:2] for link in found["links"]] == [[0, 0], [1, 1], [2, 2]]
    assert all(0 < link[2] <= 1 for link in found["links"])


def test_gold_links_choose_on_one_half_and_measure_on_the_other(command, pairs):
    gold = pairs.with_name("gold")
    gold.write_text("0-0 1-2 2-1\n0-0 1-1\n")
    arguments = ("--gold", gold, "--reverse", EVERYDAY, "--json")
    status, printed, _ = command("align", EVERYDAY, "--file", pairs, *arguments)
    found = json.loads(printed)
    assert (status, found["chosen_on"], found["quality"]["aer"]["value"]) == (0, 1, 0.0)
    assert found["both_directions"]["aer"]["n"] == 1


def test_words_may_be_what_stands_between_spaces(command, pairs):
    pairs.write_text("It isn't cold .\tIl ne fait pas froid .\n" * 2)
    gold = pairs.with_name("gold")
    gold.write_text("0-0\n" * 2)
    arguments = ("--gold", gold, "--spaces", "--json")
    _, printed, _ = command("align", EVERYDAY, "--file", pairs, *arguments)
    assert json.loads(printed)["pairs"][0]["source"] == ["It", "isn't", "cold", "."]


def test_links_of_other_pairs_and_lines_that_are_no_pairs_are_refused(refused, pairs):
    gold = pairs.with_name("gold")
    gold.write_text("0-0\n")
    arguments = ("align", EVERYDAY, "--file", pairs)
    assert "has 1 lines, and there are 2 pairs" in refused(*arguments, "--gold", gold)
    gold.write_text("0-0\n1?1\n")
    assert "needs sure links" in refused(*arguments, "--gold", gold)
    pairs.write_text(PAIRS + "alone\n")
    assert "line 3" in refused(*arguments)
