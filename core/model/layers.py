"""The layers of the two stacks, each line one arrow of the paper's Figure 1.

B batch, S source length, T target length, D model width, F feed-forward width; x_BKD where either
length may stand.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from torch import Tensor, nn

from core.config import ModelConfig
from core.heads import Site
from core.model.attention import KeysValues, MultiHeadAttention
from core.model.cache import Cache
from core.model.dropout import Dropout
from core.model.probe import Probe, Step, through


class FeedForward(nn.Module):
    """max(0, x W₁ + b₁) W₂ + b₂, the same for every position (section 3.3)."""

    def __init__(self, config: ModelConfig, site: Site) -> None:
        super().__init__()
        self.site = site
        self.expand = nn.Linear(config.d_model, config.d_ff)
        self.contract = nn.Linear(config.d_ff, config.d_model)

    def forward(self, x_BKD: Tensor, probe: Probe | None = None) -> Tensor:
        """Return transformed_BKD."""
        hidden_BKF = through(probe, self.site, Step.HIDDEN, self.expand(x_BKD).relu())
        return self.contract(hidden_BKF)


class Residual(nn.Module):
    """Adds to x what a sublayer makes of it, normalised after (the paper) or before."""

    def __init__(self, config: ModelConfig, site: Site) -> None:
        super().__init__()
        self.site = site
        self.norm = nn.LayerNorm(config.d_model)
        self.dropout = Dropout(config.dropout)
        self.pre_norm = config.norm == "pre"

    def forward(
        self, x_BKD: Tensor, sublayer: Callable[[Tensor], Tensor], probe: Probe | None = None
    ) -> Tensor:
        """Return LayerNorm(x + sublayer(x)), or x + sublayer(LayerNorm(x)) when pre-norm."""
        see = partial(through, probe, self.site)

        def normalise(x_BKD: Tensor) -> Tensor:
            return see(Step.AFTER_NORM, self.norm(see(Step.BEFORE_NORM, x_BKD)))

        def add(x_BKD: Tensor, seen_BKD: Tensor) -> Tensor:
            return x_BKD + see(Step.ADDED, self.dropout(sublayer(seen_BKD)))

        x_BKD = see(Step.STREAM_IN, x_BKD)
        x_BKD = add(x_BKD, normalise(x_BKD)) if self.pre_norm else normalise(add(x_BKD, x_BKD))
        return see(Step.STREAM_OUT, x_BKD)


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward (Figure 1, left)."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        sites = [Site("encoder", layer, "self"), Site("encoder", layer, "feed_forward")]
        self.self_attention = MultiHeadAttention(config, sites[0])
        self.feed_forward = FeedForward(config, sites[1])
        self.residuals = nn.ModuleList(Residual(config, site) for site in sites)

    def forward(self, x_BSD: Tensor, visible_B1S: Tensor | None, probe: Probe | None) -> Tensor:
        """Return x_BSD after both sublayers."""
        around_attention, around_feed_forward = self.residuals

        def look_around(x_BSD: Tensor) -> Tensor:
            memory = self.self_attention.keys_values(x_BSD, probe)
            return self.self_attention(x_BSD, memory, visible_B1S, probe)

        def transform(x_BSD: Tensor) -> Tensor:
            return self.feed_forward(x_BSD, probe)

        x_BSD = around_attention(x_BSD, look_around, probe)
        return around_feed_forward(x_BSD, transform, probe)


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention, then feed-forward (Figure 1, right)."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        sites = [
            Site("decoder", layer, "self"),
            Site("decoder", layer, "cross"),
            Site("decoder", layer, "feed_forward"),
        ]
        self.self_attention = MultiHeadAttention(config, sites[0])
        self.cross_attention = MultiHeadAttention(config, sites[1])
        self.feed_forward = FeedForward(config, sites[2])
        self.residuals = nn.ModuleList(Residual(config, site) for site in sites)

    def forward(self, x_BTD: Tensor, seen: "Seen", probe: Probe | None) -> Tensor:
        """Return x_BTD after the three sublayers."""
        around_self, around_cross, around_feed_forward = self.residuals

        def look_back(x_BTD: Tensor) -> Tensor:
            memory = self.self_attention.keys_values(x_BTD, probe)
            if seen.cache is not None:
                memory = seen.cache.grown(self.self_attention.site, memory)
            return self.self_attention(x_BTD, memory, seen.visible_BTK, probe)

        def look_at_source(x_BTD: Tensor) -> Tensor:
            memory = self._source(seen, probe)
            return self.cross_attention(x_BTD, memory, seen.visible_B1S, probe)

        def transform(x_BTD: Tensor) -> Tensor:
            return self.feed_forward(x_BTD, probe)

        x_BTD = around_self(x_BTD, look_back, probe)
        x_BTD = around_cross(x_BTD, look_at_source, probe)
        return around_feed_forward(x_BTD, transform, probe)

    def _source(self, seen: "Seen", probe: Probe | None) -> KeysValues:
        """Return the projected memory of the source, from the cache where there is one."""

        def compute() -> KeysValues:
            return self.cross_attention.keys_values(seen.memory_BSD, probe)

        return (
            compute() if seen.cache is None else seen.cache.once(self.cross_attention.site, compute)
        )


@dataclass(frozen=True, slots=True)
class Seen:
    """What the positions of a decoder layer may look at."""

    memory_BSD: Tensor
    """What the encoder made of the source."""
    visible_B1S: Tensor | None
    """The source's padding mask; None where nothing is hidden."""
    visible_BTK: Tensor | None
    """True where a target position may look at another; K counts those before, too. None where
    nothing is hidden."""
    cache: Cache | None
    """Keys and values of earlier positions; None when all positions are computed together."""
