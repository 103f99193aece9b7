"""What is said above a picture must not push the picture off the screen."""

from streamlit.testing.v1 import AppTest

from core.runs.run import load_run
from pages.frame.translations import LONG, written, written_in_files


def said(translations):
    def script(translations):
        from pages.frame.translations import say

        say(translations)

    at = AppTest.from_function(script, args=(translations,)).run()
    assert not at.exception
    return at


def test_short_translations_are_shown():
    at = said("x" * LONG)
    assert [each.value for each in at.markdown] == ["x" * LONG]
    assert not at.expander


def test_long_translations_are_folded():
    at = said("x" * (LONG + 1))
    [folded] = at.expander
    assert [each.value for each in folded.markdown] == ["x" * (LONG + 1)]


def test_what_is_written_is_named_after_the_model(opened_path):
    names = {kind: written(load_run(opened_path(kind))) for kind in ("gpt2", "marian")}
    assert names == {"gpt2": "continuation", "marian": "translation"}
    in_files = {kind: written_in_files(load_run(opened_path(kind))) for kind in names}
    assert in_files == names
