"""Where a word stands: sinusoids, or a learned table."""

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.heads import Site, Stack
from core.messages import N_
from core.model.dropout import Dropout
from core.model.part import EMBEDDINGS, Part, Sketch
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


def exact_sinusoids(positions_P: Tensor, d_model: int, base: float = 10000.0) -> Tensor:
    """Return positions_PD in float64, for any positions, before 0 and between two words as well."""
    angle_PE = positions_P[:, None].double() / timescales(d_model, base)
    return torch.stack([angle_PE.sin(), angle_PE.cos()], dim=-1).flatten(1)


def timescales(d_model: int, base: float = 10000.0) -> Tensor:
    """Return for each pair of dimensions how many positions turn it by one radian, in float64."""
    pair_E = torch.arange(0, d_model, 2, dtype=torch.float64)
    return base ** (pair_E / d_model)


class Embedding(nn.Module):
    """Token vectors times √d_model, plus positions, then dropout (sections 3.4, 3.5, 5.4)."""

    positions_PD: Tensor

    def __init__(self, config: ModelConfig, tokens: nn.Embedding, stack: Stack) -> None:
        super().__init__()
        self.site = Site(stack, 0, "embedding")
        self.tokens = tokens
        self.scale = config.d_model**0.5
        self.dropout = Dropout(config.dropout)
        positions_PD = torch.empty(config.max_positions, config.d_model)
        if config.positions == "learned":
            self.positions_PD = nn.Parameter(nn.init.normal_(positions_PD, std=0.02))
        else:
            # Whoever asks for shapes alone (on the meta device) needs no numbers.
            if not positions_PD.is_meta:
                positions_PD = sinusoids(config.max_positions, config.d_model)
            # A formula, not a weight: it is neither trained nor saved.
            self.register_buffer("positions_PD", positions_PD, persistent=False)

    def forward(self, ids_BK: Tensor, start: int = 0, probe: Probe | None = None) -> Tensor:
        """Return vectors_BKD for tokens that stand at `start` and after.

        Raises:
            ValueError: A token would stand beyond the last position of the table.
        """
        end = start + ids_BK.shape[1]
        if end > self.positions_PD.shape[0]:
            raise ValueError(
                f"{end} tokens are more than the model's {self.positions_PD.shape[0]} positions"
            )
        tokens_BKD = probed(probe, self.site, Step.TOKENS, self.tokens(ids_BK) * self.scale)
        positions_KD = probed(probe, self.site, Step.POSITIONS, self.positions_PD[start:end])
        x_BKD = self.dropout(tokens_BKD + positions_KD)
        return probed(probe, self.site, Step.STREAM_OUT, x_BKD)

    def describe(self, sketch: Sketch) -> None:
        """Add the tokens' table, and the positions that are added beside it."""
        stack, stream = self.site.stack, sketch.stream
        part = f"{stack}.positions"
        table = [self.positions_PD] if isinstance(self.positions_PD, nn.Parameter) else []
        sketch.add(
            Part(
                id=f"{stack}.embedding",
                kind="embedding",
                label=N_("Embedding"),
                group=EMBEDDINGS,
                shapes=(("input", (sketch.length,)), ("output", stream)),
                formula=r"x_t = \sqrt{d_{model}}\; E_{w_t}",
                code=(Embedding,),
                site=self.site,
            ),
            learned=self.tokens.parameters(),
        )
        sketch.add(
            Part(
                id=part,
                kind="positions",
                label=N_("Positions"),
                group=EMBEDDINGS,
                shapes=(("input", stream), ("positions", stream), ("output", stream)),
                formula=r"x_t \mathrel{+}= PE_t",
                # A table that was learned is no formula.
                code=(Embedding,) if table else (Embedding, sinusoids),
            ),
            learned=table,
            enters=(),
        )
        sketch.sum(f"{stack}.sum")
        sketch.arrow("positions", part, sketch.end)
