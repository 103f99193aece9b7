"""How the models of the library are called: what each kind is fed, and what it returns.

B batch, S source length, T target length, K positions of either stack, D model width, V vocabulary.
"""

import inspect
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers.modeling_outputs import MoeModelOutputWithPast

from ..heads import Stack


@dataclass(frozen=True)
class Calls:
    """A model of the library, and the stacks that it is used with.

    Whatever device the model is on, it takes tensors of the CPU and returns such.
    """

    model: Any
    """Of a class that `reading` found."""
    stacks: tuple[Stack, ...]
    has_output: bool
    """False where it only returns vectors."""

    @property
    def device(self) -> torch.device:
        """Where the model computes."""
        device: torch.device = self.model.device
        return device

    def encode(self, source_BS: Tensor, visible_BS: Tensor) -> Tensor:
        """Return memory_BSD, what the encoder makes of a source after its last norm.

        Args:
            source_BS: Token ids, padded.
            visible_BS: True where there is no padding.
        """
        encoder = self.model.get_encoder() if len(self.stacks) > 1 else self.model.base_model
        memory_BSD: Tensor = encoder(**self._sources(source_BS, visible_BS))[0].cpu()
        return memory_BSD

    def fill_in(self, source_BS: Tensor, visible_BS: Tensor) -> Tensor:
        """Return logits_BSV of an encoder alone, or memory_BSD where it has no output."""
        found = self.model(**self._sources(source_BS, visible_BS))
        return (found.logits if self.has_output else found[0]).cpu()

    def _sources(self, source_BS: Tensor, visible_BS: Tensor) -> dict[str, Any]:
        """Return the arguments of an encoder."""
        return {
            "input_ids": source_BS.to(self.device),
            "attention_mask": visible_BS.to(self.device).long(),
            "return_dict": True,
        }

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
        # What the library calls it since version 5.24, and before.
        newer = "cache" in inspect.signature(self.model.forward).parameters
        cache = "cache" if newer else "past_key_values"
        named = {cache: past, "use_cache": keeps, "return_dict": True}
        target_BT = target_BT.to(self.device)
        if memory_BSD is None:
            found = self.model(input_ids=target_BT, **named)
        else:
            if visible_BS is not None:
                named["attention_mask"] = visible_BS.to(self.device).long()
            # It has all fields that any model reads, also those of experts.
            memory = MoeModelOutputWithPast(last_hidden_state=memory_BSD.to(self.device))
            found = self.model(decoder_input_ids=target_BT, encoder_outputs=memory, **named)
        return found.logits.cpu(), found.get(cache)

    @property
    def embeddings(self) -> tuple[nn.Embedding, ...]:
        """The modules that look up the vectors of tokens, each once."""
        found = [self.model.get_input_embeddings(), *map(self.embedding_of, self.stacks)]
        return tuple({id(each): each for each in found}.values())

    def embedding_of(self, stack: Stack) -> nn.Embedding:
        """Return the module that looks up the vectors of a stack's tokens."""
        part = self.model
        if len(self.stacks) > 1:
            part = part.get_encoder() if stack == self.stacks[0] else part.get_decoder()
        embedding: nn.Embedding = part.get_input_embeddings()
        return embedding
