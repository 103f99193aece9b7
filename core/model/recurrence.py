"""A recurrent unit in the place of self-attention: what the Transformer replaced.

B batch, K length of the sequence, S of the source, T of a target, D model width.
"""

from typing import cast

import torch
from torch import Tensor, nn

from ..config import ModelConfig
from ..heads import Site
from .probe import Probe, Step, probed
from .sublayers import LayerInputs

UNITS: dict[str, type[nn.GRU] | type[nn.LSTM]] = {"gru": nn.GRU, "lstm": nn.LSTM}
TWO_WAY = "_two_way"
"""Suffix of the settings of bidirectional units."""


class Recurrence(nn.Module):
    """A state passes from each position to the next: h(t) is computed from x(t) and h(t − 1).

    In an encoder the state may go both ways, each with half of the width (Schuster & Paliwal 1997).
    A decoder starts from the encoder's final states (Cho et al. 2014, Sutskever et al. 2014).
    """

    def __init__(self, config: ModelConfig, site: Site) -> None:
        super().__init__()
        self.site = site
        setting = config.encoder_mixing if site.stack == "encoder" else config.decoder_mixing
        self.kind = setting.removesuffix(TWO_WAY)
        self.two_way = setting.endswith(TWO_WAY)
        width = config.d_model // (2 if self.two_way else 1)
        unit = UNITS[self.kind]
        self.forward_unit = unit(config.d_model, width, batch_first=True)
        self.backward_unit = unit(config.d_model, width, batch_first=True) if self.two_way else None
        # Where the encoder reads both ways, its backward states end at the first position.
        self.ends_at_both = config.encoder_mixing.endswith(TWO_WAY)
        self.begin = nn.Linear(width, width) if site.stack == "decoder" else None

    def added(self, x_BKD: Tensor, inputs: LayerInputs, probe: Probe | None) -> Tensor:
        """Return the state after each position."""
        state_BKD = self._read(x_BKD, inputs) if self.begin is None else self._write(x_BKD, inputs)
        return probed(probe, self.site, Step.STATE, state_BKD)

    def _read(self, x_BSD: Tensor, inputs: LayerInputs) -> Tensor:
        """Return the states of an encoder; padding, which comes last, is skipped."""
        forward_BSD = self.forward_unit(x_BSD)[0]
        if self.backward_unit is None:
            return cast(Tensor, forward_BSD)
        assert inputs.visible_BQK is not None
        index_BSD = _backward(x_BSD, inputs.visible_BQK)
        backward_BSD = self.backward_unit(x_BSD.gather(1, index_BSD))[0]
        index_BSD = index_BSD[:, :, : backward_BSD.shape[2]]
        return torch.cat([forward_BSD, backward_BSD.gather(1, index_BSD)], dim=-1)

    def _write(self, x_BTD: Tensor, inputs: LayerInputs) -> Tensor:
        """Return the states of a decoder, continuing from cached ones."""
        kept = None if inputs.cache is None else inputs.cache.states.get(self.site)
        if kept is None:
            kept = self._first(x_BTD, inputs)
        states = [
            each.contiguous() for each in kept[None].chunk(2 if self.kind == "lstm" else 1, -1)
        ]
        state_BTD, last = self.forward_unit(x_BTD, states[0] if len(states) == 1 else tuple(states))
        if inputs.cache is not None:
            both = last if isinstance(last, tuple) else (last,)
            inputs.cache.states[self.site] = torch.cat([each[0] for each in both], dim=-1)
        return cast(Tensor, state_BTD)

    def _first(self, x_BTD: Tensor, inputs: LayerInputs) -> Tensor:
        """Return the initial state; for an LSTM, followed by its memory cell."""
        assert inputs.memory_BSD is not None and self.begin is not None
        last_BD = _last(inputs.memory_BSD, inputs.visible_B1S)
        if self.ends_at_both:
            half = last_BD.shape[1] // 2
            last_BD = torch.cat([last_BD[:, :half], inputs.memory_BSD[:, 0, half:]], dim=-1)
        first_BD = self.begin(last_BD).tanh()
        if self.kind == "lstm":
            first_BD = torch.cat([first_BD, torch.zeros_like(first_BD)], dim=-1)
        return cast(Tensor, first_BD)


def _backward(x_BSD: Tensor, visible_B1S: Tensor) -> Tensor:
    """Return index_BSD that reverses each sentence and leaves its padding in place."""
    places_S = torch.arange(x_BSD.shape[1], device=x_BSD.device)
    lengths_B1 = visible_B1S.sum(dim=-1)
    index_BS = torch.where(places_S < lengths_B1, lengths_B1 - 1 - places_S, places_S)
    return index_BS[:, :, None].expand_as(x_BSD)


def _last(memory_BSD: Tensor, visible_B1S: Tensor | None) -> Tensor:
    """Return memory_BD, the memory at the last position that is not padding."""
    if visible_B1S is None:
        return memory_BSD[:, -1]
    places_B = visible_B1S[:, 0].sum(dim=-1) - 1
    return memory_BSD[torch.arange(len(memory_BSD), device=memory_BSD.device), places_B]
