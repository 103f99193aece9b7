from functools import cache

import pytest

from core import __main__
from core.__main__ import main


@pytest.fixture(scope="session", autouse=True)
def _options_are_put_together_once():
    """What reads a command line keeps nothing of it, and takes longer to make than to be used."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(__main__, "command_line", cache(__main__.command_line))
        yield


@pytest.fixture
def command(capsys):
    """Return a function that runs a command and gives its status, output and errors."""

    def run(*arguments):
        capsys.readouterr()
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as ended:
            status = ended.code
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


@pytest.fixture
def refused(command):
    """Return a function that runs a command which the user has to mend, and gives its sentence."""

    def run(*arguments):
        status, out, error = command(*arguments)
        assert status == 2
        assert out == ""
        assert error.startswith("error: ")
        assert error.count("\n") == 1
        return error

    return run
