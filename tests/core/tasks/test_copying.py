import random
import re

from core.tasks import Sample
from core.tasks.copying import Copying, aligned
from core.vocabulary import Span


def samples(n=500):
    rng = random.Random(1)
    return [Copying().sample(rng) for _ in range(n)]


def test_target_is_the_source():
    for sample in samples():
        assert sample.target == sample.source
        assert re.fullmatch(r"[a-z]( [a-z]){3,15}", sample.source)


def test_every_length_from_4_to_16_occurs():
    assert {len(sample.source.split()) for sample in samples()} == set(range(4, 17))


def test_links_join_each_symbol_to_itself():
    for sample in samples(50):
        assert len(sample.links) == len(sample.source.split())
        for place, link in enumerate(sample.links):
            assert link.source == link.target == Span(2 * place, 2 * place + 1)


def test_aligned_symbols_come_in_the_order_asked_for():
    sample = aligned(["k", "d", "a"], range(2, -1, -1))
    assert (sample.source, sample.target) == ("k d a", "a d k")
    pairs = [
        (link.source.of(sample.source), link.target.of(sample.target)) for link in sample.links
    ]
    assert pairs == [("a", "a"), ("d", "d"), ("k", "k")]


def test_samples_depend_on_the_generator_alone():
    assert samples(20) == samples(20)


def test_held_out_depends_on_the_source_alone():
    for sample in samples(50):
        assert Copying().held_out(sample) == Copying().held_out(Sample(sample.source, ""))


def test_examples_can_be_learned():
    for example in Copying.examples:
        assert re.fullmatch(r"[a-z]( [a-z]){3,15}", example.source)


def test_a_row_can_be_longer_than_any_that_is_learned():
    drawn = Copying().of_length(random.Random(2), 40)
    symbols = drawn.source.split()
    assert len(symbols) == 40 and not Copying().makes(drawn.source)
    assert Copying().reference(drawn.source) == drawn.target
