import html

import numpy as np
import pytest

from core.heads import Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.effects.overriding import rewired
from pages.frame.language import percent
from tests.pages.conftest import ROOT, TIRED, chart_rows, component, said, send_from
from tests.viz.unpacked import unpack_matrices as unpack

GUIDED = Site("encoder", 2, "self")


@pytest.fixture
def open_override(open_page):
    return lambda **query_params: open_page("heads", trial="override", **query_params)


@pytest.fixture(scope="module")
def inspection():
    return inspect_sentence(load_run(ROOT / "gallery" / "translate-guided"), TIRED)


def picture(at):
    return unpack(component(at, "matrices").bytes)


def click(at, row, column):
    send_from(at, component(at, "matrices"), "pick", {"panel": 0, "row": row, "column": column})


def read(at):
    return html.unescape(said(at))


def test_it_is_moved_from_the_animal_to_the_street_and_il_becomes_elle(open_override, inspection):
    at = open_override()
    assert "parce **qu’il** était trop **fatigué.**" in read(at)
    assert "parce **qu’elle** était trop **fatiguée.**" in read(at)
    texts = [token.text for token in inspection.source_tokens]
    it, animal, street = (texts.index(word) for word in ("it", "animal", "street"))
    changed_QK = inspection.attention[GUIDED].weights_HQK[0].copy()
    changed_QK[it] = rewired(changed_QK[it], street)
    [panel] = picture(at).panels
    assert np.array_equal(panel.values, changed_QK)
    assert (picture(at).selected, list(panel.rows.differs)) == ((0, it, street), [it])
    chances = [each["value"] for each in chart_rows(at) if each["name"] == "il → elle"]
    assert (
        "**What you see:**] “it” is made to look at “street” instead of “animal”. The "
        f"translation **changes**: “il” falls from {percent(chances[0])} to "
        f"**{percent(chances[1])}**, “elle” leads with {percent(chances[2])}."
    ) in read(at)


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (TIRED.replace("tired", "wide"), "“it” is made to look at “animal” instead of"),
        (
            "The goats avoided the bridges because they were thirsty.",
            "“they” is made to look at “bridges” instead of “goats”",
        ),
        ("Where do you live?", "“you” is made to look at “live” instead of “Where”"),
        ("The dog saw the cat.", "“dog” is made to look at"),
    ],
)
def test_by_default_the_row_looks_at_another_noun_or_else_at_a_word(open_override, sentence, said):
    assert said in read(open_override(model="everyday", sentence=sentence))


def test_a_click_moves_that_row_and_is_in_the_link(open_override, inspection):
    at = open_override()
    click(at, 7, 2)
    assert at.query_params["move"] == "encoder.self,7,2"
    texts = [token.text for token in inspection.source_tokens]
    assert f"“{texts[7]}” is made to look at “{texts[2]}”" in read(at)
    assert picture(at).selected == (0, 7, 2)


def test_a_hidden_key_cannot_be_chosen_and_says_so(open_override):
    at = open_override(kind="decoder self", layer="0", head="1", move="decoder.self,2,5")
    assert "the mask hides it, so no weight can go there" in read(at)
    assert "After:" not in read(at)
    click(at, 5, 2)
    assert "is made to look at" in read(at)
