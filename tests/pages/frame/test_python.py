import ast
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pages.frame import python


@given(st.text())
def test_any_text_is_the_same_in_python(text):
    assert ast.literal_eval(python.quoted(text)) == text


def test_a_run_is_loaded_from_its_folder_after_everything_is_imported():
    lines = python.loading(Path("/anywhere/runs/mine"), "from core.heads import Head")
    assert lines.splitlines() == [
        "from pathlib import Path",
        "",
        "from core.heads import Head",
        "from core.runs.run import load_run",
        "",
        'run = load_run(Path("runs/mine"))',
    ]
