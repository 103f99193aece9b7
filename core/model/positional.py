"""Where a word stands: sinusoids, or a learned table."""

from functools import partial

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.heads import Site, Stack
from core.model.dropout import Dropout
from core.model.norm import norm_of
from core.model.probe import Probe, Step, probed


def sinusoids(n_positions: int, d_model: int, base: float = 10000.0) -> Tensor:
    """Return positions_PD (Vaswani et al. 2017, section 3.5).

    PE(pos, 2i) = sin(pos / base^(2i / d_model)), PE(pos, 2i + 1) = cos(the same). Computed in
    float64: in float32 the angle of a far position loses digits.

    >>> [round(x, 4) for x in sinusoids(3, 4)[2].tolist()]
    [0.9093, -0.4161, 0.02, 0.9998]
    """
    positions_P = torch.arange(n_positions, dtype=torch.float64)
    return exact_sinusoids(positions_P, d_model, base).float()


def halved_sinusoids(n_positions: int, d_model: int, base: float = 10000.0) -> Tensor:
    """Return positions_PD with all sines first and all cosines after them, as Marian has it.

    >>> [round(x, 4) for x in halved_sinusoids(3, 4)[2].tolist()]
    [0.9093, 0.02, -0.4161, 0.9998]
    """
    positions_PD = sinusoids(n_positions, d_model, base)
    return torch.cat([positions_PD[:, 0::2], positions_PD[:, 1::2]], dim=1)


def exact_sinusoids(positions_P: Tensor, d_model: int, base: float = 10000.0) -> Tensor:
    """Return positions_PD in float64, for any positions, before 0 and between two words as well."""
    angle_PE = positions_P[:, None].double() / timescales(d_model, base)
    return torch.stack([angle_PE.sin(), angle_PE.cos()], dim=-1).flatten(1)


def timescales(d_model: int, base: float = 10000.0) -> Tensor:
    """Return for each pair of dimensions how many positions turn it by one radian, in float64."""
    pair_E = torch.arange(0, d_model, 2, dtype=torch.float64)
    return base ** (pair_E / d_model)


_FORMULAS = {"sinusoidal": sinusoids, "halves": halved_sinusoids}


class Embedding(nn.Module):
    """Token vectors times √d_model, plus positions, then dropout (sections 3.4, 3.5, 5.4).

    Some models add a vector for the text that a token belongs to, and normalise the sum (BERT);
    some add no positions here, because attention has them (rotary, buckets).
    """

    positions_PD: Tensor | None

    def __init__(self, config: ModelConfig, tokens: nn.Embedding, stack: Stack) -> None:
        super().__init__()
        self.site = Site(stack, 0, "embedding")
        self.tokens = tokens
        n_names = config.shared_names
        self.last_read = config.vocab_size - n_names if n_names else None
        """The id whose vector all ids after it have, too; None where each has its own."""
        self.scale = config.d_model**0.5 if config.embedding_scale else 1.0
        self.n_positions = config.max_positions
        self.segments = (
            nn.Embedding(config.n_segments, config.d_model) if config.n_segments else None
        )
        self.norm = norm_of(config) if config.embedding_norm else None
        self.dropout = Dropout(config.dropout)
        sizes = config.max_positions, config.d_model
        if config.positions == "learned":
            self.positions_PD = nn.Parameter(nn.init.normal_(torch.empty(sizes), std=0.02))
        elif config.positions in _FORMULAS:
            positions_PD = torch.empty(sizes)
            # Whoever asks for shapes alone (on the meta device) needs no numbers.
            if not positions_PD.is_meta:
                positions_PD = _FORMULAS[config.positions](*sizes, config.sinusoid_base)
            # A formula, not a weight: it is neither trained nor saved.
            self.register_buffer("positions_PD", positions_PD, persistent=False)
        else:
            self.positions_PD = None

    def forward(
        self,
        ids_BK: Tensor,
        start: int = 0,
        probe: Probe | None = None,
        segments_BK: Tensor | None = None,
    ) -> Tensor:
        """Return vectors_BKD for tokens that stand at `start` and after.

        Args:
            ids_BK: Tokens.
            start: Place of the first of them.
            probe: Looks at what is added up.
            segments_BK: Which text each token belongs to; None for the first.

        Raises:
            ValueError: A token would stand beyond the last position of the model.
        """
        end = start + ids_BK.shape[1]
        if end > self.n_positions:
            raise ValueError(f"{end} tokens are more than the model's {self.n_positions} positions")
        see = partial(probed, probe, self.site)
        if self.last_read is not None:
            ids_BK = ids_BK.clamp(max=self.last_read)
        x_BKD = see(Step.TOKENS, self.tokens(ids_BK) * self.scale)
        if self.segments is not None:
            ids_of = torch.zeros_like(ids_BK) if segments_BK is None else segments_BK
            x_BKD = x_BKD + see(Step.SEGMENTS, self.segments(ids_of))
        if self.positions_PD is not None:
            x_BKD = x_BKD + see(Step.POSITIONS, self.positions_PD[start:end])
        if self.norm is not None:
            x_BKD = self.norm(x_BKD)
        return see(Step.STREAM_OUT, self.dropout(x_BKD))

    @property
    def table(self) -> Tensor:
        """The positions_PD that are added to tokens.

        Raises:
            ValueError: None are added here: attention has them.
        """
        if self.positions_PD is None:
            raise ValueError(f"{self.site} adds no positions")
        return self.positions_PD
