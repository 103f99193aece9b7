"""The sublayers that layers are made of: what each looks at, and what it says of itself.

B batch, S source length, T target length, Q queries, K keys, D model width, F feed-forward width;
x_BKD where either length may stand.
"""

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor, nn

from core.config import ModelConfig
from core.heads import Site
from core.messages import N_
from core.model.attention import KeysValues, MultiHeadAttention, attend
from core.model.cache import Cache
from core.model.part import ATTENTION, FEED_FORWARD, Part, Sketch, products
from core.model.probe import Probe, Step, probed


@dataclass(frozen=True, slots=True)
class Seen:
    """What the positions of a layer may look at beside the stream that comes in."""

    visible_BQK: Tensor | None
    """True where a position may look at another of its own sequence; K counts those before, too.
    None where nothing is hidden."""
    memory_BSD: Tensor | None = None
    """What the encoder made of the source; None in the encoder itself."""
    visible_B1S: Tensor | None = None
    """The source's padding mask; None where nothing is hidden."""
    cache: Cache | None = None
    """Keys and values of earlier positions; None when all positions are computed together."""


class Sublayer(Protocol):
    """What a layer asks of each of its modules, and puts a `Residual` around."""

    site: Site

    def added(self, x_BKD: Tensor, seen: Seen, probe: Probe | None) -> Tensor:
        """Return added_BKD, what the sublayer adds to the stream."""
        ...

    def describe(self, sketch: Sketch) -> None:
        """Add itself, under the name of its site, to the description of the model."""
        ...


class SelfAttention(MultiHeadAttention):
    """A sequence looks at itself: in a decoder at what is already written."""

    def added(self, x_BKD: Tensor, seen: Seen, probe: Probe | None) -> Tensor:
        """Let every position look at those of its own sequence that it may see."""
        memory = self.keys_values(x_BKD, probe)
        if seen.cache is not None:
            memory = seen.cache.grown(self.site, memory)
        return self(x_BKD, memory, seen.visible_BQK, probe)

    def describe(self, sketch: Sketch) -> None:
        """Add the part; queries, keys and values come from the stream."""
        masked = self.site.attention.causal
        length, stream = sketch.length, sketch.stream
        sketch.add(
            Part(
                id=str(self.site),
                kind="self",
                label=N_("Masked self-attention") if masked else N_("Self-attention"),
                group=ATTENTION,
                multiply_adds=self.multiply_adds(length, length),
                shapes=(("input", stream), *self.shapes(length, length), ("output", stream)),
                formula=_ATTENTION + r"\quad Q_i, K_i, V_i = x W_i^Q, x W_i^K, x W_i^V",
                count=_ATTENTION_COUNT,
                code=(MultiHeadAttention, attend),
                site=self.site,
            ),
            learned=self.parameters(),
            enters=("query", "key", "value"),
        )


class CrossAttention(MultiHeadAttention):
    """A target looks at what the encoder made of the source."""

    memory_symbol = "m"

    def added(self, x_BKD: Tensor, seen: Seen, probe: Probe | None) -> Tensor:
        """Let every position look at the whole source."""

        def compute() -> KeysValues:
            assert seen.memory_BSD is not None
            return self.keys_values(seen.memory_BSD, probe)

        memory = compute() if seen.cache is None else seen.cache.once(self.site, compute)
        return self(x_BKD, memory, seen.visible_B1S, probe)

    def describe(self, sketch: Sketch) -> None:
        """Add the part; queries come from the stream, keys and values from the memory."""
        n_queries, n_keys = sketch.length, sketch.lengths.source
        given = (("input", sketch.stream), ("memory", (n_keys, self.key.in_features)))
        sketch.add(
            Part(
                id=str(self.site),
                kind="cross",
                label=N_("Cross-attention"),
                group=ATTENTION,
                multiply_adds=self.multiply_adds(n_queries, n_keys),
                shapes=(*given, *self.shapes(n_queries, n_keys), ("output", sketch.stream)),
                formula=_ATTENTION
                + r"\quad Q_i = x W_i^Q,\ K_i = memory\, W_i^K,\ V_i = memory\, W_i^V",
                count=_ATTENTION_COUNT,
                code=(MultiHeadAttention, attend),
                site=self.site,
            ),
            learned=self.parameters(),
            enters=("query",),
        )
        sketch.arrow("memory", sketch.memory, str(self.site))


class FeedForward(nn.Module):
    """max(0, x W₁ + b₁) W₂ + b₂, the same for every position (section 3.3)."""

    def __init__(self, config: ModelConfig, site: Site) -> None:
        super().__init__()
        self.site = site
        self.expand = nn.Linear(config.d_model, config.d_ff)
        self.contract = nn.Linear(config.d_ff, config.d_model)

    def forward(self, x_BKD: Tensor, probe: Probe | None = None) -> Tensor:
        """Return transformed_BKD."""
        hidden_BKF = probed(probe, self.site, Step.HIDDEN, self.expand(x_BKD).relu())
        return self.contract(hidden_BKF)

    def added(self, x_BKD: Tensor, seen: Seen, probe: Probe | None) -> Tensor:
        """Transform every position by itself."""
        return self(x_BKD, probe)

    def describe(self, sketch: Sketch) -> None:
        """Add the part."""
        length, stream = sketch.length, sketch.stream
        sketch.add(
            Part(
                id=str(self.site),
                kind="feed_forward",
                label=N_("Feed-forward"),
                group=FEED_FORWARD,
                multiply_adds=products(self.expand, length) + products(self.contract, length),
                shapes=(
                    ("input", stream),
                    ("hidden", (length, self.expand.out_features)),
                    ("output", stream),
                ),
                formula=r"\max(0,\, x W_1 + b_1)\, W_2 + b_2",
                count=r"2 d\, d_{f\!f} + d_{f\!f} + d",
                code=(FeedForward,),
                site=self.site,
            ),
            learned=self.parameters(),
        )


_ATTENTION = (
    r"\mathrm{Concat}(head_1 \dots head_h)\, W^O,\quad head_i = "
    r"\mathrm{softmax}\!\left(\tfrac{Q_i K_i^\top}{\sqrt{d_k}} + M\right) V_i,"
)
_ATTENTION_COUNT = "2 d (h d_k + h d_v) + 2 h d_k + h d_v + d"
