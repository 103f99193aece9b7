"""Every option of every command with a bad value: found in the parsers themselves."""

import argparse
import contextlib
from pathlib import Path

import pytest

from core.__main__ import command_line, main
from core.commands import train

COPY = Path(__file__).parents[3] / "gallery" / "copy"
HUGE = "9" * 40
NUMBERS = ("-1", HUGE, "nan", "x")
SETTINGS = ("x", "n_headz=4", "n_heads=0", f"n_heads={HUGE}", "dropout=nan", "norm=sideways")


A_FILE = "a file"
"""Where something is to be made there is one already."""


def commands(parser, names=()):
    """Yield the names that lead to each command, with its parser."""
    deeper = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    for action in deeper:
        for name, inner in action.choices.items():
            yield from commands(inner, (*names, name))
    if not deeper:
        yield names, parser


ALL = list(commands(command_line()))
GOOD = {
    "run": str(COPY),
    "sentence": "a b",
    "name": "mixing",
    "out": "out",
    "source": "out",
    "file": str(COPY / "words.txt"),
}
"""A value for each argument that a command cannot do without."""


def bad_values(action):
    """Return values that cannot be, by what an option takes."""
    if action.choices:
        return ["nothing-such"]
    if action.dest == "set":
        return SETTINGS
    if not action.option_strings and action.dest == "out":
        return [A_FILE]
    if action.type is Path or action.dest in ("task", "valid", "test", "source"):
        return ["none/such"]
    if action.type is not None:
        return NUMBERS
    return {"guide": ["x", "encoder.9.self:0"], "name": ["nothing-such"]}.get(action.dest, [])


# What `import` makes is called RUN, and made wherever it is said.
CASES = [
    (names, action, value)
    for names, parser in ALL
    for action in parser._actions
    if action.nargs != 0 and (names, action.dest) != (("import",), "run")
    for value in bad_values(action)
]


def arguments(names, action, value):
    parser = dict(ALL)[names]
    required = {each.dest: GOOD[each.dest] for each in parser._actions if not each.option_strings}
    if not action.option_strings:
        return [*names, *(required | {action.dest: value}).values()]
    others = {"length_penalty": ["--beam", "2"], "made_share": []}.get(action.dest, [])
    return [*names, *required.values(), *others, action.option_strings[0], value]


@pytest.mark.parametrize(
    ("names", "action", "value"),
    CASES,
    ids=[f"{' '.join(n)}-{a.dest}-{v[:12]!r}" for n, a, v in CASES],
)
def test_a_bad_value_is_refused_in_one_sentence_and_leaves_nothing_behind(  # noqa: PLR0913
    names, action, value, tmp_path, tmp_path_factory, monkeypatch, capsys
):
    if value == A_FILE:
        value = str(tmp_path_factory.mktemp("other") / "file")
        Path(value).write_text("mine")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(train, "_show", lambda *_: pytest.fail("it is trained"))
    status = None
    with contextlib.suppress(SystemExit):
        try:
            status = main(arguments(names, action, value))
        except SystemExit as ended:
            status = ended.code
    said = capsys.readouterr()
    assert status == 2, said
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert said.err.count("\n") == 1
    assert len(said.err) < 1500
    assert list(tmp_path.iterdir()) == []


def test_every_number_has_bounds():
    free = [
        f"{' '.join(names)} {action.dest}"
        for names, parser in ALL
        for action in parser._actions
        if action.type in (int, float)
    ]
    assert free == []


@pytest.mark.parametrize("before", [["--json"], ["--beam", "2"], ["--steps"]])
@pytest.mark.parametrize("sentence", ["-5 a b", "--json", "a -b"])
def test_a_sentence_may_begin_with_a_dash_after_options(before, sentence, capsys):
    assert main(["translate", str(COPY), *before, "--", sentence]) == 0
    first = capsys.readouterr().out
    assert main(["translate", str(COPY), "--", sentence]) == 0
    plain = capsys.readouterr().out.strip()
    assert plain in first
