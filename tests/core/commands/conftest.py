import pytest

from core.__main__ import main


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
