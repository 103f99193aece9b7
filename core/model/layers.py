"""The layers of the two stacks, each line one arrow of the paper's Figure 1.

B batch, S source length, T target length, D model width, F feed-forward width; x_BKD where either
length may stand.
"""

from collections.abc import Callable

from torch import Tensor, nn

from core.config import ModelConfig
from core.model.attention import MultiHeadAttention
from core.model.probe import Probe, Site


class FeedForward(nn.Module):
    """max(0, x W₁ + b₁) W₂ + b₂, the same for every position (section 3.3)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.expand = nn.Linear(config.d_model, config.d_ff)
        self.contract = nn.Linear(config.d_ff, config.d_model)

    def forward(self, x_BKD: Tensor) -> Tensor:
        """Return transformed_BKD."""
        return self.contract(self.expand(x_BKD).relu())


class Residual(nn.Module):
    """Adds to x what a sublayer makes of it, normalised after (the paper) or before."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.pre_norm = config.norm == "pre"

    def forward(self, x_BKD: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Return LayerNorm(x + sublayer(x)), or x + sublayer(LayerNorm(x)) when pre-norm."""
        if self.pre_norm:
            return x_BKD + self.dropout(sublayer(self.norm(x_BKD)))
        return self.norm(x_BKD + self.dropout(sublayer(x_BKD)))


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward (Figure 1, left)."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config, Site("encoder", layer, "self"))
        self.feed_forward = FeedForward(config)
        self.residuals = nn.ModuleList(Residual(config) for _ in range(2))

    def forward(self, x_BSD: Tensor, visible_B1S: Tensor, probe: Probe | None) -> Tensor:
        """Return x_BSD after both sublayers."""
        around_attention, around_feed_forward = self.residuals
        x_BSD = around_attention(x_BSD, lambda x: self.self_attention(x, x, visible_B1S, probe))
        return around_feed_forward(x_BSD, self.feed_forward)


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention, then feed-forward (Figure 1, right)."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config, Site("decoder", layer, "self"))
        self.cross_attention = MultiHeadAttention(config, Site("decoder", layer, "cross"))
        self.feed_forward = FeedForward(config)
        self.residuals = nn.ModuleList(Residual(config) for _ in range(3))

    def forward(
        self,
        x_BTD: Tensor,
        memory_BSD: Tensor,
        visible_BTT: Tensor,
        visible_B1S: Tensor,
        probe: Probe | None,
    ) -> Tensor:
        """Return x_BTD after the three sublayers."""
        around_self, around_cross, around_feed_forward = self.residuals
        x_BTD = around_self(x_BTD, lambda x: self.self_attention(x, x, visible_BTT, probe))
        x_BTD = around_cross(
            x_BTD, lambda x: self.cross_attention(x, memory_BSD, visible_B1S, probe)
        )
        return around_feed_forward(x_BTD, self.feed_forward)
