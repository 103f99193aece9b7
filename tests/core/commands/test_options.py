"""What commands refuse, and what their options may be."""

import argparse
import json
from pathlib import Path

import pytest

from core.__main__ import command_line
from core.training.presets import SETTINGS

GALLERY = Path(__file__).parents[3] / "gallery"
COPY = GALLERY / "copy"
HUGE = "9" * 40
NUMBERS = ("-1", HUGE, "nan", "x", "")
WORDS = ("x", "")
NO_RUN = NO_PAIRS = ("none/such", "", "empty", "notes.txt")
NO_TEXT = ("none/such", "", "empty", "binary")
BAD = {
    "run": NO_RUN,
    "start": NO_RUN,
    "reverse": NO_RUN,
    "gold": NO_PAIRS,
    "pharaoh": ("full", "notes.txt/out"),
    "out": ("full", "notes.txt/out"),
    "task": NO_PAIRS,
    "valid": NO_PAIRS,
    "test": NO_PAIRS,
    "file": NO_PAIRS,
    "prompts": NO_PAIRS,
    "source": NO_RUN,
    "name": WORDS,
    "language": WORDS,
    "sentence": ("",),
    "columns": ("", "en", "1,2,3", "x,y"),
    "head": ("", "x", "encoder.9.self:0", "encoder.0.self:-1", f"encoder.0.self:{HUGE}"),
    "guide": ("x", "encoder.9.self:0", f"encoder.0.self:{HUGE}"),
    "set": (
        *("", "x", "n_headz=4", "n_heads=0", "dropout=nan", "norm=sideways"),
        *("seed=-1", "adam_eps=0", "eos_ids=1"),
        *(f"{name}={HUGE}" for names in SETTINGS.values() for name in names),
    ),
}
"""Option or argument → values that it must not have; those of numbers and of choices are known."""
BAD_OF = {
    ("import", "run"): BAD["out"],
    ("experiment", "out"): ("notes.txt/out",),
    ("translate", "file"): NO_TEXT,
    ("continue", "file"): NO_TEXT,
    ("give", "file"): NO_TEXT,
}
"""Command and argument → its bad values, where they are others than those of its name."""
ANY_TEXT = {"target", "force", "notice"}
BESIDE = {
    "valid": ("--task", "pairs.tsv"),
    "test": ("--task", "pairs.tsv"),
    "guide": ("--task", "translate", "--preset", "tiny"),
    "set": ("--preset", "tiny"),
    "sentence": ("--json",),
    # Else heads are chosen by many sentences first.
    "pharaoh": ("--gold", "links"),
    "reverse": ("--gold", "links"),
}
"""Option → what must stand beside it so that its value counts."""
GOOD = {"run": COPY, "out": "out", "sentence": "a b", "source": COPY, "name": "order"}


def commands(parser, names=()):
    """Yield the names that lead to each command, with its parser."""
    deeper = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    for action in deeper:
        for name, inner in action.choices.items():
            yield from commands(inner, (*names, name))
    if not deeper:
        yield names, parser


ALL = [
    (names, parser, action)
    for names, parser in commands(command_line())
    for action in parser._actions
    if action.nargs != 0
]
"""Each option and argument that takes a value."""


def bad_values(names, action):
    """Return values that an option or argument must not have; none where nobody has said any."""
    if action.choices:
        return WORDS
    if getattr(action.type, "__qualname__", "").startswith("_bounded"):
        return NUMBERS
    return BAD_OF.get((names[0], action.dest), BAD.get(action.dest, ()))


def command_with(names, parser, action, value):
    """Return a command line whose only fault is the value of one option or argument."""
    needed = [each for each in parser._actions if each.required or each is action]
    # An option that takes several values would swallow what stands after it.
    needed.sort(key=lambda each: bool(each.option_strings))
    words = [*names]
    for each in needed:
        words += [
            *each.option_strings[:1],
            value if each is action else GOOD.get(each.dest, "pairs.tsv"),
        ]
    beside = BESIDE.get(action.dest, ())
    if action.dest == "columns":
        beside = ("--task" if names[0] == "train" else "--file", "pairs.tsv")
    if (names[0], action.dest) == ("translate", "out"):
        beside = ("--file", "pairs.tsv")
    return [*words, *beside]


CASES = {
    f"{'-'.join(names)}-{action.dest}": [
        command_with(names, parser, action, value) for value in bad_values(names, action)
    ]
    for names, parser, action in ALL
    if bad_values(names, action)
}
"""Command and option or argument → a command line with each of its bad values."""


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A working directory with a run's folder, files and an empty folder in it."""
    (tmp_path / "notes.txt").write_text("no pairs\n")
    (tmp_path / "pairs.tsv").write_text("".join(f"a b {n}\tb a {n}\n" for n in range(60)))
    (tmp_path / "links").write_text("0-0 1-1\n" * 60)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\xff")
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "kept.txt").write_text("kept\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def content(folder):
    return {path: path.is_file() and path.read_bytes() for path in folder.rglob("*")}


def test_every_option_has_bad_values_that_are_tried():
    missing = [
        f"{' '.join(names)} {action.dest}"
        for names, _, action in ALL
        if not bad_values(names, action) and action.dest not in ANY_TEXT
    ]
    assert missing == []


@pytest.mark.parametrize("case", CASES)
def test_a_bad_value_is_refused_in_one_sentence_and_leaves_nothing_behind(
    refused, workplace, opened_path, case
):
    before = content(workplace)
    for arguments in CASES[case]:
        if arguments[0] == "give":
            # Only an opened model takes a file.
            arguments = [opened_path("gpt2") if each == COPY else each for each in arguments]
        assert len(refused(*arguments)) < 1500, arguments
        assert content(workplace) == before, arguments


def test_what_is_not_there_is_refused(refused, workplace):
    before = content(workplace)
    refused("train", "none", "--resume")
    refused("inspect", COPY, "a", "--layer", "7")
    refused("export", COPY, "out", "--snapshots", "3")
    refused("evaluate", COPY, "--n", "99999999999")
    assert content(workplace) == before


@pytest.mark.usefixtures("workplace")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("translate", COPY, "a b", "--temperature", "2"), "--temperature is for --sample"),
        (("translate", COPY, "a b", "--top-k", "0"), "--top-k is for --sample"),
        (("translate", COPY, "a b", "--beam", "2", "--seed", "0"), "--seed is for --sample"),
        (("translate", COPY, "a b", "--length-penalty", "1"), "--length-penalty is for --beam"),
        (("translate", COPY, "--file", "pairs.tsv", "--length-penalty", "1"), "is for --beam"),
        (("translate", COPY, "--file", "pairs.tsv", "--seed", "0"), "not with --seed"),
        (("translate", COPY, "a", "--force", "a", "--max-new-tokens", "1"), "token by token"),
        (("translate", GALLERY / "parallel", "a", "--max-new-tokens", "1"), "token by token"),
        (("inspect", GALLERY / "parallel", "a", "--max-new-tokens", "1"), "token by token"),
        (("inspect", COPY, "a", "--target", "a", "--max-new-tokens", "1"), "not allowed with"),
        (("inspect", COPY, "a", "--head", "encoder.0.self:0", "--layer", "0"), "not allowed with"),
        (("count", COPY, "--d-model", "8"), "--d-model does not go with RUN"),
        (("count", COPY, "--model", "gpt2"), "--model does not go with RUN"),
        (("count", "--model", "gpt2", "--d-k", "0"), "--d-k does not go with --model"),
        (("evaluate", COPY, "--columns", "1,2"), "--columns is for --file"),
        (("evaluate", COPY, "--file", "pairs.tsv", "--seed", "0"), "--seed draws"),
    ],
)
def test_an_option_that_would_change_nothing_is_refused(refused, arguments, said):
    assert said in refused(*arguments)


def test_what_only_another_kind_of_model_takes_is_refused(refused, opened_path):
    assert "with a decoder" in refused("inspect", opened_path("bert"), "a", "--target", "a")
    assert "held-out pairs" in refused("heads", opened_path("gpt2"), "--n", "3")


def test_a_sentence_may_begin_with_a_dash_after_options(command):
    plain = command("translate", COPY, "--", "-5 a b")
    assert plain[0] == 0
    assert json.loads(command("translate", COPY, "--json", "--", "-5 a b")[1])["translation"] == (
        plain[1].strip()
    )
