import subprocess
import sys

import pytest

from core.__main__ import main
from core.commands import translate
from core.installed import ROOT, VERSION
from core.training.presets import SETTINGS


@pytest.mark.parametrize("arguments", [[], ["fly"], ["translate"], ["count", "--colour"]])
def test_what_is_no_command_ends_with_status_2_and_says_where_help_is(capsys, arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert "(see python -m core" in said


def test_the_version_is_said(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"seq2see {VERSION}\n")


def test_the_help_of_train_names_every_setting(capsys):
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    said = capsys.readouterr().out
    assert [name for names in SETTINGS.values() for name in names if name not in said] == []


def test_interrupting_ends_with_status_130(monkeypatch):
    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(translate, "run", interrupt)
    assert main(["translate", "gallery/copy", "a"]) == 130


def test_the_module_is_a_program_with_an_exit_status(tmp_path, pytestconfig):
    command = [sys.executable, "-m", "core", "translate", str(tmp_path / "none"), "a"]
    ended = subprocess.run(
        command, cwd=pytestconfig.rootpath, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"error: {tmp_path / 'none'}: no such folder\n"


@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["--help"], 0), (["train", "--help"], 0), (["translate", "none/such", "a"], 2)],
)
def test_torch_is_imported_neither_for_help_nor_to_refuse_a_missing_folder(arguments, status):
    """It takes seconds."""
    program = """
import sys
from core.__main__ import main
try:
    status = main(sys.argv[1:])
except SystemExit as ended:
    status = ended.code
assert not {"torch", "numpy", "transformers"} & set(sys.modules)
sys.exit(status)
"""
    command = [sys.executable, "-c", program, *arguments]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == status, ended.stderr
    assert ("usage: " if status == 0 else "error: none/such: no such folder") in (
        ended.stdout + ended.stderr
    )
