from types import SimpleNamespace

import pytest

from classroom import passwords
from classroom.guard import FREE_NEW_NAMES, FREE_OF_MACHINE, FREE_OF_NAME
from classroom.passwords import Attempts, hashed, matches
from tests.classroom.conftest import ANN


def test_the_same_password_is_never_kept_the_same_way():
    first, second = hashed("all together"), hashed("all together")
    assert first != second
    assert matches("all together", first)
    assert matches("all together", second)


def test_whoever_guesses_waits_longer_and_longer():
    attempts, waits = Attempts(free=3), []
    for _ in range(12):
        waits.append(attempts.wait("a", now=100.0))
        attempts.note("a", failed=True, now=100.0)
    assert waits[:4] == [0.0, 0.0, 0.0, 1.0]
    assert waits[4:8] == [2.0, 4.0, 8.0, 16.0]
    assert waits[-1] == 60.0
    assert attempts.wait("a", now=200.0) == 0.0
    # Somebody else does not wait for it.
    assert attempts.wait("b", now=100.0) == 0.0


def test_an_attempt_that_did_not_fail_takes_back_itself_alone():
    attempts = Attempts(free=1)
    for _ in range(5):
        attempts.note("a", failed=True, now=100.0)
    attempts.take_back("a")
    assert attempts.wait("a", now=100.0) == 8.0
    attempts.note("a", failed=False, now=100.0)
    assert attempts.wait("a", now=100.0) == 0.0


def test_failures_are_forgotten_one_a_minute_and_no_guess_is_faster():
    attempts = Attempts(free=3)
    for minute in range(1000):
        assert attempts.wait("a", now=60.0 * minute) == 0.0
        attempts.note("a", failed=True, now=60.0 * minute)
    now = n = 0
    while now < 10_000:
        now += attempts.wait("b", now=now)
        attempts.note("b", failed=True, now=now)
        n += 1
    # Three are free, seven more raise the wait to a minute.
    assert n <= 3 + 7 + 10_000 / 60


def test_no_more_is_remembered_than_there_is_room_for():
    attempts = Attempts(free=0, remembered=3)
    for number in range(10):
        attempts.note(str(number), failed=True, now=0.0)
    assert len(attempts._failed) == 3


@pytest.mark.slow
def test_whoever_guesses_words_of_a_name_has_to_wait_and_others_have_not(ask, monkeypatch):
    # Comparing is slow on purpose, and on a busy machine slower than the first waits.
    monkeypatch.setattr(passwords, "time", SimpleNamespace(monotonic=lambda: 100.0))
    ask("/sign-in", form=ANN)
    for _ in range(FREE_OF_NAME):
        assert ask("/sign-in", form=ANN | {"word": "guess"})[0] == 403
    assert ask("/sign-in", form=ANN)[0] == 429
    assert ask("/sign-in", form=ANN | {"name": "Ben"})[0] == 303


def test_whoever_guesses_the_password_has_to_wait(ask, monkeypatch):
    # Comparing is slow on purpose.
    monkeypatch.setattr("classroom.guard.matches", lambda _password, _kept: False)
    for _ in range(FREE_OF_MACHINE):
        assert ask("/sign-in", form=ANN)[0] == 403
    assert ask("/sign-in", form=ANN)[0] == 429


def test_a_success_clears_no_failures_but_those_of_the_same_name(ask, cheap):
    # At the teacher's password, with a success as a student after each ten.
    found = []
    for number in range(FREE_OF_MACHINE + 1):
        found.append(ask("/sign-in", classroom=cheap, form={"password": f"guess {number}"})[0])
        if number % 10 == 9 and number < FREE_OF_MACHINE - 1:
            assert ask("/sign-in", classroom=cheap, form=ANN)[0] == 303
    assert found == [403] * FREE_OF_MACHINE + [429]
    assert ask("/sign-in", classroom=cheap, form=ANN)[0] == 429
    assert ask("/sign-in", classroom=cheap, form=ANN, client="10.0.0.2")[0] == 303


def test_a_success_by_one_name_clears_no_failures_at_another(ask, cheap):
    ben = ANN | {"name": "Ben"}
    for form in (ANN, ben):
        ask("/sign-in", classroom=cheap, form=form)
    for _ in range(FREE_OF_NAME):
        assert ask("/sign-in", classroom=cheap, form=ANN | {"word": "guess"})[0] == 403
        assert ask("/sign-in", classroom=cheap, form=ben)[0] == 303
    assert ask("/sign-in", classroom=cheap, form=ANN)[0] == 429


@pytest.mark.parametrize(
    "names",
    [
        ("Zo\N{LATIN SMALL LETTER E WITH DIAERESIS}", "Zoe\N{COMBINING DIAERESIS}"),
        ("Ann", " aNN "),
        ("Strauß", "STRAUSS"),
    ],
)
def test_one_name_is_one_account_and_one_counter_however_it_is_written(ask, names, cheap):
    assert ask("/sign-in", classroom=cheap, form=ANN | {"name": names[0]})[0] == 303
    found = [
        ask("/sign-in", classroom=cheap, form=ANN | {"name": names[number % 2], "word": "guess"})[0]
        for number in range(FREE_OF_NAME + 1)
    ]
    assert found == [403] * FREE_OF_NAME + [429]


def test_a_class_may_choose_its_names_at_once_and_nobody_names_without_end(ask, cheap):
    def chosen(number, client="10.0.0.1"):
        form = ANN | {"name": f"visitor {number}"}
        return ask("/sign-in", classroom=cheap, form=form, client=client)[0]

    assert FREE_NEW_NAMES > 50
    assert {chosen(number) for number in range(FREE_NEW_NAMES)} == {303}
    assert chosen(FREE_NEW_NAMES) == 429
    # Whoever has a name comes in, and so does somebody elsewhere.
    assert chosen(7) == 303
    assert chosen(FREE_NEW_NAMES, client="10.0.0.2") == 303
