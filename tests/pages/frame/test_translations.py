import pytest
from streamlit.testing.v1 import AppTest

from core.runs.run import load_run
from pages.frame.typography import LONG, written_in_files, written_name


def _page(translations):
    from pages.frame.typography import show_translations

    show_translations(translations)


@pytest.mark.parametrize("is_long", [False, True])
def test_only_a_long_text_is_folded_so_that_the_picture_stays_in_sight(is_long):
    text = "<i>" + "x" * (LONG + is_long) + "</i>"
    at = AppTest.from_function(_page, args=(text,)).run()
    [shown] = at.expander[0].markdown if is_long else at.markdown
    assert shown.value == text
    assert len(at.expander) == is_long


def test_what_is_written_is_named_after_the_model(opened_path):
    for kind, name in {"gpt2": "continuation", "marian": "translation"}.items():
        run = load_run(opened_path(kind))
        assert written_name(run) == written_in_files(run) == name
