"""Texts that a page may hand over."""

import pytest

from viz.component.payload import check_texts

KNOWN = {"grid": "All {n} heads", "grid.one": "The one head", "nth.other": "{n}th"}


@pytest.mark.parametrize("name", ["grid", "grid.one", "grid.few", "nth.many"])
def test_a_text_may_have_as_many_forms_as_a_language_needs(name):
    check_texts({name: "x"}, KNOWN)


@pytest.mark.parametrize("name", ["grids", "grid.some", "few"])
def test_a_text_that_is_shown_nowhere_is_refused(name):
    with pytest.raises(ValueError, match=name):
        check_texts({name: "x"}, KNOWN)
