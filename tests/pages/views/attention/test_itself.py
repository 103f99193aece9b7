import pytest

from core.heads import Kind
from core.runs.run import load_run
from core.studies.heads.roles import own_position
from pages.frame.language import percent
from pages.views.attention import itself
from tests.pages.conftest import ROOT, said


@pytest.mark.parametrize("kind", ["encoder.self", "decoder.self"])
def test_it_is_counted_how_often_a_token_looks_at_itself_most(open_page, kind, monkeypatch):
    monkeypatch.setattr(itself, "fold", lambda _title, _name, draw, **_how: draw())
    at = open_page("attention", model="translate", view="heads", kind=kind)
    found = own_position(load_run(ROOT / "gallery" / "translate"), Kind(kind))
    assert found.n_texts == 200
    assert f"on the token itself in **{percent(found.value)}** of the rows" in said(at)
    assert f"of a head that picks any key it would be {percent(found.baseline)}" in said(at)


@pytest.mark.parametrize("kind", ["encoder.self", "decoder.cross"])
def test_it_is_offered_where_there_is_a_self(open_page, kind):
    at = open_page("attention", model="translate", view="heads", kind=kind)
    offered = [each.label for each in at.expander]
    assert ("Does a token look at itself most?" in offered) == (kind == "encoder.self")
