"""What no test runs, benchmarks and the pictures' script, asks for nothing that is gone."""

import ast
import importlib
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[1]
OURS = ("classroom", "core", "pages", "viz", "tests", "benchmarks")


def imported(file):
    """Return (module, name) of everything that a file imports from our own packages."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OURS:
            yield from ((node.module, alias.name) for alias in node.names)


def is_there(module, name):
    if hasattr(importlib.import_module(module), name):
        return True
    return importlib.util.find_spec(f"{module}.{name}") is not None


@pytest.mark.parametrize(
    "app", sorted((ROOT / "benchmarks").glob("*_app.py")), ids=lambda p: p.stem
)
def test_the_apps_that_they_serve_draw_what_they_are_for(app):
    at = AppTest.from_file(str(app), default_timeout=60).run()
    assert not at.exception, at.exception


def test_everything_that_they_import_is_there():
    files = sorted((ROOT / "benchmarks").glob("*.py")) + [ROOT / "docs" / "screenshots.py"]
    assert len(files) > 15
    missing = {
        (file.name, module, name)
        for file in files
        for module, name in imported(file)
        if not is_there(module, name)
    }
    assert not missing
