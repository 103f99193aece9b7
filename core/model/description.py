"""Every part of the architecture as it stands in Figure 1: its weights, its work, its shapes.

With the paper's own table of what other sizes are worth, to compare with.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.config import ModelConfig
from core.heads import Stack

PartKind = Literal[
    "embedding", "positions", "self", "cross", "feed_forward", "norm", "output", "softmax"
]
Shapes = tuple[tuple[str, tuple[int, ...]], ...]

GROUPS: dict[PartKind, str] = {
    "self": "attention",
    "cross": "attention",
    "feed_forward": "feed-forward",
    "embedding": "embeddings and output",
    "positions": "embeddings and output",
    "output": "embeddings and output",
    "softmax": "embeddings and output",
    "norm": "norms",
}
"""Kind of part → under which name its parameters are summed."""


@dataclass(frozen=True, slots=True)
class Part:
    """One box of the diagram."""

    id: str
    """`encoder.0.self`; an attention or feed-forward part has the name of its site."""
    kind: PartKind
    parameters: int
    """Numbers that are learned here; a shared matrix counts at `encoder.embedding` alone."""
    multiply_adds: int
    """Multiplications, each with its addition, in the matrix products of one forward pass."""
    shapes: Shapes
    """Name → sizes for one sentence: `input` first, `output` last, its steps between them."""


def parts(config: ModelConfig, n_source: int, n_target: int) -> tuple[Part, ...]:
    """Return all parts from bottom to top, the encoder first.

    Only matrix products are work here: looking up embeddings, adding positions, biases and
    residuals, norms, ReLU and softmax count 0. A hidden key counts like a visible one, because the
    product is computed before the mask. A floating-point operation is half a multiply-add.

    Args:
        config: The model's sizes.
        n_source: Tokens of the source, EOS included.
        n_target: Tokens fed to the decoder, BOS included.
    """
    drawing = _Drawing(config, n_source, n_target)
    table = config.vocab_size * config.d_model
    copy = 0 if config.tied else table
    width, vocabulary = (n_target, config.d_model), (n_target, config.vocab_size)
    return (
        *drawing.bottom("encoder", table),
        *drawing.layers("encoder"),
        *drawing.bottom("decoder", copy),
        *drawing.layers("decoder"),
        Part(
            "output", "output", copy, n_target * table, (("input", width), ("output", vocabulary))
        ),
        Part("softmax", "softmax", 0, 0, (("input", vocabulary), ("output", vocabulary))),
    )


def by_kind(parts: Sequence[Part]) -> dict[str, int]:
    """Return the parameters of all parts, summed under the names of `GROUPS`."""
    return {
        group: sum(part.parameters for part in parts if GROUPS[part.kind] == group)
        for group in dict.fromkeys(GROUPS.values())
    }


@dataclass(frozen=True, slots=True)
class _Drawing:
    config: ModelConfig
    n_source: int
    n_target: int

    def bottom(self, stack: Stack, table: int) -> Iterator[Part]:
        """Yield a stack's embedding, whose table has so many parameters, and positions."""
        length, width = self._length(stack), self._width(stack)
        learned = self.config.positions == "learned"
        places = self.config.max_positions * self.config.d_model if learned else 0
        looked_up = (("input", (length,)), ("output", width))
        added = (("input", width), ("positions", width), ("output", width))
        yield Part(f"{stack}.embedding", "embedding", table, 0, looked_up)
        yield Part(f"{stack}.positions", "positions", places, 0, added)

    def layers(self, stack: Stack) -> Iterator[Part]:
        """Yield every sublayer with its norm, and the norm that ends a pre-norm stack."""
        encoder = stack == "encoder"
        n_layers = self.config.n_encoder_layers if encoder else self.config.n_decoder_layers
        for layer in range(n_layers):
            sublayers = [self._attention(stack, layer, "self")]
            if not encoder:
                sublayers.append(self._attention(stack, layer, "cross"))
            for part in (*sublayers, self._feed_forward(stack, layer)):
                pair = (part, self._norm(stack, f"{part.id}.norm"))
                yield from pair[::-1] if self.config.norm == "pre" else pair
        if self.config.norm == "pre":
            yield self._norm(stack, f"{stack}.norm")

    def _attention(self, stack: Stack, layer: int, kind: Literal["self", "cross"]) -> Part:
        config, width, n_queries = self.config, self._width(stack), self._length(stack)
        memory = self._width("encoder") if kind == "cross" else width
        n_keys, n_heads = memory[0], config.n_heads
        keys, values = n_heads * config.d_k, n_heads * config.d_v
        # One projection for each of query, key, value and output, each with a bias.
        parameters = config.d_model * 2 * (keys + values) + 2 * keys + values + config.d_model
        projected = config.d_model * (n_queries + n_keys) * (keys + values)
        attended = n_queries * n_keys * (keys + values)
        shapes = (
            ("input", width),
            *((("memory", memory),) if kind == "cross" else ()),
            ("query", (n_heads, n_queries, config.d_k)),
            ("key", (n_heads, n_keys, config.d_k)),
            ("value", (n_heads, n_keys, config.d_v)),
            ("scores", (n_heads, n_queries, n_keys)),
            ("weights", (n_heads, n_queries, n_keys)),
            ("mixed", (n_heads, n_queries, config.d_v)),
            ("output", width),
        )
        return Part(f"{stack}.{layer}.{kind}", kind, parameters, projected + attended, shapes)

    def _feed_forward(self, stack: Stack, layer: int) -> Part:
        config, width = self.config, self._width(stack)
        matrices = 2 * config.d_model * config.d_ff
        shapes = (("input", width), ("hidden", (width[0], config.d_ff)), ("output", width))
        return Part(
            f"{stack}.{layer}.feed_forward",
            "feed_forward",
            matrices + config.d_ff + config.d_model,
            width[0] * matrices,
            shapes,
        )

    def _norm(self, stack: Stack, name: str) -> Part:
        width = self._width(stack)
        shapes = (("input", width), ("output", width))
        return Part(name, "norm", 2 * self.config.d_model, 0, shapes)

    def _length(self, stack: Stack) -> int:
        return self.n_source if stack == "encoder" else self.n_target

    def _width(self, stack: Stack) -> tuple[int, int]:
        return self._length(stack), self.config.d_model


@dataclass(frozen=True, slots=True)
class PaperRow:
    """One model of the paper's Table 3, measured on newstest2013 (English to German)."""

    name: str
    config: ModelConfig
    perplexity: float
    """Per piece of a word, not per word."""
    bleu: float
    millions: int | None = None
    """Parameters as published, in millions; None where the cell is empty."""
    label_smoothing: float = 0.1
    steps: int = 100_000

    @property
    def dropout(self) -> float:
        """The table's P_drop."""
        return self.config.dropout


_BASE = ModelConfig(vocab_size=41_000)

TABLE_3: tuple[PaperRow, ...] = (
    PaperRow("base", _BASE, 4.92, 25.8, 65),
    PaperRow("A h=1", replace(_BASE, n_heads=1, d_k=512, d_v=512), 5.29, 24.9),
    PaperRow("A h=4", replace(_BASE, n_heads=4, d_k=128, d_v=128), 5.00, 25.5),
    PaperRow("A h=16", replace(_BASE, n_heads=16, d_k=32, d_v=32), 4.91, 25.8),
    PaperRow("A h=32", replace(_BASE, n_heads=32, d_k=16, d_v=16), 5.01, 25.4),
    PaperRow("B d_k=16", replace(_BASE, d_k=16), 5.16, 25.1, 58),
    PaperRow("B d_k=32", replace(_BASE, d_k=32), 5.01, 25.4, 60),
    PaperRow("C N=2", replace(_BASE, n_encoder_layers=2, n_decoder_layers=2), 6.11, 23.7, 36),
    PaperRow("C N=4", replace(_BASE, n_encoder_layers=4, n_decoder_layers=4), 5.19, 25.3, 50),
    PaperRow("C N=8", replace(_BASE, n_encoder_layers=8, n_decoder_layers=8), 4.88, 25.5, 80),
    PaperRow("C d_model=256", replace(_BASE, d_model=256, d_k=32, d_v=32), 5.75, 24.5, 28),
    PaperRow("C d_model=1024", replace(_BASE, d_model=1024, d_k=128, d_v=128), 4.66, 26.0, 168),
    PaperRow("C d_ff=1024", replace(_BASE, d_ff=1024), 5.12, 25.4, 53),
    PaperRow("C d_ff=4096", replace(_BASE, d_ff=4096), 4.75, 26.2, 90),
    PaperRow("D P_drop=0.0", replace(_BASE, dropout=0.0), 5.77, 24.6),
    PaperRow("D P_drop=0.2", replace(_BASE, dropout=0.2), 4.95, 25.5),
    PaperRow("D ε_ls=0.0", _BASE, 4.67, 25.3, label_smoothing=0.0),
    PaperRow("D ε_ls=0.2", _BASE, 5.47, 25.7, label_smoothing=0.2),
    PaperRow("E learned positions", replace(_BASE, positions="learned"), 4.92, 25.7),
    PaperRow(
        "big",
        replace(_BASE, d_model=1024, d_ff=4096, n_heads=16, dropout=0.3),
        4.33,
        26.4,
        213,
        steps=300_000,
    ),
)
"""Every row of Table 3 (Vaswani et al. 2017), with a joint vocabulary of 41,000 pieces, tied.

That vocabulary is a reconstruction: with it all ten published counts of base, B and C come out when
rounded to millions; with the 37,000 usually quoted, base would have 63.1, not 65. "big" fits
neither: 213 needs about 36,000 pieces. The learned table of row E has 512 positions for each stack,
a length that the paper does not give.
"""
