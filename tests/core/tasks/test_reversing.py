import random

from core.tasks import Sample
from core.tasks.copying import Copying
from core.tasks.reversing import Reversing


def samples(n=300):
    rng = random.Random(2)
    return [Reversing().sample(rng) for _ in range(n)]


def test_target_is_the_source_backwards():
    for sample in samples():
        assert sample.target == sample.source[::-1]
        assert 4 <= len(sample.source.split()) <= 16


def test_links_join_each_symbol_to_its_mirror_image():
    for sample in samples(50):
        last = len(sample.source) - 1
        assert len(sample.links) == len(sample.source.split())
        for link in sample.links:
            assert link.source.of(sample.source) == link.target.of(sample.target)
            assert link.source.start == last - link.target.start


def test_copying_and_reversing_hold_out_the_same_rows():
    for sample in samples():
        assert Reversing().held_out(sample) == Copying().held_out(Sample(sample.source, ""))


def test_a_row_can_be_longer_than_any_that_is_learned():
    drawn = Reversing().of_length(random.Random(2), 40)
    symbols = drawn.source.split()
    assert len(symbols) == 40 and not Reversing().makes(drawn.source)
    assert Reversing().reference(drawn.source) == drawn.target
