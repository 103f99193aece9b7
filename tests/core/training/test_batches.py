"""Which sentences come together in a batch, and in what order."""

import itertools
import random
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from core.batch import encode_samples
from core.config.training import TrainConfig
from core.tasks import TASKS, CorpusError, Mixed, Sample
from core.tasks.columns import tidy
from core.tasks.corpus import Corpus
from core.training import tokenised
from core.training.batches import epoch_indices, training_batches
from core.training.tokenised import TokenisedPairs, write_tokens


def first_batches(tokenizer, n, seed=0, first_step=0, task=TASKS["copy"]):
    config = TrainConfig(batch_size=4, seed=seed)
    return list(itertools.islice(training_batches(task, tokenizer, config, first_step), n))


def same(one, other):
    return one.sources == other.sources and torch.equal(one.labels_BT, other.labels_BT)


def test_batches_depend_on_the_seed_and_not_on_the_global_random_state(tokenizer):
    random.seed(1)
    torch.manual_seed(1)
    first = first_batches(tokenizer, 20, seed=4)
    random.seed(2)
    torch.manual_seed(2)
    assert all(map(same, first, first_batches(tokenizer, 20, seed=4)))
    assert not any(map(same, first, first_batches(tokenizer, 20, seed=5)))


WORDS = ("a", "bb", "ccc", "dddd")
SAMPLES = [
    Sample(f"{n} " + " ".join(WORDS[: n % 4 + 1] * (n % 5 + 1)), f"{n} x") for n in range(300)
]
LENGTHS = arrays.arrays(
    np.int64, st.tuples(st.integers(1, 300), st.just(2)), elements=st.integers(1, 30)
)
SIZES = st.builds(
    TrainConfig,
    batch_size=st.integers(1, 40),
    batch_tokens=st.sampled_from([0, 16, 64, 500]),
    seed=st.integers(0, 5),
)


@given(LENGTHS, SIZES)
def test_each_epoch_has_every_pair_once(lengths_N2, config):
    batches = epoch_indices(lengths_N2, config)
    for _ in range(2):
        seen = []
        while len(seen) < len(lengths_N2):
            seen += next(batches).tolist()
        assert sorted(seen) == list(range(len(lengths_N2)))


@given(LENGTHS, SIZES)
def test_a_batch_has_so_many_tokens_or_pairs_at_most(lengths_N2, config):
    for batch in itertools.islice(epoch_indices(lengths_N2, config), 50):
        assert len(batch) > 0
        filled_up = len(batch) * (lengths_N2[batch].max() + 1)
        if config.batch_tokens:
            assert len(batch) == 1 or filled_up <= config.batch_tokens
        else:
            assert len(batch) <= config.batch_size


@given(LENGTHS, SIZES, st.integers(0, 60))
def test_epochs_that_go_on_at_a_step_are_those_that_never_stopped(lengths_N2, config, step):
    whole = itertools.islice(epoch_indices(lengths_N2, config), step, step + 5)
    later = itertools.islice(epoch_indices(lengths_N2, config, step), 5)
    assert [each.tolist() for each in whole] == [each.tolist() for each in later]


def test_pairs_of_similar_length_come_together():
    rng = np.random.default_rng(0)
    lengths_N2 = rng.integers(1, 40, (4000, 2))
    config = TrainConfig(batch_tokens=512)
    epoch = itertools.islice(epoch_indices(lengths_N2, config), 150)
    # Padding of the longer side only: the shorter one is as long as it happens to be.
    longest = [lengths_N2[batch].max(axis=1) for batch in epoch]
    filled = sum(len(each) * each.max() for each in longest)
    assert sum(each.sum() for each in longest) / filled > 0.9


MIXED = Mixed(TASKS["translate"], Corpus("mine", SAMPLES))
CONFIGS = [
    TrainConfig(batch_size=7, made_share=0.25),
    TrainConfig(batch_tokens=90, made_share=0.25),
]


@pytest.mark.parametrize("config", CONFIGS, ids=["pairs", "tokens"])
def test_beside_made_sentences_each_epoch_has_every_own_pair_once(tokenizer, config):
    own = {each.source for each in MIXED.pairs.part("train")}
    seen, made = [], []
    for batch in training_batches(MIXED, tokenizer, config):
        seen += [source for source in batch.sources if source in own]
        made += [source for source in batch.sources if source not in own]
        if len(seen) == 2 * len(own):
            break
    assert Counter(seen) == dict.fromkeys(own, 2)
    assert not any(MIXED.made.held_out(Sample(source, "")) for source in made)
    assert abs(len(made) / (len(made) + len(seen)) - 0.25) < 0.02
    # They are made anew for each epoch.
    assert len(set(made)) > 0.95 * len(made)


@pytest.mark.parametrize("config", CONFIGS, ids=["pairs", "tokens"])
def test_mixed_batches_from_a_step_on_equal_those_after_skipping_it(tokenizer, config):
    first_step = 40
    whole = itertools.islice(training_batches(MIXED, tokenizer, config), first_step + 3)
    later = training_batches(MIXED, tokenizer, config, first_step)
    assert all(map(same, list(whole)[first_step:], itertools.islice(later, 3)))


WRITTEN = [Sample(f"k {n} l’été" * (n % 4 + 1), f"d {n}") for n in range(50)]


def opened(way, tokenizer, path):
    if way == "in memory":
        return TokenisedPairs.of(iter(WRITTEN), tokenizer)
    assert write_tokens(path, iter(WRITTEN), tokenizer, 1000) == (50, 0)
    return TokenisedPairs.read(path, tokenizer)


@pytest.mark.parametrize("way", ["in memory", "in files"])
def test_a_pair_is_as_the_tokenizer_makes_it(tokenizer, tmp_path, monkeypatch, way):
    monkeypatch.setattr(tokenised, "AT_ONCE", 7)
    found = opened(way, tokenizer, tmp_path)
    expected = encode_samples(tokenizer, WRITTEN)
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
    pairs = encode_samples(tokenizer, WRITTEN)
    longest = sorted(max(len(pair.source), len(pair.target) - 1) for pair in pairs)[25]
    told = []
    n, n_left_out = write_tokens(tmp_path, WRITTEN, tokenizer, longest, told.append)
    found = TokenisedPairs.read(tmp_path, tokenizer)
    fitting = [each for each in pairs if max(len(each.source), len(each.target) - 1) <= longest]
    assert n == len(found) == len(fitting) == 50 - n_left_out < 50
    assert [found.pair(i, tokenizer).source for i in range(n)] == [p.source for p in fitting]
    assert told == [50]


def test_files_that_do_not_belong_together_are_refused(tokenizer, tmp_path):
    write_tokens(tmp_path, WRITTEN, tokenizer, 1000)
    ids = tmp_path / tokenised.FOLDER / tokenised.IDS
    ids.write_bytes(ids.read_bytes()[:-2])
    with pytest.raises(CorpusError, match="do not belong together"):
        TokenisedPairs.read(tmp_path, tokenizer)
