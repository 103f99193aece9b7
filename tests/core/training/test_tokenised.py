"""Pairs as token ids in flat arrays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.batch import encode_samples
from core.tasks import CorpusError, Sample
from core.tasks.columns import tidy
from core.training import tokenised
from core.training.tokenised import TokenisedPairs, write_tokens

SAMPLES = [Sample(f"k {n} l’été" * (n % 4 + 1), f"d {n}") for n in range(50)]


def opened(way, tokenizer, path):
    if way == "in memory":
        return TokenisedPairs.of(iter(SAMPLES), tokenizer)
    assert write_tokens(path, iter(SAMPLES), tokenizer, 1000) == (50, 0)
    return TokenisedPairs.read(path, tokenizer)


@pytest.mark.parametrize("way", ["in memory", "in files"])
def test_a_pair_is_as_the_tokenizer_makes_it(tokenizer, tmp_path, monkeypatch, way):
    monkeypatch.setattr(tokenised, "AT_ONCE", 7)
    found = opened(way, tokenizer, tmp_path)
    expected = encode_samples(tokenizer, SAMPLES)
    assert len(found) == len(expected)
    for index, pair in enumerate(expected):
        it = found.pair(index, tokenizer)
        assert (it.source, it.target) == (pair.source, pair.target)
        assert it.text == tokenizer.normalise(pair.text)
        # EOS, and BOS and EOS, are not among those that are counted.
        assert found.lengths_N2[index].tolist() == [len(pair.source) - 1, len(pair.target) - 2]


TEXT = st.text("aé’'ns nt.,1 23l日", min_size=1, max_size=20).map(tidy).filter(bool)


@given(st.lists(st.builds(Sample, TEXT, TEXT), min_size=1, max_size=8))
def test_whatever_is_written_is_split_as_the_tokenizer_splits_it(tokenizer, samples):
    found = TokenisedPairs.of(samples, tokenizer)
    for index, pair in enumerate(encode_samples(tokenizer, samples)):
        it = found.pair(index, tokenizer)
        assert (it.source, it.target) == (pair.source, pair.target)


def test_pairs_that_do_not_fit_are_left_out_and_counted(tokenizer, tmp_path):
    pairs = encode_samples(tokenizer, SAMPLES)
    longest = sorted(max(len(pair.source), len(pair.target) - 1) for pair in pairs)[25]
    told = []
    n, n_left_out = write_tokens(tmp_path, SAMPLES, tokenizer, longest, told.append)
    found = TokenisedPairs.read(tmp_path, tokenizer)
    fitting = [each for each in pairs if max(len(each.source), len(each.target) - 1) <= longest]
    assert n == len(found) == len(fitting) == 50 - n_left_out < 50
    assert [found.pair(i, tokenizer).source for i in range(n)] == [p.source for p in fitting]
    assert told == [50]


def test_files_that_do_not_belong_together_are_refused(tokenizer, tmp_path):
    write_tokens(tmp_path, SAMPLES, tokenizer, 1000)
    ids = tmp_path / tokenised.FOLDER / tokenised.IDS
    ids.write_bytes(ids.read_bytes()[:-2])
    with pytest.raises(CorpusError, match="do not belong together"):
        TokenisedPairs.read(tmp_path, tokenizer)
