"""What follows from a model's settings for its stacks of layers: which there are, and how many."""

from typing import get_args

from core.heads import Stack
from core.settings import Settings


class Stacks(Settings):
    """Settings that say how many layers the encoder and the decoder have."""

    __slots__ = ()
    n_encoder_layers: int
    n_decoder_layers: int

    def layers_of(self, stack: Stack) -> int:
        """Return how many layers a stack has."""
        return {"encoder": self.n_encoder_layers, "decoder": self.n_decoder_layers}[stack]

    @property
    def stacks(self) -> tuple[Stack, ...]:
        """Those that have layers."""
        return tuple(stack for stack in get_args(Stack) if self.layers_of(stack))

    @property
    def alone(self) -> Stack | None:
        """The only stack; None where there are both."""
        return self.stacks[0] if len(self.stacks) == 1 else None

    @property
    def is_decoder_alone(self) -> bool:
        """Whether it goes on from a text."""
        return self.stacks == ("decoder",)

    @property
    def is_encoder_alone(self) -> bool:
        """Whether it reads a text and writes none."""
        return self.stacks == ("encoder",)
