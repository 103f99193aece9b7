"""Replacements of attention that mix positions independently of their content.

B batch, K length of the sequence, S of a source, T of a target, D model width.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar

import torch
from torch import Tensor, nn

from ..config import ModelConfig
from ..heads import Site
from ..messages import N_
from .memory import MEMORIES
from .probe import Probe
from .sublayers import LayerInputs


class Mixing(nn.Module, ABC):
    """Mixes positions with weights that do not depend on their content."""

    label: ClassVar[str]
    """Marked for translation."""
    neighbours: ClassVar[int] = 1
    """Number of concatenated positions that the matrix is multiplied with."""
    tables: ClassVar[str] = ""
    """Number of parameters beside the matrix, in LaTeX; P is `max_positions`."""

    def __init__(self, config: ModelConfig, site: Site) -> None:
        super().__init__()
        self.site = site
        self.value = nn.Linear(self.neighbours * config.d_model, config.d_model)

    @abstractmethod
    def added(self, x_BKD: Tensor, inputs: LayerInputs, probe: Probe | None) -> Tensor:
        """Return added_BKD, the mixed positions."""


class Average(Mixing):
    """The mean of all positions that attention could see, through one matrix.

    Like attention with equal scores: content is ignored.
    """

    label = N_("Average")

    def added(self, x_BKD: Tensor, inputs: LayerInputs, probe: Probe | None) -> Tensor:
        """Return the mean, the same for all positions of an encoder."""
        return self.value(self._mean(x_BKD, inputs))

    def _mean(self, x_BKD: Tensor, inputs: LayerInputs) -> Tensor:
        if inputs.cache is not None:
            before_BD = inputs.cache.states.get(self.site)
            sums_BTD = x_BKD.cumsum(dim=1)
            if before_BD is not None:
                sums_BTD = sums_BTD + before_BD[:, None]
            inputs.cache.states[self.site] = sums_BTD[:, -1]
            first = inputs.cache.length + 1
            counts_T = torch.arange(first, first + x_BKD.shape[1], device=x_BKD.device)
            return sums_BTD / counts_T[:, None]
        assert inputs.visible_BQK is not None
        shares_BQK = inputs.visible_BQK.to(x_BKD.dtype)
        shares_BQK = shares_BQK / shares_BQK.sum(dim=-1, keepdim=True).clamp(min=1)
        return (shares_BQK @ x_BKD).expand_as(x_BKD)


class Convolution(Mixing):
    """A position and its neighbours through one matrix: a convolution of width 3.

    In a decoder, the position and the two before it (Gehring et al. 2017).
    """

    label = N_("Convolution")
    neighbours = 3

    def added(self, x_BKD: Tensor, inputs: LayerInputs, probe: Probe | None) -> Tensor:
        """Return the convolution; positions beyond the ends, and padding, are zeros."""
        around_BKD = self._around(x_BKD, inputs)
        n = x_BKD.shape[1]
        three = [around_BKD[:, start : start + n] for start in range(self.neighbours)]
        return self.value(torch.cat(three, dim=-1))

    def _around(self, x_BKD: Tensor, inputs: LayerInputs) -> Tensor:
        """Return the positions with the two extra neighbours at their ends."""
        nothing_B1D = torch.zeros_like(x_BKD[:, :1])
        if self.site.stack == "encoder":
            assert inputs.visible_BQK is not None
            x_BKD = x_BKD * inputs.visible_BQK.transpose(1, 2)
            return torch.cat([nothing_B1D, x_BKD, nothing_B1D], dim=1)
        before_B2D = torch.cat([nothing_B1D] * 2, dim=1)
        if inputs.cache is not None:
            before_B2D = inputs.cache.states.get(self.site, before_B2D)
        around_BTD = torch.cat([before_B2D, x_BKD], dim=1)
        if inputs.cache is not None:
            inputs.cache.states[self.site] = around_BTD[:, -2:]
        return around_BTD


class Fixed(Mixing):
    """Positions mixed with learned weights that are the same for every sentence.

    Attention with a table of scores instead of queries and keys: a random Synthesizer (Tay et al.
    2021), akin to the token mixing of MLP-Mixer.
    """

    label = N_("Fixed weights")
    tables = " + h P^2"

    def __init__(self, config: ModelConfig, site: Site) -> None:
        super().__init__(config, site)
        # Heads may differ, as in attention; all weights are equal at first.
        n = config.max_positions
        self.scores_HPP = nn.Parameter(torch.zeros(config.n_heads, n, n))

    def added(self, x_BKD: Tensor, inputs: LayerInputs, probe: Probe | None) -> Tensor:
        """Return the weighted means, each head's of its part of the values."""
        value_BKD, visible_BQK, first = self.value(x_BKD), inputs.visible_BQK, 0
        if inputs.cache is not None:
            first = inputs.cache.length
            if first:
                value_BKD = torch.cat([inputs.cache.states[self.site], value_BKD], dim=1)
            inputs.cache.states[self.site] = value_BKD
        n = value_BKD.shape[1]
        scores_HQK = self.scores_HPP[:, first:n, :n]
        if visible_BQK is not None:
            scores_HQK = scores_HQK.masked_fill(~visible_BQK[:, None], -torch.inf)
        heads_BHKE = value_BKD.unflatten(-1, (len(self.scores_HPP), -1)).transpose(1, 2)
        return (scores_HQK.softmax(dim=-1) @ heads_BHKE).transpose(1, 2).flatten(2)


class OwnState(Mixing):
    """Gives position t of a target the encoder's state at t, through one matrix.

    So the model is a tagger: what a word needs of the others must be in its own state. Positions
    behind the source's end get its last state.
    """

    label = N_("Own state")

    def __init__(self, config: ModelConfig, site: Site) -> None:
        super().__init__(config, site)
        self.memory = MEMORIES[config.memory](config, site.layer)

    def added(self, x_BKD: Tensor, inputs: LayerInputs, probe: Probe | None) -> Tensor:
        """Return the states at the same positions."""
        assert inputs.memory_BSD is not None
        memory_BSD = self.memory(inputs.memory_BSD)
        first = 0 if inputs.cache is None else inputs.cache.length
        at_T = torch.arange(first, first + x_BKD.shape[1], device=x_BKD.device)
        last_B1 = torch.full((len(memory_BSD), 1), memory_BSD.shape[1] - 1, device=x_BKD.device)
        if inputs.visible_B1S is not None:
            last_B1 = inputs.visible_B1S.sum(dim=-1) - 1
        at_BT1 = torch.minimum(at_T, last_B1)[..., None]
        return self.value(memory_BSD.gather(1, at_BT1.expand(-1, -1, memory_BSD.shape[-1])))


MIXINGS: Mapping[str, Callable[[ModelConfig, Site], Mixing]] = {
    "average": Average,
    "convolution": Convolution,
    "fixed": Fixed,
}
"""Setting → class that replaces self-attention."""
