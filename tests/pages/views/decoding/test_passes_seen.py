import re

import pytest

from core.decoding.sentence import passes_of
from core.runs.run import load_run
from tests.pages.conftest import ROOT

SENTENCE = "a b c d b e f g"


@pytest.fixture(scope="module")
def parallel():
    return load_run(ROOT / "gallery" / "parallel")


def seen(open_view, **query):
    _at, shown = open_view("passes", model="parallel", sentence=SENTENCE, **query)
    return re.sub(r":\w+\[([^]]*)\]", r"\1", shown.seen)


def test_the_first_pass_is_said_to_mix_both_right_targets(open_view, parallel):
    said = seen(open_view)
    [first, *_others] = passes_of(parallel, SENTENCE, 4)
    words = parallel.target_tokenizer.decode(first.written)
    assert f"Pass 1 writes **{words}**." in said
    assert "Right would be “**a b c d b e f g**” or “**g f e b d c b a**”." in said
    # 2^(1 − 8) = 1 / 128.
    assert "A coin tossed at each of the 8 places" in said
    assert "with probability 0.8\u00a0%." in said
    one, other = (
        sum(word == its for word, its in zip(words.split(), right, strict=False))
        for right in (SENTENCE.split(), SENTENCE.split()[::-1])
    )
    assert f"(words as in the first: {one}, as in the second: {other})" in said
    assert said.index("mixes both") < said.index("Later passes")


def test_a_place_that_changes_is_told_pass_by_pass(open_view, parallel):
    said = seen(open_view)
    passes = passes_of(parallel, SENTENCE, 4)
    describe = parallel.target_tokenizer.describe_alone
    written = [[token.text for token in describe(each.written)] for each in passes]
    [changed] = [at for at, words in enumerate(zip(*written, strict=True)) if len(set(words)) > 1]
    along = ", ".join(words[changed] for words in written)
    last = parallel.target_tokenizer.decode(passes[-1].written)
    assert f"change 1 place (place {changed}: pass by pass {along}): **{last}**." in said
    assert said.endswith("That is not right.")


def test_of_one_pass_no_later_one_is_told(open_view):
    assert "Later passes" not in seen(open_view, passes="1")


def test_each_word_has_the_colour_of_the_right_target_that_it_is_of(open_view, parallel):
    _at, shown = open_view("passes", model="parallel", sentence=SENTENCE)
    [first, *_others] = passes_of(parallel, SENTENCE, 4)
    written = parallel.target_tokenizer.decode(first.written).split()
    said = shown.seen.partition("Pass 1 writes **")[2].partition("**")[0].split()
    assert len(said) == len(written)
    right = SENTENCE.split(), SENTENCE.split()[::-1]
    for word, shown_word, one, other in zip(written, said, *right, strict=True):
        colour = {(True, False): "blue", (False, True): "orange"}.get((word == one, word == other))
        assert shown_word == (f":{colour}[{word}]" if colour else word)
