import subprocess
import sys

import pytest

from core.__main__ import main
from core.commands import translate
from core.installed import VERSION
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
    assert main(["translate", "run", "a"]) == 130


def test_the_module_is_a_program_with_an_exit_status(tmp_path, pytestconfig):
    command = [sys.executable, "-m", "core", "translate", str(tmp_path / "none"), "a"]
    ended = subprocess.run(
        command, cwd=pytestconfig.rootpath, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"error: {tmp_path / 'none'}: no such folder\n"
