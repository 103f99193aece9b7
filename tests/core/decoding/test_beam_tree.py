from core.decoding.beam import Beam
from core.decoding.beam_tree import FOUND_BY_BEAM, beam_search
from core.decoding.sentence import translate
from core.runs.run import load_run
from core.tasks import TASKS
from tests.core.conftest import GALLERY


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
