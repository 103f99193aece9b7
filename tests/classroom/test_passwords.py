from classroom.passwords import Attempts, hashed, matches


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
