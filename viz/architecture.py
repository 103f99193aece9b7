"""A model drawn like the paper's Figure 1, but with the layers that it really has."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, cast

from viz.payload import Assets, assets_of, check_texts, framed, unframed

# Every word that the component shows. A page may hand over its own; {names} are filled in.
DEFAULT_ARCHITECTURE_TEXTS: Mapping[str, str] = {
    "title": "The model's parts; data flows upward",
    "help": "Arrow keys lead from part to part.",
    "encoder": "encoder",
    "decoder": "decoder",
    "layer": "{stack} layer {number}",
    "name": "{place}: {part}",
    "source": "source",
    "target": "target, shifted right",
    "embedding": "Embedding",
    "positions": "Positions",
    "self": "Self-attention",
    "masked": "Masked self-attention",
    "cross": "Cross-attention",
    "feed_forward": "Feed-forward",
    "norm.post": "Add & Norm",
    "norm.pre": "Norm",
    "norm.after": "{norm} after {part}",
    "norm.before": "{norm} before {part}",
    "norm.final": "Final norm",
    "output": "Linear output",
    "softmax": "Softmax",
    "probabilities": "probabilities",
    "memory": "memory",
    "query": "q",
    "key": "k",
    "value": "v",
    "tied": "shared",
    "save": "SVG",
    "save.help": "download the picture as SVG",
}

_SCRIPTS = (
    "shared_mount",
    "shared_text",
    "shared_tokens",
    "shared_tooltip",
    "shared_save",
    "shared_svg",
    "architecture_names",
    "architecture_stack",
    "architecture_layout",
    "architecture_drawing",
    "architecture_export",
    "architecture_events",
    "architecture",
)
_SUBLAYERS = {"encoder": ("self", "feed_forward"), "decoder": ("self", "cross", "feed_forward")}

Norm = Literal["post", "pre"]


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """A model's parts, one of them selected.

    Attributes:
        n_encoder_layers: 0 or more.
        n_decoder_layers: 0 or more.
        norm: After each sublayer and its sum ("post") or before each sublayer ("pre").
        tied: True if one matrix is both embeddings and the output.
        selected: A part's id.
        details: A short second line for a part's id, such as "15 × 128"; some may be missing.
        texts: Replacements for some of `DEFAULT_ARCHITECTURE_TEXTS`.

    Raises:
        ValueError: A count is negative, or an id or a text belongs to nothing in this model.
    """

    n_encoder_layers: int
    n_decoder_layers: int
    norm: Norm
    tied: bool
    selected: str
    details: Mapping[str, str]
    texts: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = self.ids
        unknown = [each for each in (self.selected, *self.details) if each not in known]
        if unknown:
            raise ValueError(f"parts {unknown} are not in this model; it has {list(known)}")
        check_texts(self.texts, DEFAULT_ARCHITECTURE_TEXTS)

    @property
    def ids(self) -> tuple[str, ...]:
        """All parts along the flow of data."""
        return part_ids(self.n_encoder_layers, self.n_decoder_layers, self.norm)


def part_ids(n_encoder_layers: int, n_decoder_layers: int, norm: str) -> tuple[str, ...]:
    """Return the ids of all parts along the flow of data: encoder, decoder, output.

    Raises:
        ValueError: A count is negative or there is no such norm.

    >>> part_ids(0, 0, "pre")[:3]
    ('encoder.embedding', 'encoder.positions', 'encoder.norm')
    """
    if min(n_encoder_layers, n_decoder_layers) < 0:
        raise ValueError(f"no stack has {min(n_encoder_layers, n_decoder_layers)} layers")
    if norm not in ("post", "pre"):
        raise ValueError(f"norm is 'post' or 'pre', got {norm!r}")
    encoder = _stack_ids("encoder", n_encoder_layers, norm)
    decoder = _stack_ids("decoder", n_decoder_layers, norm)
    return (*encoder, *decoder, "output", "softmax")


def _stack_ids(stack: str, n_layers: int, norm: str) -> Iterator[str]:
    yield from (f"{stack}.embedding", f"{stack}.positions")
    for i in range(n_layers):
        for kind in _SUBLAYERS[stack]:
            sublayer = f"{stack}.{i}.{kind}"
            pair = (sublayer, f"{sublayer}.norm")
            yield from pair if norm == "post" else reversed(pair)
    if norm == "pre":
        yield f"{stack}.norm"


def pack(architecture: Architecture) -> bytes:
    """Write an architecture as the one block of bytes that the component reads."""
    return framed(
        {
            "layers": {
                "encoder": architecture.n_encoder_layers,
                "decoder": architecture.n_decoder_layers,
            },
            "sublayers": _SUBLAYERS,
            "norm": architecture.norm,
            "tied": architecture.tied,
            "selected": architecture.selected,
            "ids": architecture.ids,
            "details": dict(architecture.details),
            "texts": {**DEFAULT_ARCHITECTURE_TEXTS, **architecture.texts},
        }
    )


def unpack(payload: bytes) -> Architecture:
    """Read a packed block again, as the component does; every text is in `texts`."""
    header, _ = unframed(payload)
    return Architecture(
        n_encoder_layers=header["layers"]["encoder"],
        n_decoder_layers=header["layers"]["decoder"],
        norm=cast(Norm, header["norm"]),
        tied=header["tied"],
        selected=header["selected"],
        details=header["details"],
        texts=header["texts"],
    )


@cache
def component_assets() -> Assets:
    """Return the component's HTML, CSS and JS."""
    return assets_of("architecture", _SCRIPTS)
