from pathlib import Path

from core.decoding.beam import Beam
from core.decoding.beam_tree import beam_search
from core.runs.run import load_run

GALLERY = Path(__file__).resolve().parents[3] / "gallery"


def test_every_prefix_has_the_number_of_the_one_it_continues():
    run = load_run(GALLERY / "translate-guided")
    search = beam_search(run, "The dog slept.", Beam(3))
    found = search.table()
    for node, parent in enumerate(found["parent"]):
        if parent is None:
            assert found["step"][node] == 0
        else:
            assert found["step"][parent] == found["step"][node] - 1
            assert found["prefix"][node].startswith(found["prefix"][parent])
    scores = [found["score"][node] for node in search.finished]
    assert scores == sorted(scores, reverse=True)
    assert all(found["kept"][node] and found["finished"][node] for node in search.finished)
