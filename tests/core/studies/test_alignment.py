"""Which source word made which target word, and whether the heads that say so are well chosen."""

from dataclasses import replace

import numpy as np
import pytest

from core.evaluate.evaluation import held_out_samples
from core.evaluate.word_links import read_gold
from core.inspection import inspect_sentence, merge_weights
from core.runs.run import RunError, load_run
from core.studies.alignment import (
    Aligner,
    Words,
    align_sentence,
    aligned,
    aligned_both_ways,
    aligners_of,
    choose_aligner,
    chosen,
    measured,
    word_weights,
)
from core.tasks import Sample
from core.tasks.columns import Reading
from core.tasks.pairs import read_pair_files
from tests.pages.conftest import ROOT

BY_HAND = ROOT / "tests" / "english_french_links.tsv"


@pytest.fixture(scope="module")
def everyday():
    return load_run(ROOT / "gallery" / "everyday")


@pytest.fixture(scope="module")
def choice(everyday):
    return choose_aligner(everyday)


def test_the_chosen_heads_align_far_better_than_others_take_and_than_the_diagonal(choice):
    assert choice.n == choice.quality.n == 200
    assert choice.quality.aer.high < 0.05 < choice.first_head.aer.low
    assert choice.first_head.aer.high < choice.diagonal.aer.low
    assert choice.best.quality.aer.value == min(each.quality.aer.value for each in choice.tried)


def test_they_align_everyday_pairs_that_were_linked_by_hand(everyday, choice):
    words = [Words.of(each) for each in read_pair_files([BY_HAND], Reading((0, 1))).rows]
    found = [set(each.links) for each in aligned(everyday, words, choice.aligner)]
    gold = read_gold(BY_HAND)
    assert len(gold) == 100
    for each, links in zip(words, gold, strict=True):
        assert {source for source, _ in links.possible} <= set(range(len(each.source)))
        assert {target for _, target in links.possible} <= set(range(len(each.target)))
    assert measured(words, found, gold).aer.value == pytest.approx(0.071, abs=0.01)


@pytest.mark.slow
def test_without_gold_links_the_agreement_of_rows_and_columns_finds_the_same():
    run = load_run(ROOT / "gallery" / "translate")
    words = [Words.of(each) for each in held_out_samples(run, 100, 0)]
    assert chosen(run, words).aligner == choose_aligner(run).aligner


def test_weights_between_words_are_those_of_their_tokens(everyday):
    # A name of several tokens on both sides.
    source = "Wrychiovu saw the cat."
    inspection = inspect_sentence(everyday, source)
    words = Words.of(Sample(inspection.translation.source, inspection.translation.text))
    fed = [each for each in aligners_of(everyday) if each.row == "fed" and len(each.heads) == 1]
    predicted = [replace(each, row="predicted") for each in fed]
    [found] = word_weights(everyday, [words], [*fed, *predicted])
    rows, columns = ([t.word for t in inspection.tokens_of(side)] for side in ("target", "source"))
    assert len(columns) > len(set(columns))
    for at, each in enumerate(fed):
        weights_QK = inspection.weights_of(each.heads[0])
        expected_qk = merge_weights(weights_QK[None], rows, columns)[0]
        # Without BOS among the rows, and EOS among the columns.
        np.testing.assert_allclose(found[at].T, expected_qk[1:, :-1], atol=1e-5)
        next_rows = merge_weights(weights_QK[None, :-1], [word - 1 for word in rows[1:]], columns)
        np.testing.assert_allclose(found[len(fed) + at].T, next_rows[0][:, :-1], atol=1e-5)


def test_a_link_goes_where_most_of_a_words_weight_is(everyday, choice):
    found = align_sentence(everyday, "The red car stopped.", choice)
    table = found.table()
    pairs = set(zip(table["source_word"], table["target_word"], strict=True))
    assert {("red", "rouge"), ("car", "voiture")} <= pairs
    np.testing.assert_allclose(found.probabilities_st.sum(axis=0), 1.0)
    assert table["probability"] == [found.probabilities_st[link] for link in found.links]
    largest_t = found.probabilities_st.max(axis=0)
    assert [found.probabilities_st[link] for link in found.links] == [
        largest_t[target] for _, target in found.links
    ]


@pytest.mark.slow
def test_both_directions_of_one_that_copies_are_the_same():
    run = load_run(ROOT / "gallery" / "copy")
    aligner = choose_aligner(run).aligner
    forward = aligned(run, [Words.of(Sample("a b c", "a b c"))], aligner)
    other, [both] = aligned_both_ways(forward, run)
    assert isinstance(other, Aligner)
    assert both.links == forward[0].links == ((0, 0), (1, 1), (2, 2))


@pytest.mark.parametrize("name", ["parallel", "bottleneck-fixed"])
def test_what_has_no_cross_attention_from_word_to_word_is_refused(name):
    with pytest.raises(RunError, match="does not write word after word with cross-attention"):
        choose_aligner(load_run(ROOT / "gallery" / name))


def test_words_beyond_the_positions_have_no_links():
    run = load_run(ROOT / "gallery" / "copy")
    letters = "a b c d " * 200
    [found] = aligned(run, [Words.of(Sample(letters, letters))], aligners_of(run)[0])
    assert {target for _, target in found.links} == set(range(512))
