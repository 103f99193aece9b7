"""A Simple Simple Recurrent Unit: what some decoders have in the place of self-attention.

B batch, T target length, D model width.
"""

from functools import partial

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.heads import Site
from core.messages import N_
from core.model.probe import Probe, Step, probed
from core.model.sublayers import Seen

RECURRENCE = N_("recurrence")
"""The group of its parameters."""


class SSRU(nn.Module):
    """A state passes from each position to the next, and no position looks at another.

    f_t = σ(x_t W_f + b_f), c_t = f_t ⊙ c_{t−1} + (1 − f_t) ⊙ x_t W, and ReLU(c_t) is added to the
    stream (Kim et al. 2019, "From Research to Production and Back").
    """

    def __init__(self, config: ModelConfig, site: Site) -> None:
        super().__init__()
        self.site = site
        self.input = nn.Linear(config.d_model, config.d_model, bias=False)
        self.forget = nn.Linear(config.d_model, config.d_model)

    def forward(
        self, x_BTD: Tensor, state_BD: Tensor | None = None, probe: Probe | None = None
    ) -> Tensor:
        """Return state_BTD after each position.

        Args:
            x_BTD: What comes in.
            state_BD: After the positions before; None for zeros, where there are none.
            probe: Looks at the gate.
        """
        see = partial(probed, probe, self.site)
        forget_BTD = see(Step.FORGET, self.forget(x_BTD).sigmoid())
        new_BTD = (1 - forget_BTD) * self.input(x_BTD)
        if state_BD is None:
            state_BD = torch.zeros_like(new_BTD[:, 0])
        states = []
        for forget_BD, new_BD in zip(forget_BTD.unbind(1), new_BTD.unbind(1), strict=True):
            state_BD = forget_BD * state_BD + new_BD
            states.append(state_BD)
        return torch.stack(states, dim=1)

    def added(self, x_BKD: Tensor, seen: Seen, probe: Probe | None) -> Tensor:
        """Go on from the state that the positions before have left."""
        before_BD = None if seen.cache is None else seen.cache.states.get(self.site)
        state_BKD = self(x_BKD, before_BD, probe)
        state_BKD = probed(probe, self.site, Step.STATE, state_BKD)
        if seen.cache is not None:
            seen.cache.states[self.site] = state_BKD[:, -1]
        return state_BKD.relu()
