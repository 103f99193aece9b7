import stat

import pytest

import classroom.__main__ as begin
from classroom.accounts import Accounts
from classroom.limits import Limits
from classroom.passwords import hashed, matches
from classroom.settings import Classroom, ClassroomError, keep_passwords, read

PASSWORDS = {"CLASS_PASSWORD": "all together", "TEACHER_PASSWORD": "mine alone"}


def write(folder, text):
    (folder / "class.toml").write_text(text)


def test_a_class_without_a_file_has_the_usual_settings_and_its_passwords(tmp_path):
    found = read(tmp_path, PASSWORDS)
    assert found.limits == Limits()
    assert found.days == 30
    assert matches("all together", found.password)
    assert matches("mine alone", found.teacher_password)
    assert not matches("all together", found.teacher_password)


def test_passwords_are_kept_as_hashes_that_only_their_owner_reads(tmp_path):
    keep_passwords(tmp_path, "all together", "mine alone")
    file = tmp_path / "secrets.toml"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "together" not in file.read_text()
    assert "alone" not in file.read_text()
    found = read(tmp_path, {})
    assert matches("all together", found.password)
    # As long as the file is there, cookies hold.
    assert read(tmp_path, {}).secret == found.secret
    assert "together" not in repr(found)
    assert found.secret not in repr(found)


@pytest.mark.parametrize(
    ("password", "teachers"), [("short", "mine alone"), ("all together", "all together")]
)
def test_passwords_that_protect_nothing_are_refused(tmp_path, password, teachers):
    with pytest.raises(ClassroomError):
        keep_passwords(tmp_path, password, teachers)
    assert not (tmp_path / "secrets.toml").exists()


def test_passwords_that_are_there_are_not_overwritten(tmp_path):
    keep_passwords(tmp_path, "all together", "mine alone")
    with pytest.raises(ClassroomError, match="already"):
        keep_passwords(tmp_path, "others, others", "and mine, too")


@pytest.mark.parametrize(
    "text",
    [
        "titel = 'x'",
        "tour = 3",
        "[limits]\nstep = 3",
        "[limits]\nsteps = true",
        "[",
    ],
)
def test_a_setting_that_cannot_be_is_refused_by_name(tmp_path, text):
    write(tmp_path, text)
    with pytest.raises(ClassroomError, match="class.toml"):
        read(tmp_path, PASSWORDS)


def test_a_class_into_which_nobody_could_come_is_refused(tmp_path):
    with pytest.raises(ClassroomError, match="nobody could sign in"):
        read(tmp_path, {"CLASS_PASSWORD": "all together"})
    (tmp_path / "secrets.toml").write_text('[auth]\ncookie_secret = "s"\n')
    with pytest.raises(ClassroomError, match="nobody could sign in"):
        read(tmp_path, {})


def test_a_hash_that_is_damaged_is_no_password():
    kept = hashed("all together")
    for damaged in (kept[:-3], kept.replace("scrypt", "md5"), "scrypt$x$y$z", "$$$"):
        assert not matches("all together", damaged)


def test_whoever_knows_the_password_of_the_class_is_no_teacher(tmp_path):
    with pytest.raises(ClassroomError, match="another one"):
        read(tmp_path, dict.fromkeys(PASSWORDS, "all together"))
    keep_passwords(tmp_path, "all together", "mine alone")
    with pytest.raises(ClassroomError, match="another one"):
        read(tmp_path, {"CLASS_PASSWORD": "mine alone"})
    with pytest.raises(ClassroomError, match="another one"):
        read(tmp_path, {"TEACHER_PASSWORD": "all together"})


AUTH = """
[auth]
redirect_uri = "http://127.0.0.1:8501/oauth2callback"
cookie_secret = "s"
client_id = "lab"
client_secret = "t"
server_metadata_url = "https://login.example/.well-known/openid-configuration"
"""


def test_who_comes_in_with_an_account_is_read(tmp_path):
    write(tmp_path, '[accounts]\nvisitors = ["@school.example"]\nteachers = ["t@school.example"]')
    with pytest.raises(ClassroomError, match="client_id"):
        read(tmp_path, PASSWORDS)
    (tmp_path / "secrets.toml").write_text(AUTH)
    found = read(tmp_path, PASSWORDS).accounts
    assert found == Accounts(("@school.example",), ("t@school.example",))


@pytest.mark.parametrize(
    "text",
    [
        "[accounts]\npupils = []",
        '[accounts]\nvisitors = "@school.example"',
        '[accounts]\nvisitors = ["school.example"]',
    ],
)
def test_accounts_that_cannot_be_are_refused_by_name(tmp_path, text):
    (tmp_path / "secrets.toml").write_text(AUTH)
    write(tmp_path, text)
    with pytest.raises(ClassroomError, match="class.toml"):
        read(tmp_path, PASSWORDS)


def answers(*given):
    left = iter(given)
    return lambda _question: next(left)


def test_a_class_is_asked_for_its_passwords_once(tmp_path):
    found = begin.set_up(tmp_path, {}, answers("all together", "mine alone"))
    assert matches("all together", found.password)

    def never(_question):
        raise AssertionError("asked again")

    assert begin.set_up(tmp_path, {}, never) == read(tmp_path, {})


def test_a_class_is_served_where_it_is_asked_for_with_uploads_as_large_as_it_may(tmp_path):
    given = {"CLASS_PASSWORD": "all together", "TEACHER_PASSWORD": "mine alone"}
    command = begin.command(read(tmp_path, given), "0.0.0.0", 8501)
    assert command[command.index("--server.address") + 1] == "0.0.0.0"
    assert command[command.index("--browser.serverAddress") + 1] == begin.own_address()
    assert command[command.index("--server.maxUploadSize") + 1] == "20"
    assert "all together" not in " ".join(command)


@pytest.mark.parametrize(
    "arguments",
    [
        *([address] for address in ("", "x", "8.8.8.8")),
        *(["127.0.0.1", port] for port in ("", "x", "0", "-1", "99999", "nan")),
        ["127.0.0.1", "8501", "more"],
    ],
)
def test_an_address_or_a_port_that_cannot_be_is_refused_in_one_sentence(capsys, arguments):
    with pytest.raises(SystemExit) as ended:
        begin.main(arguments)
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert said.startswith("error: ")
    assert said.count("\n") == 1


def test_nobody_is_believed_about_where_she_comes_from_but_a_proxy_that_is_named():
    # An empty list of those whom uvicorn believes; its own usual one holds 127.0.0.1.
    assert begin.environment(Classroom(secret="s"))["FORWARDED_ALLOW_IPS"] == ""
