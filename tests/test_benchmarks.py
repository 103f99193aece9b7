"""The benchmarks, which only `make bench` runs, ask for nothing that is no longer there."""

import ast
import importlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OURS = ("core", "pages", "viz", "tests", "benchmarks")


def imported(file):
    """Return (module, name) of everything that a file imports from our own packages."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OURS:
            yield from ((node.module, alias.name) for alias in node.names)


def is_there(module, name):
    if hasattr(importlib.import_module(module), name):
        return True
    return importlib.util.find_spec(f"{module}.{name}") is not None


def test_everything_that_they_import_is_there():
    files = sorted((ROOT / "benchmarks").glob("*.py"))
    assert len(files) > 15
    missing = {
        (file.name, module, name)
        for file in files
        for module, name in imported(file)
        if not is_there(module, name)
    }
    assert not missing
