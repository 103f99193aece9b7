"""What no test runs, benchmarks and the pictures' script, asks for nothing that is gone."""

import ast
import importlib
import os
import subprocess
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[1]
OF_MAKE = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
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


@pytest.fixture
def make_bench(tmp_path):
    """Return a function that calls `make bench` with some benchmarks failing.

    Returned are the arguments of every call of Python, and the ended process.
    """

    def make(failing):
        log, python = tmp_path / "calls", tmp_path / "python"
        log.unlink(missing_ok=True)
        python.write_text(f"""#!/bin/sh
echo "$@" >> "{log}"
case "$2" in {"|".join(f"benchmarks.{name}" for name in failing) or "none"}) exit 3;; esac
""")
        python.chmod(0o755)
        command = ["make", "--old-file=.venv/dev", "bench", f"BIN={tmp_path}"]
        # As if asked for by hand, also where the tests themselves are run by a make.
        env = {name: value for name, value in os.environ.items() if name not in OF_MAKE}
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=env)
        return log.read_text().splitlines(), ended

    return make


def test_all_benchmarks_are_tried_after_what_they_need_and_those_that_fail_are_named(make_bench):
    calls, ended = make_bench([])
    assert ended.returncode == 0, ended.stderr
    tried = [call.split()[1].removeprefix("benchmarks.") for call in calls if "benchmarks." in call]
    can_be_run = {
        file.stem
        for file in (ROOT / "benchmarks").glob("*.py")
        if '__name__ == "__main__"' in file.read_text(encoding="utf-8")
    }
    # They take two checkouts, or pairs that are no part of the project.
    assert sorted(tried) == sorted(can_be_run - {"compare", "compare_core", "marked_words"})
    assert any("pip install" in call for call in calls[: -len(tried)])
    assert "-m benchmarks.large_corpus --pairs 500000" in calls
    again, ended = make_bench([tried[0], tried[5]])
    assert again == calls
    assert ended.returncode != 0
    assert ended.stdout.splitlines()[-1] == f"failed: {tried[0]} {tried[5]}"
