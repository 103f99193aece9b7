"""What a model writes with one path patched, beside what it writes where more is changed.

A path is one message to one reader. Silencing its sender takes the message from all readers, so
that the two need not agree.
"""

from dataclasses import dataclass

from torch import Tensor

from core.heads import Head
from core.runs.run import Run
from core.studies.effects.path_patching import Read, log_probability_of
from core.studies.effects.path_study import PathPair, path_pair
from core.tokenizer import Token


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a model thinks of the next token."""

    chance: float
    """Of what it writes in the clean sentence, 0 to 1."""
    chosen: Token
    """What it writes instead, or the same."""
    stays: bool
    """Whether that is the same."""


@dataclass(frozen=True, slots=True)
class PathOutcomes:
    """What is written at the measured step, the more the later is changed."""

    clean: Outcome
    path: Outcome
    """The receiver alone is given what the sender writes in the other sentence."""
    exchanged: Outcome
    """All that come after the sender are given it."""
    silenced: Outcome
    """The sender is silent in the clean sentence."""
    other: Outcome
    """In the other sentence, after the same words."""


def path_outcomes(
    run: Run, clean: str, other: str, read: Read, sender: Head, receiver: Head
) -> PathOutcomes:
    """Patch one direct path, then its sender as a whole.

    Args and errors are those of `path_study.one_path`.
    """
    pair = path_pair(run, clean, other)
    paths = pair.paths
    return PathOutcomes(
        clean=_outcome(run, pair, paths.clean_logits_V),
        path=_outcome(run, pair, paths.path_logits_V(sender, receiver, read)),
        exchanged=_outcome(run, pair, paths.exchanged_logits_V(sender)),
        silenced=_outcome(run, pair, paths.silenced_logits_V(sender)),
        other=_outcome(run, pair, paths.other_logits_V),
    )


def _outcome(run: Run, pair: PathPair, logits_V: Tensor) -> Outcome:
    chosen = int(logits_V.argmax())
    return Outcome(
        chance=float(log_probability_of(pair.token, logits_V).exp()),
        chosen=run.target_tokenizer.describe([chosen])[0],
        stays=chosen == pair.token,
    )
