import numpy as np
import pytest

from core.heads import Head
from core.inspection import merged
from core.studies.heads.comparison import compare_heads
from tests.pages.conftest import TIRED, WIDE, component, inspected, said, texts
from tests.pages.views.attention.conftest import seen
from tests.viz.unpacked import unpack_matrices as unpack


@pytest.fixture
def open_compare(open_view):
    """Return a function that opens the view, and gives the page, its `Shown` and its panels."""

    def opener(**query_params):
        at, taken = open_view("maps", **({"how": "sentence"} | query_params))
        return at, taken, panels(at)

    return opener


def panels(at):
    return unpack(component(at, "matrices").bytes).panels


def underlined(axis):
    return [axis.labels[at].text for at in axis.differs]


@pytest.mark.parametrize(
    ("kind", "words"),
    [("encoder.self", True), ("decoder.self", False), ("decoder.cross", False)],
)
def test_the_third_map_is_the_second_minus_the_first(open_compare, kind, words):
    sentence = "The old goat didn't cross the bridge."
    at, taken, shown = open_compare(
        kind=kind,
        unit="whole words" if words else "tokens",
        layer="1",
        head="3",
        other_sentence=sentence,
    )
    both = [inspected(sentence=each) for each in (TIRED, sentence)]
    both = list(map(merged, both)) if words else both
    site = next(site for site in both[0].attention if site.attention == kind and site.layer == 1)
    head = Head(site, 3)
    found = compare_heads(both[0], head, both[1], head).difference
    expected = [each.attention[site].weights_HQK[3] for each in both] + [found.values_qk]
    visible = [each.attention[site].visible_QK for each in both] + [found.visible_qk]
    for panel, values, visible_QK in zip(shown, expected, visible, strict=True):
        assert np.array_equal(panel.values, values)
        assert np.array_equal(panel.visible, visible_QK)
    assert [panel.scale for panel in shown] == ["weight", "weight", "signed"]
    assert [panel.limit for panel in shown] == [1.0, 1.0, found.end]
    for translation in (each.translation.text for each in both):
        assert translation.split()[-1].rstrip(".") in said(at)


def test_tokens_that_differ_are_underlined_and_read_first_and_second(open_compare):
    _, _, (first, second, between) = open_compare(kind="cross")
    assert (underlined(first.columns), underlined(second.columns)) == (["tired"], ["wide"])
    assert (underlined(first.rows), underlined(second.rows)) == (
        ["il", "fatigué"],
        ["elle", "large"],
    )
    assert underlined(between.columns) == ["tired | wide"]
    assert underlined(between.rows) == ["il | elle", "fatigué | large"]
    assert first.columns.links == second.columns.links == between.columns.links


def test_it_looks_at_the_street_instead_of_the_animal(open_compare):
    at, _, (first, second, between) = open_compare()
    assert at.text_input(key="other_sentence").value == WIDE
    assert seen(at) == (
        "First sentence: “it” looks most at “animal” (**100 %**); second sentence: "
        "at “street” (**100 %**)."
    )
    assert "L’animal n’a pas traversé la rue parce **qu’elle** était trop" in said(at)
    row = texts(between.rows).index("it")
    found = dict(zip(texts(between.columns), between.values[row], strict=True))
    assert found["street"] > 0.95
    assert found["animal"] < -0.95
    assert first.title == "Encoder layer 2, head 0: first sentence"
    assert second.title == "Encoder layer 2, head 0: second sentence"
    assert between.title == "Encoder layer 2, head 0: second sentence − first sentence"
