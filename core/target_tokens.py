"""What follows from a model's settings for the tokens that it writes."""

from core.choices import Decoder, Length
from core.settings import Settings


class TargetTokens(Settings):
    """Settings that say which tokens a decoder is fed, and which it never writes."""

    __slots__ = ()
    vocab_size: int
    target_vocab_size: int
    pad_id: int
    bos_id: int
    eos_ids: tuple[int, ...]
    decoder: Decoder
    length: Length

    @property
    def n_target_tokens(self) -> int:
        """Size of the vocabulary that is written in."""
        return self.target_vocab_size or self.vocab_size

    @property
    def begins(self) -> tuple[int, ...]:
        """What a decoder is fed before its text."""
        return () if self.bos_id < 0 else (self.bos_id,)

    @property
    def is_parallel(self) -> bool:
        """Whether the decoder fills in all places at once, and has no look-ahead mask."""
        return self.decoder == "parallel"

    @property
    def predicts_length(self) -> bool:
        """Whether it is known beforehand how many places there are: EOS then stands at the last."""
        return self.length == "predicted"

    @property
    def mask_id(self) -> int:
        """The token that stands in a parallel decoder for one to be filled in: the last.

        A `ByteLevelTokenizer` that has such a token has it there.
        """
        return self.n_target_tokens - 1

    @property
    def never_said(self) -> tuple[int, ...]:
        """Tokens that are no words and never follow one: what fills up, begins, or masks."""
        masks = {self.mask_id} if self.is_parallel else set()
        return tuple(sorted({self.pad_id, self.bos_id, *masks} - {-1, *self.eos_ids}))
