import pytest

from classroom.names import MARK, NameTakenError, admitted, admitted_by_account, is_known
from classroom.sign_in import LONGEST, Form, page, read
from pages.frame.service import VISITORS, visitors


def test_what_was_typed_before_is_shown_again_but_no_password_and_never_as_markup():
    form = Form(password="secret-1", name='"><script>', word="secret-2", then='/"><b>')
    shown = page("en", form, problem="<i>wrong</i>")
    assert "secret" not in shown
    assert "<script>" not in shown
    assert "<b>" not in shown
    assert "<i>" not in shown
    assert "&lt;i&gt;wrong" in shown


def test_what_is_no_form_is_read_as_an_empty_one():
    for content in (b"\xff", b"&".join(b"a=1" for _ in range(99)), b""):
        assert read(content) == Form()
    assert len(read(b"name=" + b"x" * 999).name) == LONGEST


def test_a_name_is_the_first_ones_who_comes_back_by_a_word(tmp_path):
    ann = admitted(tmp_path, " Ann ", "my word")
    assert ann.name == "Ann"
    assert not ann.is_owner
    assert admitted(tmp_path, "ann", "my word") == ann
    with pytest.raises(NameTakenError, match="taken"):
        admitted(tmp_path, "ANN", "another")
    assert visitors(tmp_path) == ["Ann"]
    assert "my word" not in (tmp_path / VISITORS / "Ann" / MARK).read_text()


@pytest.mark.parametrize("name", ["", "../ben", "a/b", ".hidden", "x" * 99])
def test_a_name_that_could_be_no_folder_is_nobodys(tmp_path, name):
    with pytest.raises(NameTakenError):
        admitted(tmp_path, name, "my word")
    assert visitors(tmp_path) == []


def test_a_name_without_a_word_is_not_given(tmp_path):
    with pytest.raises(NameTakenError, match="longer word"):
        admitted(tmp_path, "Ann", "abc")
    assert visitors(tmp_path) == []


def test_a_name_that_was_freed_and_taken_anew_is_no_longer_the_first_ones(tmp_path):
    first = admitted(tmp_path, "Ann", "my word")
    assert is_known(tmp_path, first)
    (tmp_path / VISITORS / "Ann" / MARK).unlink()
    assert not is_known(tmp_path, first)
    second = admitted(tmp_path, "Ann", "others word")
    assert is_known(tmp_path, second)
    assert not is_known(tmp_path, first)


def test_a_damaged_mark_lets_nobody_in(tmp_path):
    ann = admitted(tmp_path, "Ann", "my word")
    (tmp_path / VISITORS / "Ann" / MARK).write_text("{")
    assert not is_known(tmp_path, ann)
    for word in ("my word", ""):
        with pytest.raises(NameTakenError):
            admitted(tmp_path, "Ann", word)


def test_an_account_has_its_own_name_which_no_word_opens(tmp_path):
    first = admitted_by_account(tmp_path, "ann", "a" * 64)
    assert admitted_by_account(tmp_path, "other", "a" * 64) == first
    assert is_known(tmp_path, first)
    for word in ("", "a" * 64, "account$" + "a" * 64):
        with pytest.raises(NameTakenError):
            admitted(tmp_path, "ann", word)


def test_somebody_elses_name_is_not_given_to_an_account(tmp_path):
    by_word = admitted(tmp_path, "Ann", "my word")
    second = admitted_by_account(tmp_path, "ann", "a" * 64)
    third = admitted_by_account(tmp_path, "ann", "b" * 64)
    assert [by_word.name, second.name, third.name] == ["Ann", "ann-2", "ann-3"]
