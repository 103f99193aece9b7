import inspect

from core.inspection import inspect_sentence
from tests.pages.conftest import unfold


def texts(at, kind):
    return [each.value.strip() for each in at.get(kind)]


def test_what_is_folded_is_made_only_while_it_is_open(open_app):
    at = open_app()
    links = texts(at, "code")
    assert not at.get("latex")
    assert len(texts(unfold(at, "formula"), "latex")) == 1
    assert inspect.getsource(inspect_sentence).strip() in texts(unfold(at, "code"), "code")
    assert len(texts(at, "code")) > len(links)
    n_paragraphs = len(at.markdown)
    assert len(unfold(at, "how_to_read").markdown) > n_paragraphs
    at.session_state["folded_formula"] = False
    assert not at.run().get("latex")
