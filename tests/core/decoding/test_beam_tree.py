from pathlib import Path

from core.decoding.beam import Beam
from core.decoding.beam_tree import FOUND_BY_BEAM, beam_search
from core.decoding.sentence import translate
from core.runs.run import load_run
from core.tasks import TASKS

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


def test_beside_the_tree_stands_what_greedy_decoding_writes():
    run, sentence = load_run(GALLERY / "translate"), FOUND_BY_BEAM["translate"]
    search = beam_search(run, sentence, Beam(4))
    best = search.finished[0]
    assert search.greedy_text == translate(run, sentence).text != search.prefixes[best]
    assert search.prefixes[best] == TASKS["translate"].reference(sentence)
    assert search.nodes[best].hypothesis.score > search.greedy.score
    ways = zip(search.nodes, search.table()["greedy"], strict=True)
    followed = [node.hypothesis.tokens for node, is_greedy in ways if is_greedy]
    assert followed == [search.greedy.tokens[: n + 1] for n in range(len(followed))]
