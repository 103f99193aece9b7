"""What kind of Transformer a model is: which stacks it has, what it is fed, and what it predicts.

| kind | is fed | predicts |
|---|---|---|
| encoder–decoder | a source; BOS and the target | each next token of the target |
| parallel decoder | a source; a target with masks | the masked tokens |
| decoder only | one text | each next token |
| encoder only | one text, with masks | the masked tokens |
"""

import math
from typing import get_args

from core.config.choices import Decoder, Length
from core.config.settings import Settings
from core.heads import Stack


class ModelKind(Settings):
    """What follows from a model's settings for what it reads and writes."""

    __slots__ = ()
    vocab_size: int
    n_encoder_layers: int
    n_decoder_layers: int
    target_vocab_size: int
    pad_id: int
    bos_id: int
    eos_ids: tuple[int, ...]
    decoder: Decoder
    length: Length
    max_positions: int
    target_ratio: float

    def layers_of(self, stack: Stack) -> int:
        """Return how many layers a stack has."""
        return {"encoder": self.n_encoder_layers, "decoder": self.n_decoder_layers}[stack]

    @property
    def stacks(self) -> tuple[Stack, ...]:
        """Those that have layers."""
        return tuple(stack for stack in get_args(Stack) if self.layers_of(stack))

    @property
    def is_encoder_decoder(self) -> bool:
        """Whether source and target are two sequences; else they are one text."""
        return len(self.stacks) == 2

    @property
    def is_decoder_only(self) -> bool:
        """Whether it continues a text."""
        return self.stacks == ("decoder",)

    @property
    def is_encoder_only(self) -> bool:
        """Whether it reads a text and writes none."""
        return self.stacks == ("encoder",)

    @property
    def is_parallel(self) -> bool:
        """Whether the decoder fills in all places at once, and has no look-ahead mask."""
        return self.decoder == "parallel"

    @property
    def predicts_length(self) -> bool:
        """Whether it is known beforehand how many places there are: EOS then stands at the last."""
        return self.length == "predicted"

    @property
    def n_target_tokens(self) -> int:
        """Size of the target's vocabulary."""
        return self.target_vocab_size or self.vocab_size

    @property
    def begins(self) -> tuple[int, ...]:
        """What a decoder is fed before its text."""
        return () if self.bos_id < 0 else (self.bos_id,)

    @property
    def mask_id(self) -> int:
        """The token that stands in a parallel decoder for one to be filled in: the last.

        A `ByteLevelTokenizer` that has such a token has it there.
        """
        return self.n_target_tokens - 1

    def n_places(self, n_source: int) -> int:
        """Return how many places a parallel decoder is given for a source of some length.

        More than any target that was learned needs: what is left over is filled with EOS.

        Args:
            n_source: Tokens of the source, EOS included.
        """
        usual, learned = n_source + n_source // 2 + 4, math.ceil(self.target_ratio * n_source)
        return min(self.max_positions - 1, max(usual, learned))

    @property
    def never_said(self) -> tuple[int, ...]:
        """Tokens that are no words and never follow one: padding, BOS, or the mask."""
        masks = {self.mask_id} if self.is_parallel else set()
        return tuple(sorted({self.pad_id, self.bos_id, *masks} - {-1, *self.eos_ids}))
