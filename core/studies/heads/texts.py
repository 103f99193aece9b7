"""The texts in which heads are looked at, whatever their model reads, and reading them.

A model of encoder and decoder is given the pairs of its task. One of a single stack that was
trained here is given the same as one text, with nothing masked. Of an opened one nobody knows what
it learned from: it reads the lines that it was given, or else sentences of the grammar.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from core.batch import Batch, Pair
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.metrics import sorted_batches
from core.heads import Stack
from core.model import Probe, Transformer
from core.objective import as_read
from core.runs.own_text import lines_of
from core.runs.run import Run, RunError
from core.studies.heads.own_lines import as_ids
from core.studies.heads.repeated_text import read
from core.tasks import TASKS

N_TEXTS, LONGEST = 60, 32
"""So many texts, and so many tokens of each, of an opened model: all its maps are kept at once."""
GRAMMAR = "translate"
"""The task whose sources are read where there are no lines."""


def pairs_read(run: Run, n: int, seed: int) -> list[Pair]:
    """Return up to `n` texts as pairs; of those of a single stack one side is empty.

    Row i of a decoder alone is to predict token i + 1, as in a pair.

    Raises:
        RunError: The task is a file of pairs that cannot be used, nothing fits the model, or no
            line that an opened one was given has two tokens.
    """
    if not run.settings.model.alone:
        return held_out_pairs(run, n, seed)
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
    is_fed = run.model.config.is_decoder_alone
    return [_named(run, Pair((), ids) if is_fed else Pair(ids, ())) for ids in found]


def batches_of(pairs: Sequence[Pair], pad_id: int) -> Iterator[list[Pair]]:
    """Yield pairs in batches of similar length; of the same where nothing may fill them up."""
    if pad_id >= 0:
        yield from sorted_batches(pairs)
        return
    by_length = sorted(pairs, key=_lengths)
    yield from (list(group) for _, group in groupby(by_length, key=_lengths))


def look(model: Transformer, batch: Batch, probe: Probe) -> None:
    """Let a model read a batch, and a probe look at its weights, as `read` does.

    Args:
        model: In evaluation mode; one without a decoder need not be able to predict.
        batch: On its device.
        probe: Of attention's steps up to the weights.
    """
    stacks: tuple[Stack, Stack] = ("encoder", "decoder")
    sides = zip(stacks, batch.inputs, strict=True)
    read(model, {stack: ids_BP for stack, ids_BP in sides if ids_BP is not None}, probe)


def _lengths(pair: Pair) -> tuple[int, int]:
    return len(pair.source), len(pair.target)


def _named(run: Run, pair: Pair) -> Pair:
    """Return a pair of one stack with the whole of its text."""
    return replace(pair, text=run.tokenizer.decode(pair.source or pair.target))
