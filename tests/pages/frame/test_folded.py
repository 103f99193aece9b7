import inspect

from core.inspection import inspect_sentence
from core.model.attention import attend_probed
from pages.views.attention.maps import _HOW_TO_READ as HOW_TO_READ
from pages.views.attention.weights import _FORMULA as FORMULA
from tests.pages.conftest import unfold


def texts(at, kind):
    return [each.value.strip() for each in at.get(kind)]


def test_what_is_folded_is_made_only_while_it_is_open(open_app):
    at = open_app()
    assert not at.get("latex")
    links = texts(at, "code")
    assert texts(unfold(at, "formula"), "latex") == [f"$$\n{FORMULA.strip()}\n$$"]
    sources = [inspect.getsource(each).strip() for each in (attend_probed, inspect_sentence)]
    assert texts(unfold(at, "code"), "code") == [*links, *sources]
    assert HOW_TO_READ.strip() in texts(unfold(at, "how_to_read"), "markdown")
    at.session_state["folded_formula"] = False
    assert not at.run().get("latex")
