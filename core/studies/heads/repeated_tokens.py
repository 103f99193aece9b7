"""Random tokens that repeat: text in which it is known what every row could look back at.

No model has learned which token comes after which here, so that whatever a head looks at, it looks
at because of places and of what is the same. P positions, N sequences.

Source: Olsson et al., "In-context Learning and Induction Heads" (2022), who measure induction heads
on such sequences.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.config import ModelConfig
from core.heads import Kind, Side
from core.messages import Message
from core.tokenizer import Tokenizer

N_SEQUENCES, HALF, SEED = 20, 32, 0
LEAST_HALF = 3
"""In a shorter half the previous token is the one after the earlier occurrence, too."""

AT_ONCE = 512
"""So many tokens go through a model together, or one sequence that is longer."""

Places = NDArray[np.intp]


class TextRole(StrEnum):
    """What the rows of a head may give their weight to in any text."""

    PREVIOUS = "previous"
    """The token before the row's own."""
    FIRST = "first"
    """The first of all that is read, where many heads leave the weight that they have no use for
    (Xiao et al., "Efficient Streaming Language Models with Attention Sinks", 2024)."""
    ITSELF = "itself"
    """The row's own place."""
    DUPLICATE = "duplicate"
    """The same token at its other place, in a decoder the earlier one (Wang et al.,
    "Interpretability in the Wild", 2022)."""
    INDUCTION = "induction"
    """The token that came after the same one in the first half: what comes next if the text
    repeats (Olsson et al. 2022). Only rows of the second half have one."""


@dataclass(frozen=True, slots=True)
class Specials:
    """What a tokenizer knows of tokens that are no words."""

    ids: frozenset[int] = frozenset()
    """Never drawn; those that the settings of a model name need not be here."""
    begins: tuple[int, ...] = ()
    """Before a source."""
    ends: tuple[int, ...] = ()
    """After a source."""

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Self:
        """Return those of a tokenizer."""
        return cls(frozenset(tokenizer.specials), tokenizer.begins, tokenizer.ends)


@dataclass(frozen=True, slots=True, eq=False)
class RoleKeys:
    """Rows that a role asks, and for each of them the one key that has it; R counts them."""

    rows_R: Places
    keys_R: Places
    chance_R: NDArray[np.float64]
    """The weight of that key in an even row: 1 by the number of keys that the row may see."""


@dataclass(frozen=True, slots=True)
class RepeatedTokens:
    """Sequences whose second half is their first once more; in a half every token is another.

    Raises:
        ValueError: There are no sequences, or a half is too short.
    """

    n_sequences: int = N_SEQUENCES
    half: int = HALF
    """Tokens before the repetition begins."""
    seed: int = SEED
    specials: Specials = Specials()

    def __post_init__(self) -> None:
        if self.n_sequences < 1:
            raise ValueError(Message("At least one sequence is needed."))
        if self.half < LEAST_HALF:
            raise ValueError(
                Message(
                    "A half has {n} tokens; it needs at least {least}.",
                    n=self.half,
                    least=LEAST_HALF,
                )
            )

    def drawn_anew(self) -> Self:
        """Return other sequences of the same kind.

        What was chosen because of some sequences is tested on others.
        """
        return replace(self, seed=self.seed + 1)

    def batches(self) -> list[slice]:
        """Return which sequences go through a model together."""
        at_once = max(AT_ONCE // (2 * self.half), 1)
        return [slice(start, start + at_once) for start in range(0, self.n_sequences, at_once)]

    def ids_NP(self, config: ModelConfig, side: Side) -> Tensor:
        """Draw what the encoder reads, or what the decoder is fed.

        Every order of different tokens is as probable as any other. Source and target have nothing
        to do with each other, so that what a decoder knows again is in its own past.

        Args:
            config: Of the model, whose special tokens are not drawn.
            side: Which of the two; before a target stands what begins it, without an end.

        Raises:
            ValueError: There are not so many tokens to draw from, or positions to put them in.
        """
        before, after = self._around(config, side)
        n_ids = config.vocab_size if side == "source" else config.n_target_tokens
        named = {config.pad_id, config.bos_id, *config.eos_ids, *before, *after}
        allowed = np.setdiff1d(np.arange(n_ids), list(named | self.specials.ids))
        if len(allowed) < self.half:
            raise ValueError(
                Message(
                    "{n} different tokens are needed, and the vocabulary has {known}.",
                    n=self.half,
                    known=len(allowed),
                )
            )
        length = len(before) + 2 * self.half + len(after)
        if length > config.max_positions:
            raise ValueError(
                Message(
                    "The sequences have {n} tokens, and the model has {most} positions.",
                    n=length,
                    most=config.max_positions,
                )
            )
        rng = np.random.default_rng([self.seed % 2**64, side == "target"])
        halves = [
            rng.choice(allowed, self.half, replace=False).tolist() for _ in range(self.n_sequences)
        ]
        return torch.tensor([[*before, *half, *half, *after] for half in halves])

    def halves(self, config: ModelConfig, side: Side) -> tuple[Places, Places]:
        """Return the places of the drawn tokens: those of the first half, those of the second."""
        begin = len(self._around(config, side)[0])
        text_P = np.arange(begin, begin + 2 * self.half)
        return text_P[: self.half], text_P[self.half :]

    def keys(self, config: ModelConfig, kind: Kind) -> dict[TextRole, RoleKeys]:
        """Return the key that each role wants of each row, the same in all sequences.

        Rows are those of drawn tokens that may see two keys or more.

        Args:
            config: Of the model.
            kind: Of self-attention.
        """
        before, after = self._around(config, kind.query_side)
        first_P, second_P = self.halves(config, kind.query_side)
        text_P = np.concatenate([first_P, second_P])
        later_P = text_P[text_P > 0]
        other_P = np.concatenate([second_P, first_P])
        found = {
            TextRole.PREVIOUS: (later_P, later_P - 1),
            TextRole.FIRST: (later_P, np.zeros_like(later_P)),
            TextRole.ITSELF: (later_P, later_P) if kind.causal else (text_P, text_P),
            TextRole.DUPLICATE: (second_P, first_P) if kind.causal else (text_P, other_P),
            TextRole.INDUCTION: (second_P, first_P + 1),
        }
        length = len(before) + len(text_P) + len(after)
        n_visible_P = np.arange(1, length + 1) if kind.causal else np.full(length, length)
        return {
            role: RoleKeys(rows_R, keys_R, 1 / n_visible_P[rows_R])
            for role, (rows_R, keys_R) in found.items()
        }

    def _around(self, config: ModelConfig, side: Side) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return what stands before and after the drawn tokens."""
        if side == "target":
            return config.begins, ()
        return self.specials.begins, self.specials.ends
