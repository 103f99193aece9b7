"""The batches of a training: which sentences are grouped, and in what order.

Batch i depends only on the seed and i, so that a training resumed at step i gets the same batches
as one that never stopped. B batch, N pairs.
"""

import itertools
import random
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..batch import Batch, Pair, collate, encode_samples
from ..config import ModelConfig
from ..config.training import TrainConfig
from ..labels import as_learned
from ..tasks import Task
from ..tasks.corpus import Corpus, KeptCorpus, Mixed
from ..tokenizer.tokenizer import Tokenizer
from .tokenised import MOST_WORDS, TokenisedPairs

BATCHES_PER_CHUNK = 16
"""Batches that are drawn together and sorted by length, to reduce padding."""

Indices = NDArray[np.int64]


def training_batches(
    task: Task,
    tokenizer: Tokenizer,
    config: TrainConfig,
    first_step: int = 0,
    model: ModelConfig | None = None,
) -> Iterator[Batch]:
    """Yield batches forever: the user's own pairs epoch by epoch, others newly drawn.

    Args:
        task: The task.
        tokenizer: The model's tokenizer.
        config: Seed and batch size.
        first_step: Number of batches to skip.
        model: Decides inputs and labels of a pair; None for encoder and decoder.
    """
    for step, pairs in enumerate(_groups(task, tokenizer, config, first_step), start=first_step):
        if model is not None:
            rng = random.Random(f"masks {config.seed} {step}")
            pairs = as_learned(pairs, model, tokenizer, rng)
        yield collate(pairs)


def noting_words(
    batches: Iterator[Batch], tokenizer: Tokenizer, words: set[str]
) -> Iterator[Batch]:
    """Yield the batches, and add the words of their sources to `words`."""
    seen: set[str] = set()
    for batch in batches:
        for source in batch.sources:
            # What stands between spaces is split alike in every text.
            parts = set(source.split())
            if not parts <= seen:
                seen |= parts
                words.update(tokenizer.words(source))
        if len(seen) > MOST_WORDS:
            seen.clear()
        yield batch


def _groups(
    task: Task, tokenizer: Tokenizer, config: TrainConfig, first_step: int
) -> Iterator[list[Pair]]:
    """Yield the pairs of each batch."""
    if isinstance(task, Mixed):
        return _mixed(task, tokenizer, config, first_step)
    if isinstance(task, Corpus):
        pairs = TokenisedPairs.of(task.part("train"), tokenizer)
        return _epochs(pairs, tokenizer, config, first_step)
    if isinstance(task, KeptCorpus):
        pairs = TokenisedPairs.read(task.run, tokenizer)
        return _epochs(pairs, tokenizer, config, first_step)
    return _drawn(task, tokenizer, config, first_step)


def _drawn(
    task: Task, tokenizer: Tokenizer, config: TrainConfig, first_step: int
) -> Iterator[list[Pair]]:
    """Yield groups of samples that a task generates, forever."""
    first_chunk, skipped = divmod(first_step, BATCHES_PER_CHUNK)
    size = config.batch_size
    for chunk in itertools.count(first_chunk):
        rng = random.Random(f"train {config.seed} {chunk}")
        samples = list(itertools.islice(task.training_samples(rng), size * BATCHES_PER_CHUNK))
        pairs = encode_samples(tokenizer, samples, aligned=config.guide_to == "alignment")
        pairs.sort(key=lambda pair: (len(pair.source), len(pair.target)))
        batches = [pairs[start : start + size] for start in range(0, len(pairs), size)]
        rng.shuffle(batches)
        yield from batches[skipped if chunk == first_chunk else 0 :]


def _epochs(
    pairs: TokenisedPairs, tokenizer: Tokenizer, config: TrainConfig, first_step: int
) -> Iterator[list[Pair]]:
    """Yield groups of the user's own pairs forever."""
    for indices in epoch_indices(pairs.lengths_N2, config, first_step):
        yield [pairs.pair(index, tokenizer) for index in indices.tolist()]


def epoch_indices(
    lengths_N2: NDArray[np.int64], config: TrainConfig, first_step: int = 0
) -> Iterator[Indices]:
    """Yield the indices of each batch: each epoch has every pair once, in a new order.

    Pairs of similar length among the next ones are grouped.
    """
    longest_N = _longest(lengths_N2)
    n_chunks = max(
        1, round(len(longest_N) / (_pairs_a_batch(longest_N, config) * BATCHES_PER_CHUNK))
    )
    left = first_step
    for epoch in itertools.count():
        rng = _generator(config.seed, epoch)
        for chunk in np.array_split(rng.permutation(len(longest_N)), n_chunks):
            batches = _batches(lengths_N2[chunk], config, rng)
            yield from (chunk[rows] for rows in batches[left:])
            left = max(0, left - len(batches))


def _mixed(
    task: Mixed, tokenizer: Tokenizer, config: TrainConfig, first_step: int
) -> Iterator[list[Pair]]:
    """Yield groups of own pairs and newly generated sentences, forever.

    Each epoch has every own pair once, among newly generated sentences.
    """
    own = TokenisedPairs.of(task.pairs.part("train"), tokenizer)
    n_made_each = config.made_share / (1 - config.made_share)
    per_batch = _pairs_a_batch(_longest(own.lengths_N2), config)
    n_chunks = round(len(own) * (1 + n_made_each) / (per_batch * BATCHES_PER_CHUNK))
    # Each chunk has at least one own pair.
    n_chunks = min(max(1, n_chunks), len(own))
    left = first_step
    for epoch in itertools.count():
        order = _generator(config.seed, epoch).permutation(len(own))
        for number, chunk in enumerate(np.array_split(order, n_chunks)):
            n_made = round(len(chunk) * n_made_each)
            n_batches = _n_batches(len(chunk) + n_made, config)
            # Skipped chunks are not generated if their batches can be counted without.
            if n_batches is not None and left >= n_batches:
                left -= n_batches
                continue
            drawn = task.made.training_samples(
                random.Random(f"beside {config.seed} {epoch} {number}")
            )
            pairs = [own.pair(index, tokenizer) for index in chunk.tolist()]
            made = list(itertools.islice(drawn, n_made))
            pairs += encode_samples(tokenizer, made, aligned=config.guide_to == "alignment")
            lengths_N2 = np.array([(len(each.source) - 1, len(each.target) - 2) for each in pairs])
            rng = _generator(config.seed, epoch, number)
            batches = _batches(lengths_N2, config, rng)
            yield from ([pairs[i] for i in rows.tolist()] for rows in batches[left:])
            left = max(0, left - len(batches))


def _generator(seed: int, *numbers: int) -> np.random.Generator:
    # NumPy takes no negative seeds, but a training does.
    return np.random.default_rng([seed % 2**64, *numbers])


def _longest(lengths_N2: NDArray[np.int64]) -> NDArray[np.int64]:
    # EOS follows the source; of the target, BOS is fed and EOS predicted: one more each.
    return lengths_N2.max(axis=1) + 1


def _pairs_a_batch(longest_N: NDArray[np.int64], config: TrainConfig) -> int:
    """Return the approximate number of pairs in a batch."""
    if config.batch_tokens:
        return max(1, config.batch_tokens // max(1, round(float(longest_N.mean()))))
    return config.batch_size


def _n_batches(n_pairs: int, config: TrainConfig) -> int | None:
    """Return the number of batches for some pairs; None if that depends on their lengths."""
    return None if config.batch_tokens else max(1, -(-n_pairs // config.batch_size))


def _batches(
    lengths_N2: NDArray[np.int64], config: TrainConfig, rng: np.random.Generator
) -> list[Indices]:
    """Group pairs of similar length into batches, in random order."""
    longest_N = _longest(lengths_N2)
    order = np.lexsort((*lengths_N2.T, longest_N))
    batches = _cut(order, longest_N, config)
    return [batches[i] for i in rng.permutation(len(batches))]


def _cut(indices: Indices, longest_N: NDArray[np.int64], config: TrainConfig) -> list[Indices]:
    """Split pairs, the shortest first, into batches."""
    if (n_batches := _n_batches(len(indices), config)) is not None:
        # As evenly as possible: a last batch of two pairs would be a full step.
        return np.array_split(indices, n_batches)
    starts = [0]
    for at, longest in enumerate(longest_N[indices].tolist()):
        # Every row is padded to the longest, which is the last.
        if at > starts[-1] and (at + 1 - starts[-1]) * longest > config.batch_tokens:
            starts.append(at)
    return np.split(indices, starts[1:])
