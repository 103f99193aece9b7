"""The texts in which heads are looked at, whatever their model reads.

A model of encoder and decoder is given the pairs of its task. One of a single stack that was
trained here is given the same as one text, with nothing masked. Of an opened one nobody knows what
it learned from: it reads the lines that it was given, or else sentences of the grammar. Roles that
need no task are asked of it on such lines, or on random tokens that repeat: no order of them was
ever learned, so that a head finds what it looks at by positions and by what is the same (Olsson et
al., "In-context Learning and Induction Heads", 2022).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

import numpy as np
import torch

from ...batch import Around, Batch, Ids, Pair
from ...evaluate.evaluation import held_out_pairs
from ...evaluate.metrics import sorted_batches
from ...heads import Kind, Side
from ...labels import as_read
from ...messages import Message
from ...runs.own_text import lines_of
from ...runs.run import Run, RunError
from ...tasks import TASKS

N_TEXTS, LONGEST = 60, 32
"""The most texts of an opened model, and the most tokens of each."""
GRAMMAR = "translate"
"""The task whose sources are read where there are no lines."""
N_SEQUENCES, HALF, SEED = 20, 32, 0
"""Of random tokens: how many sequences, how many tokens before they repeat, and what draws them."""
LEAST_HALF = 3
"""In a shorter half the previous token is the one after the earlier occurrence, too."""
Source = Literal["random", "own"]
"""Random tokens that repeat, or the lines that a model was given."""


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Texts that a model reads one by one, as batches of one."""

    batches: tuple[Batch, ...]
    around: Mapping[Side, tuple[int, int]]
    """How many special tokens stand before and after each text; they are not asked."""
    half: int | None = None
    """Tokens before a text repeats; None where it does not."""

    def asked(self, side: Side, length: int) -> slice:
        """Return which rows of a text of this length are asked."""
        before, after = self.around[side]
        return slice(before, length - after)


def texts_of(run: Run, source: Source) -> Texts:
    """Return the texts on which roles are asked that need no task.

    Raises:
        ValueError: Such texts cannot be made for this model; the message says why.
    """
    if source == "random":
        return random_texts(run)
    return line_texts(run, as_ids(run, lines_of(run.path)))


def random_texts(run: Run, seed: int = SEED) -> Texts:
    """Return sequences whose second half is their first once more, and has no token twice.

    Source and target have nothing to do with each other, so that what a decoder knows again is in
    its own past.

    Raises:
        ValueError: The vocabulary or the positions are too few.
    """
    config, tokenizer = run.model.config, run.tokenizer
    room = config.max_positions - len(tokenizer.begins) - len(tokenizer.ends) - 1
    half = min(HALF, room // 2)
    if half < LEAST_HALF:
        text = "A half has {n} tokens; it needs at least {least}."
        raise ValueError(Message(text, n=half, least=LEAST_HALF))
    around: dict[Side, Around] = {
        "source": (tokenizer.begins, tokenizer.ends),
        "target": (config.begins, ()),
    }
    drawn: dict[Side, list[Ids]] = {side: [()] * N_SEQUENCES for side in around}
    for side in (Kind.self_of(stack).query_side for stack in config.stacks):
        drawn[side] = _repeated(run, side, around[side], half, seed)
    pairs = zip(drawn["source"], drawn["target"], strict=True)
    return Texts(
        tuple(_alone(source, target) for source, target in pairs),
        {side: (len(before), len(after)) for side, (before, after) in around.items()},
        half,
    )


def _repeated(run: Run, side: Side, around: Around, half: int, seed: int) -> list[Ids]:
    """Draw what the encoder reads, or what the decoder is fed."""
    config, (before, after) = run.model.config, around
    n_ids = config.vocab_size if side == "source" else config.n_target_tokens
    named = {config.pad_id, config.bos_id, *config.eos_ids, *before, *after}
    allowed = np.setdiff1d(np.arange(n_ids), list(named | set(run.tokenizer.specials)))
    if len(allowed) < half:
        text = "{n} different tokens are needed, and the vocabulary has {known}."
        raise ValueError(Message(text, n=half, known=len(allowed)))
    rng = np.random.default_rng([seed, side == "target"])
    halves = [rng.choice(allowed, half, replace=False).tolist() for _ in range(N_SEQUENCES)]
    return [(*before, *drawn, *drawn, *after) for drawn in halves]


def line_texts(run: Run, lines: Sequence[Ids]) -> Texts:
    """Return lines of token ids as a model of one stack reads them."""
    begins, ends = len(run.tokenizer.begins), len(run.tokenizer.ends)
    if run.model.config.is_decoder_only:
        return Texts(tuple(_alone((), ids) for ids in lines), {"target": (begins, 0)})
    return Texts(tuple(_alone(ids, ()) for ids in lines), {"source": (begins, ends)})


def _alone(source: Ids, fed: Ids) -> Batch:
    """Return one text as a batch that nothing fills up."""
    source_BS, fed_BT = (torch.tensor([ids], dtype=torch.long) for ids in (source, fed))
    return Batch(source_BS, fed_BT, fed_BT, (), (), pad_id=-1)


def as_ids(run: Run, texts: Sequence[str], longest: int | None = None) -> list[Ids]:
    """Return texts of two tokens or more as a model of one stack reads them."""
    config, tokenizer = run.model.config, run.tokenizer
    ends = () if config.is_decoder_only else tokenizer.ends
    most = min(longest or config.max_positions, config.max_positions) - len(ends)
    found = [(*(*tokenizer.begins, *tokenizer.encode(text).ids)[:most], *ends) for text in texts]
    long_enough = [ids for ids in found if len(ids) >= 2]
    if not long_enough:
        raise ValueError(Message("No line has two tokens."))
    return long_enough


def pairs_read(run: Run, n: int, seed: int) -> list[Pair]:
    """Return up to `n` texts as pairs; of those of a single stack one side is empty.

    Row i of a decoder alone is to predict token i + 1, as in a pair.

    Raises:
        RunError: The task is a file of pairs that cannot be used, nothing fits the model, or no
            line that an opened one was given has two tokens.
    """
    if run.settings.model.is_encoder_decoder:
        return held_out_pairs(run, n, seed, aligned=True)
    if not run.settings.is_opened:
        read_whole = as_read(held_out_pairs(run, n, seed), run.model.config, run.tokenizer)
        return [_named(run, pair) for pair in read_whole]
    n = min(n, N_TEXTS)
    drawn = TASKS[GRAMMAR].held_out_samples(n, seed)
    texts = lines_of(run.path)[:n] or [sample.source for sample in drawn]
    try:
        found = dict.fromkeys(as_ids(run, texts, LONGEST))
    except ValueError as error:
        raise RunError(*error.args) from error
    is_fed = run.model.config.is_decoder_only
    return [_named(run, Pair((), ids) if is_fed else Pair(ids, ())) for ids in found]


def batches_of(pairs: Sequence[Pair], pad_id: int) -> Iterator[list[Pair]]:
    """Yield pairs in batches of similar length; of the same where nothing may fill them up."""
    if pad_id >= 0:
        yield from sorted_batches(pairs)
        return
    by_length = sorted(pairs, key=_lengths)
    yield from (list(group) for _, group in groupby(by_length, key=_lengths))


def _lengths(pair: Pair) -> tuple[int, int]:
    return len(pair.source), len(pair.target)


def _named(run: Run, pair: Pair) -> Pair:
    """Return a pair of one stack with the whole of its text."""
    return replace(pair, text=run.tokenizer.decode(pair.source or pair.target))
