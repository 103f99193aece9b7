import pytest

import classroom.__main__ as begin
from classroom.passwords import matches
from classroom.settings import Classroom, ClassroomError, read


def answers(*given):
    left = iter(given)
    return lambda _question: next(left)


def test_a_class_is_asked_for_its_passwords_once(tmp_path):
    found = begin.set_up(tmp_path, {}, answers("all together", "mine alone"))
    assert matches("all together", found.password)

    def never(_question):
        raise AssertionError("asked again")

    assert begin.set_up(tmp_path, {}, never) == read(tmp_path, {})


def test_where_nobody_can_answer_it_is_said_what_is_missing(tmp_path):
    with pytest.raises(ClassroomError, match="nobody could sign in"):
        begin.set_up(tmp_path, {}, None)


def test_secrets_of_something_else_are_not_added_to(tmp_path):
    (tmp_path / "secrets.toml").write_text('[other]\nx = "y"\n')
    with pytest.raises(ClassroomError):
        begin.set_up(tmp_path, {}, answers("all together", "mine alone"))
    assert (tmp_path / "secrets.toml").read_text() == '[other]\nx = "y"\n'


def test_a_class_is_served_where_it_is_asked_for_with_uploads_as_large_as_it_may(tmp_path):
    given = {"CLASS_PASSWORD": "all together", "TEACHER_PASSWORD": "mine alone"}
    command = begin.command(read(tmp_path, given), "0.0.0.0", "8501")
    assert command[command.index("--server.address") + 1] == "0.0.0.0"
    assert command[command.index("--browser.serverAddress") + 1] == begin.own_address()
    assert command[command.index("--server.maxUploadSize") + 1] == "20"
    assert "all together" not in " ".join(command)


def test_what_cannot_be_begun_is_said_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CLASS_SETTINGS", str(tmp_path))
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert begin.main([]) == 2
    assert capsys.readouterr().err.startswith("error: nobody could sign in")


def test_freed_memory_goes_back_unless_the_environment_says_otherwise(monkeypatch):
    began = []
    monkeypatch.setattr(begin.os, "execve", lambda *told: began.append(told))
    monkeypatch.setenv("MALLOC_ARENA_MAX", "7")
    begin._become(["python", "app.py"], begin.environment(Classroom(secret="one for all")))
    [(program, command, environment)] = began
    assert (program, command) == ("python", ["python", "app.py"])
    assert environment["MALLOC_ARENA_MAX"] == "7"
    assert environment["MALLOC_MMAP_THRESHOLD_"] == "1048576"
    assert environment["PATH"]


def test_replicas_of_one_class_take_what_a_page_of_another_hands_over():
    secrets = [begin.environment(Classroom(secret=each)) for each in ("a", "a", "b")]
    name = "STREAMLIT_SERVER_COOKIE_SECRET"
    assert secrets[0][name] == secrets[1][name] != secrets[2][name]
    assert secrets[0][name] != "a"


def test_nobody_is_believed_about_where_she_comes_from_but_a_proxy_that_is_named():
    # An empty list of those whom uvicorn believes; its own usual one holds 127.0.0.1.
    assert begin.environment(Classroom(secret="s"))["FORWARDED_ALLOW_IPS"] == ""
