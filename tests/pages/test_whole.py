"""The first page: the pass of the default sentence, and where its address leads."""

import pytest
from streamlit.testing.v1 import AppTest

from core.tasks import TASKS
from pages import whole
from pages.frame import tour
from pages.frame.service import Service
from pages.frame.tour import EXAMPLE
from tests.pages.conftest import ROOT, said
from tests.viz.unpacked import unframed

WIDE = TASKS["everyday"].examples[1].source


@pytest.fixture
def open_at():
    """Return a function that opens the app at an address."""

    def opener(**query_params):
        at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        at.query_params.update(query_params)
        at.run()
        assert not at.exception, at.exception
        return at

    return opener


def test_it_says_where_the_pronoun_looks_and_what_another_word_changes(open_at):
    at = open_at()
    # The head did not find that by itself, and nobody shall think so.
    where = "(encoder layer 2, head 0, guided in training)"
    looks = f"“it” looks at **animal** with **100\u00a0%** of its attention {where}, and the model "
    assert f"{looks}writes “**il**”: a French pronoun has the gender of its noun." in said(at)
    assert any("Tatoeba" in each.value for each in at.caption)
    assert_opens_where_it_writes(at, "il")
    at.text_input(key="sentence").set_value(WIDE).run()
    changed = f"“it” now looks at **street** instead of “animal” {where}, and the model writes"
    assert f"{changed} “**elle**” instead of “il”" in said(at)
    assert_opens_where_it_writes(at, "elle")


def test_of_a_pronoun_it_names_the_head_that_finds_antecedents_best(open_at):
    at = open_at(model="translate")
    # Another head has a larger weight, on “wide”.
    looks = (
        "“it” looks at **animal** with **74.5\u00a0%** of its attention (encoder layer 2, head 3, "
    )
    writes = "the best at finding what pronouns stand for), and the model writes “**il**”"
    assert looks + writes in said(at)
    # The step that writes “qu'” looks at “it”, too.
    assert_opens_where_it_writes(at, "il")


def assert_opens_where_it_writes(at, pronoun):
    [element] = at.get("bidi_component")
    shown = unframed(element.proto.bytes)[0]
    assert [text for text, _flags in shown["source"]][shown["focus"]] == "it"
    assert shown["best"][shown["step"] - 1][0][0] == pronoun


@pytest.fixture
def begins_with(monkeypatch, tmp_path):
    """Return a function that says with which tour everybody begins; one is called “monday”."""
    monkeypatch.setattr(tour, "TOURS", tmp_path)
    (tmp_path / "monday.toml").write_text(EXAMPLE)
    gone = []
    monkeypatch.setattr(tour, "go", lambda found, at: gone.append((found.name, at)))

    def begin(name):
        monkeypatch.setattr(Service, "tour", name)
        return gone

    return begin


@pytest.mark.parametrize("name", ["monday", "paper"])
def test_a_class_begins_with_its_teachers_tour(open_at, begins_with, name):
    gone = begins_with(name)
    at = open_at()
    assert gone == [(name, 0)]
    # Once: whoever leaves it is not led there again.
    at.run()
    assert len(gone) == 1


def test_the_tour_begins_with_a_click(open_at, begins_with):
    gone = begins_with("")
    open_at().button(key=whole.TAKE_TOUR).click().run()
    assert gone == [("paper", 0)]
