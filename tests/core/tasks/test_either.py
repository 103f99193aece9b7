import random

from core.batch import encode_samples
from core.tasks import SEVERAL_RIGHT, TASKS
from core.tasks.either import Either
from core.vocabulary import EOS


def samples(n=2000):
    rng = random.Random(2)
    return [Either().sample(rng) for _ in range(n)]


def test_the_target_is_the_source_or_its_reverse_and_the_other_is_as_right():
    for sample in samples(300):
        assert 6 <= len(sample.source.split()) <= 12
        assert {sample.target, *sample.others} == {sample.source, sample.source[::-1]}


def test_the_coin_is_fair():
    drawn = [each for each in samples() if each.source != each.source[::-1]]
    copied = sum(each.target == each.source for each in drawn)
    # Four standard deviations of 2000 fair coins: 4 √(2000 / 4) = 89.
    assert abs(copied - len(drawn) / 2) < 90


def test_links_join_each_symbol_of_the_target_to_where_it_comes_from():
    for sample in samples(50):
        for link in sample.links:
            assert link.source.of(sample.source) == link.target.of(sample.target)


def test_whichever_of_the_two_a_model_says_is_right_and_a_mixture_is_wrong(tokenizer):
    sample = next(each for each in samples() if each.source != each.source[::-1])
    [pair] = encode_samples(tokenizer, [sample])
    said = {text: (*tokenizer.encode(text).ids, EOS) for text in (sample.target, *sample.others)}
    assert all(pair.is_right(ids) for ids in said.values())
    one, other = said.values()
    n = len(one) // 2
    assert pair.is_right((*one[:n], *other[n:])) == (one[:n] == other[:n] or one[n:] == other[n:])
    assert not pair.is_right(one[:-1])


def test_it_is_the_task_of_which_several_targets_are_right():
    assert {TASKS["either"].name} == SEVERAL_RIGHT
    assert TASKS["either"].reference("k d a f q z") == "k d a f q z"
    assert TASKS["either"].reference("k dog") is None
    assert TASKS["either"].makes("k d a f q z") and not TASKS["either"].makes("k d a f q")
