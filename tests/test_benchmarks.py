"""What no test runs, benchmarks and the pictures' script, asks for nothing that is gone."""

import ast
import importlib
import os
import random
import subprocess
from datetime import date
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from streamlit.testing.v1 import AppTest

from benchmarks import made_corpora, measuring
from benchmarks.load_checks import Check
from benchmarks.websocket_visitor import Answer

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


def test_one_in_which_a_step_is_missing_has_failed(monkeypatch, capsys):
    monkeypatch.setattr(measuring, "sync_playwright", MagicMock())
    monkeypatch.setattr(measuring, "launched", MagicMock())
    monkeypatch.setattr(measuring, "_missing", [])
    with measuring.chromium():
        measuring.report("a step", [1.0], [1.0])
    with pytest.raises(SystemExit, match="missing: another step"), measuring.chromium():
        measuring.report("another step", [], [1.0])
        measuring.report("a third", [1.0], [1.0])
    assert "a third" in capsys.readouterr().out


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


OWN, OTHER = "The dog number 7 ran.", "The dog number 8 ran."
LINK = "http://127.0.0.1:8501?head=1&sentence=The+dog+number+{}+ran."


@pytest.mark.parametrize(
    ("codes", "is_anothers"),
    [
        ([LINK.format(7), f'import torch\nsentence = "{OWN}"'], False),
        ([LINK.format(8)], True),
        ([LINK.format(7), f'import torch\nsentence = "{OTHER}"'], True),
        ([LINK.format(7).replace("head=1", "head=2")], True),
    ],
)
def test_an_answer_that_belongs_to_another_visitor_is_found(codes, is_anothers):
    check = Check()
    check.look(Answer(codes=codes), 7, OWN, {"head": 1})
    assert (check.n, check.mixed) == (1, is_anothers)


@pytest.mark.parametrize("name", made_corpora.CORPORA)
def test_a_made_corpus_is_the_same_each_time_and_has_each_source_once(name):
    pairs = made_corpora.pairs(name, 500)
    assert pairs == made_corpora.pairs(name, 500)
    assert len({source for source, _ in pairs}) == 500


def test_every_form_of_a_date_is_that_day():
    for source, target in made_corpora.pairs("dates", 300):
        day = date.fromisoformat(target)
        if "/" in source:
            assert source == day.strftime("%d/%m/%Y")
        else:
            assert str(day.year) in source
            assert str(day.day) in source
            assert day.strftime("%b") in source


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "zero"),
        (19, "nineteen"),
        (80, "eighty"),
        (100, "one hundred"),
        (999, "nine hundred and ninety-nine"),
        (1_100, "one thousand one hundred"),
        (20_020, "twenty thousand and twenty"),
        (482_013, "four hundred and eighty-two thousand and thirteen"),
        (1_000_007, "one million and seven"),
        (3_000_300, "three million three hundred"),
    ],
)
def test_numbers_are_said_as_they_are(value, words):
    assert made_corpora.in_words(value) == words


def test_the_german_verb_has_its_place():
    rng, seen = random.Random(0), set()
    for _ in range(300):
        source, target = made_corpora.clause(rng)
        main, _, subordinate = target.removesuffix(".").partition(", weil ")
        assert bool(subordinate) == (" because " in source)
        if subordinate:
            seen.add(subordinate.split()[-1])
        if source.split(" because ")[0].split()[0] in ("Today", "Often", "Sometimes", "Now"):
            assert main.split()[2] in ("der", "die", "das", "ein", "eine")
    assert {"hat", "haben", "sieht", "geben"} <= seen
