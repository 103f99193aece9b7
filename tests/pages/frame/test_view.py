import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import said
from tests.pages.every_view import ASKED, PAGES

SENTENCE = "The *dog* slept."


def _page(seen, instead):
    import streamlit as st

    from core.studies.lessons.positions import Sinusoids
    from pages.frame import session
    from pages.frame.recipe import Recipe
    from pages.frame.view import Shown, View, show

    def draw(subject):
        st.text(f"the picture of {subject}")
        return Shown(
            name="file", title="A title", recipe=Recipe(Sinusoids, 4, 8), seen=seen, instead=instead
        )

    session.enter("heads")
    st.text(f"sentence {session.text_of('sentence')}")
    show(View("attention", "maps", draw), "it", {})
    session.write()


def opened(seen="", instead=""):
    at = AppTest.from_function(_page, args=(seen, instead)).run()
    assert not at.exception
    return at


def walked(block):
    """Yield the elements of a page from top to bottom."""
    for child in block.children.values():
        if hasattr(child, "children"):
            yield from walked(child)
        else:
            yield child


def test_what_is_seen_stands_above_the_picture():
    at = opened("**it** looks at **animal**: 0.98.")
    values = [getattr(each, "value", "") for each in walked(at.main)]
    [line] = [at for at, text in enumerate(values) if "What you see" in str(text)]
    assert values[line].endswith("**it** looks at **animal**: 0.98.")
    assert line < values.index("the picture of it")
    assert not [each for each in at.button if each.key == "instead"]


def test_a_sentence_with_something_to_see_is_offered_and_opened():
    at = opened("Nothing changes here.", SENTENCE)
    [button] = [each for each in at.button if each.key == "instead"]
    assert "dog" in button.label
    assert "*dog*" not in button.label
    button.click().run()
    assert f"sentence {SENTENCE}" in [each.value for each in at.text]


@pytest.mark.parametrize("page", ["heads", "experiments"])
def test_a_view_of_a_link_that_is_not_there_is_named(open_page, page):
    at = open_page(page, **ASKED.get(page, {}) | {PAGES[page]: "nonsense"})
    assert "There is no view named nonsense" in said(at)
