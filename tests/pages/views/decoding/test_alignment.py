import pytest

from tests.pages.conftest import component
from tests.viz.unpacked import unpack_lines


@pytest.mark.slow
def test_the_words_are_joined_by_their_links_and_a_line_says_how_well(open_view):
    at, shown = open_view("alignment", model="everyday", sentence="The red car stopped.")
    lines = unpack_lines(component(at, "lines").bytes)
    table = shown.columns()
    sources, targets = ([label.text for label in side] for side in (lines.queries, lines.keys))
    assert [sources[at] for at in table["source"]] == table["source_word"]
    assert [targets[at] for at in table["target"]] == table["target_word"]
    [weights_st] = lines.weights_HQK
    links = list(zip(table["source"], table["target"], strict=True))
    assert sorted(zip(*weights_st.nonzero(), strict=True)) == links
    assert [weights_st[link] for link in links] == pytest.approx(table["probability"])
    assert "**red – rouge** and **car – voiture** cross" in shown.seen
    assert (
        "On 200 held-out sentences **3.5\N{NO-BREAK SPACE}%** of the links are wrong or"
        in shown.seen
    )
    assert shown.about["alignment"].startswith("0-0 ")


@pytest.mark.slow
def test_a_model_whose_links_nobody_knows_says_how_its_heads_were_chosen(decoders, open_view):
    decoders("marian")
    _at, shown = open_view("alignment", model="runs/marian", sentence="The animal slept.")
    assert "nobody knows the right links here" in shown.seen
