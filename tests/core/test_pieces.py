import gc
import threading
from contextlib import nullcontext

import pytest

from core import pieces
from core.pieces import in_pieces, in_shares, pause, watched


def told(work):
    found = []
    with watched(found.append):
        work()
    return found


def test_pieces_of_a_piece_are_told_as_shares_of_the_whole():
    def work():
        for _outer in in_pieces("ab"):
            list(in_pieces("cd"))
        pause()

    assert told(work) == [0, 0, 0.25, 0.5, 0.5, 0.75, 0]


def test_work_of_unknown_length_tells_the_share_itself():
    def work():
        for _ in in_pieces("ab"):
            with in_shares() as tell:
                tell(0.5)
                pause()

    assert told(work) == [0, 0.25, 0.25, 0.5, 0.75, 0.75]


def test_what_whoever_waits_raises_ends_the_work():
    done = []

    def look(share):
        if share >= 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), watched(look):
        for piece in in_pieces("abcd"):
            done.append(piece)
    assert done == ["a", "b"]
    assert not pieces.is_watched()


def test_nobody_need_watch():
    assert list(in_pieces([1, 2])) == [1, 2]
    with in_shares() as tell:
        tell(0.5)
    pause()


def test_work_that_was_left_in_the_middle_counts_no_more():
    def work():
        left = in_pieces("abcd")
        next(left)
        next(left)
        del left
        gc.collect()
        pause()

    assert told(work) == [0, 0.25, 0]


def test_work_that_was_begun_before_is_no_piece_of_what_is_watched_now():
    with watched(lambda _share: None):
        begun = in_pieces("abc")
        next(begun)
    assert told(lambda: list(begun)) == [0, 0]


def test_what_another_thread_does_is_not_told():
    def work():
        thread = threading.Thread(target=lambda: list(in_pieces("abc")))
        thread.start()
        thread.join()

    assert told(work) == []


@pytest.mark.parametrize("looks", [True, False], ids=["watched", "alone"])
def test_between_pieces_others_have_their_turn(looks, monkeypatch):
    gave = []
    monkeypatch.setattr(pieces.TURNS, "give_way", lambda: gave.append(1))
    with watched(lambda _share: None) if looks else nullcontext():
        list(in_pieces("abc"))
        pause()
    assert len(gave) == 4
