"""What commands refuse, and what their numbers may be."""

import argparse
import json
from pathlib import Path

import pytest

from core.__main__ import command_line

COPY = Path(__file__).parents[3] / "gallery" / "copy"
HUGE = "9" * 40
NUMBERS = ("-1", HUGE, "nan", "x")
SETTINGS = ("x", "n_headz=4", "n_heads=0", f"n_heads={HUGE}", "dropout=nan", "norm=sideways")


def commands(parser, names=()):
    """Yield the names that lead to each command, with its parser."""
    deeper = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    for action in deeper:
        for name, inner in action.choices.items():
            yield from commands(inner, (*names, name))
    if not deeper:
        yield names, parser


ALL = list(commands(command_line()))


@pytest.mark.parametrize(
    "arguments",
    [
        *(("train", "out", "--preset", "tiny", "--set", value) for value in SETTINGS),
        *(("count", "--n-layers", value) for value in NUMBERS),
        *(("translate", COPY, "a b", "--sample", "--top-p", value) for value in NUMBERS),
        ("train", "out", "--task", "none/such"),
        ("train", "out", "--preset", "nothing-such"),
        ("train", "out", "--task", "translate", "--guide", "encoder.9.self:0"),
        ("train", "none/such", "--resume"),
        ("heads", "none/such"),
        ("experiment", "show", "nothing-such"),
        ("export", COPY, COPY),
        ("import", "none/such", "out"),
    ],
)
def test_a_bad_value_is_refused_in_one_sentence_and_leaves_nothing_behind(
    refused, tmp_path, monkeypatch, arguments
):
    monkeypatch.chdir(tmp_path)
    assert len(refused(*arguments)) < 1500
    assert list(tmp_path.iterdir()) == []


def test_every_number_has_bounds():
    free = [
        f"{' '.join(names)} {action.dest}"
        for names, parser in ALL
        for action in parser._actions
        if action.type in (int, float)
    ]
    assert free == []


def test_a_sentence_may_begin_with_a_dash_after_options(command):
    plain = command("translate", COPY, "--", "-5 a b")
    assert plain[0] == 0
    assert json.loads(command("translate", COPY, "--json", "--", "-5 a b")[1])["translation"] == (
        plain[1].strip()
    )
