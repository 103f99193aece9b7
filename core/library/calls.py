"""How the models of the library are called: what each kind is fed, and what it returns.

B batch, S source length, T target length, K positions of either stack, D model width, V vocabulary.
"""

from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn
from transformers.modeling_outputs import MoeModelOutputWithPast

from ..heads import Stack


@dataclass(frozen=True)
class Calls:
    """A model of the library, and the stacks that it is used with."""

    model: Any
    """Of a class that `reading` found."""
    stacks: tuple[Stack, ...]
    has_output: bool
    """False where it only returns vectors."""

    def encode(self, source_BS: Tensor, visible_BS: Tensor) -> Tensor:
        """Return memory_BSD, what the encoder makes of a source after its last norm.

        Args:
            source_BS: Token ids, padded.
            visible_BS: True where there is no padding.
        """
        encoder = self.model.get_encoder() if len(self.stacks) > 1 else self.model.base_model
        found = encoder(source_BS, attention_mask=visible_BS.long(), return_dict=True)
        memory_BSD: Tensor = found[0]
        return memory_BSD

    def fill_in(self, source_BS: Tensor, visible_BS: Tensor) -> Tensor:
        """Return logits_BSV of an encoder alone, or memory_BSD where it has no output."""
        found = self.model(source_BS, attention_mask=visible_BS.long(), return_dict=True)
        return found.logits if self.has_output else found[0]

    def decode(
        self,
        target_BT: Tensor,
        memory_BSD: Tensor | None,
        visible_BS: Tensor | None,
        past: Any = None,
        *,
        keeps: bool = False,
    ) -> tuple[Tensor, Any]:
        """Return logits_BTV, and what the library keeps of the positions.

        Args:
            target_BT: The whole target, or what follows the positions that were kept.
            memory_BSD: From `encode`; None for a decoder alone.
            visible_BS: True where the source has no padding; None where there is none.
            past: What was kept of the positions before; None for none.
            keeps: Keep the positions.
        """
        named = {"past_key_values": past, "use_cache": keeps, "return_dict": True}
        if memory_BSD is None:
            found = self.model(input_ids=target_BT, **named)
        else:
            named["attention_mask"] = None if visible_BS is None else visible_BS.long()
            # It has all fields that any model reads, also those of experts.
            named["encoder_outputs"] = MoeModelOutputWithPast(last_hidden_state=memory_BSD)
            found = self.model(decoder_input_ids=target_BT, **named)
        return found.logits, found.get("past_key_values")

    @property
    def embeddings(self) -> tuple[nn.Embedding, ...]:
        """The modules that look up the vectors of tokens, each once."""
        parts = [self.model]
        if len(self.stacks) > 1:
            parts += [self.model.get_encoder(), self.model.get_decoder()]
        found = [part.get_input_embeddings() for part in parts]
        return tuple({id(each): each for each in found}.values())
