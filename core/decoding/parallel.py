"""Parallel decoding of a sentence as a record with a table, beside a model that writes in order."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from ..runs.run import Run
from .choosing import Greedy
from .generate import decode
from .mask_predict import (
    MaskPredict,
    mask_predict_passes,
    until_end,
)
from .sentence import fitting_source, model_input


@dataclass(frozen=True, slots=True)
class SentencePass:
    """One pass over one sentence, as plain values for each place."""

    masked: tuple[bool, ...]
    """Whether the pass predicted each place."""
    token_ids: tuple[int, ...]
    """Token at each place after the pass."""
    probabilities: tuple[float, ...]
    """Probability of each token in the pass that wrote it."""
    written: tuple[int, ...]
    """The target after this pass, EOS included."""


def passes_of(run: Run, sentence: str, method: MaskPredict) -> tuple[SentencePass, ...]:
    """Return every pass in which a parallel decoder fills in a sentence.

    Raises:
        SentenceError: There is no text.
        ConfigError: The decoder is not parallel.
    """
    source_1S = torch.tensor([fitting_source(run, sentence)[0]], device=run.model.device)
    found = []
    for each in mask_predict_passes(run.model, source_1S, method):
        token_ids = tuple(each.token_BT[0].tolist())
        masked, shares = each.masked_BT[0].tolist(), each.probability_BT[0].tolist()
        written = until_end(token_ids, run.model.config.eos_ids)
        found.append(SentencePass(tuple(masked), token_ids, tuple(shares), written))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Beside:
    """The output of another run, token by token."""

    run: str
    tokens: tuple[str, ...]
    probabilities: list[float]
    """Probability of each token at its step."""


@dataclass(frozen=True, slots=True)
class ParallelDecoding:
    """Every pass in which a sentence is filled in."""

    run: str
    passes: tuple[SentencePass, ...]
    tokens: tuple[tuple[str, ...], ...]
    """The text at each place after each pass."""
    beside: Beside | None

    @property
    def n_written(self) -> int:
        """Number of places up to the farthest end of any pass."""
        return max(len(each.written) for each in self.passes)

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return a row for each place of each pass, then for each step of the run beside."""
        rows: list[tuple[object, ...]] = []
        for index, (each, tokens) in enumerate(zip(self.passes, self.tokens, strict=True)):
            places = zip(tokens, each.masked, each.probabilities, strict=True)
            rows += [(self.run, index + 1, at, *place) for at, place in enumerate(places)]
        if (other := self.beside) is not None:
            steps = zip(other.tokens, other.probabilities, strict=True)
            rows += [(other.run, at, at, token, True, p) for at, (token, p) in enumerate(steps)]
        names = ("run", "pass", "place", "token", "masked", "probability")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def decode_in_passes(
    run: Run,
    sentence: str,
    n_passes: int,
    n_tokens: int | None = None,
    other: Run | None = None,
) -> ParallelDecoding:
    """Fill in a sentence in several passes, beside another run that writes in order.

    Args:
        run: A model with a parallel decoder.
        sentence: What it reads.
        n_passes: Passes.
        n_tokens: Length of the target without EOS; None for the length that the model chooses.
        other: A run of the same task that writes one word after the other.

    Raises:
        SentenceError: There is no text.
        ConfigError: The decoder is not parallel, or the number of passes is out of range.
    """
    passes = passes_of(run, sentence, MaskPredict(n_passes, n_tokens))
    tokens = tuple(_texts(run, each.token_ids) for each in passes)
    return ParallelDecoding(
        run.name, passes, tokens, None if other is None else _beside(other, sentence)
    )


def _beside(run: Run, sentence: str) -> Beside:
    steps = decode(run.model, model_input(run, sentence).source_ids, Greedy())
    probabilities = [math.exp(step.log_probability) for step in steps]
    return Beside(run.name, _texts(run, [step.chosen for step in steps]), probabilities)


def _texts(run: Run, ids: Sequence[int]) -> tuple[str, ...]:
    return tuple(token.text for token in run.target_tokenizer.describe_alone(ids))
