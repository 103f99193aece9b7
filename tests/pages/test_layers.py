import pytest

from pages.layers import VIEWS as LISTED

VIEWS = ("parts", "vectors", "stream", "lens", "norms", "units", "mixing", "counts", "sizes")


@pytest.fixture
def open_layers(open_page):
    return lambda **query_params: open_page("layers", **query_params)


def test_the_views_have_the_names_of_their_links():
    assert tuple(view.name for view in LISTED) == VIEWS


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("sentence", ["a", "the cat " * 250], ids=["one word", "500 words"])
def test_short_and_long_sentences_are_shown(open_layers, view, sentence):
    at = open_layers(layers=view, sentence=sentence, model="copy")
    assert not at.exception


def test_every_view_folds_formula_tries_and_code(open_layers):
    for view in VIEWS:
        labels = [expander.label for expander in open_layers(layers=view).expander]
        assert labels[-3:] == ["What to try", "Formula", "Code that computes it"]
