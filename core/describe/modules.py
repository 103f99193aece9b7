"""The description of each module: its part of the drawing, and what it learns.

`add` dispatches on the class of a module. A new kind of module is registered here; the
modules themselves only compute.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import singledispatch
from typing import cast

from torch import nn

from ..config import ModelConfig
from ..heads import Site, Stack
from ..messages import N_
from ..model.building import outline
from ..model.layers import Layer, Residual
from ..model.memory import FirstMemory, MixedMemory, OneMemory, SameMemory
from ..model.mixing import Mixing, OwnState
from ..model.output import LengthPrediction, OutputTransform
from ..model.pointer import Pointer
from ..model.positional import Embedding
from ..model.recurrence import Recurrence
from ..model.sublayers import CrossAttention, FeedForward, SelfAttention
from ..model.transformer import Transformer
from .formulas import count_formula, normalised
from .parts import (
    ATTENTION,
    EMBEDDINGS,
    FEED_FORWARD,
    GROUPS,
    MIXING,
    NORMS,
    RECURRENCE,
    Arrow,
    ArrowKind,
    Node,
    Part,
    Sketch,
)


@singledispatch
def add(module: object, sketch: Sketch) -> None:
    """Add a module to the sketch of its model, in the order in which data goes through."""
    raise TypeError(f"nothing says what a {type(module).__name__} is: register it with `add`")


@add.register
def _(model: Transformer, sketch: Sketch) -> None:
    """Add everything from the source's tokens to the next token's probabilities."""
    config = model.config
    if "encoder" in config.stacks:
        sketch.begin("encoder", "source", N_("source"))
        _add_stack(model.source_embedding, model.encoder, model.encoder_norm, sketch)
        sketch.memory = sketch.end
        if model.length is not None:
            add(model.length, sketch)
    if "decoder" in config.stacks:
        sketch.begin("decoder", "target", N_("target, shifted right"))
        _add_stack(model.target_embedding, model.decoder, model.decoder_norm, sketch)
    if model.output_transform is not None:
        add(model.output_transform, sketch)
    _add_output(model, sketch)


def _add_stack(
    embedding: Embedding, layers: nn.ModuleList, norm: nn.Module, sketch: Sketch
) -> None:
    add(embedding, sketch)
    for number, layer in enumerate(layers):
        with sketch.layer(number):
            for sublayer, residual in cast(Layer, layer).blocks():
                _add_block(sublayer, residual, sketch)
        sketch.depths[sketch.stack].append(sketch.end)
    add_norm(norm, sketch, f"{sketch.stack}.norm", N_("Final norm"), N_("{place}: {part}"))


def _add_block(sublayer: object, residual: Residual, sketch: Sketch) -> None:
    """Add a sublayer with its norm and residual connection."""
    part, adds, norm = str(residual.site), residual.adds, residual.norm

    def added(x: str) -> str:
        return rf"{'x_l + ' if adds else ''}\mathrm{{Sublayer}}_l({x})"

    pre = residual.pre_norm
    made = added(normalised(norm, "x_l")) if pre else normalised(norm, added("x_l"))
    with sketch.residual(part, f"x_{{l+1}} = {made}", passed=adds):
        if pre:
            title = N_("{place}: Norm before {part}")
            add_norm(norm, sketch, f"{part}.norm", N_("Norm"), title)
        add(sublayer, sketch)
        if adds and (pre or isinstance(norm, nn.Identity)):
            sketch.sum(f"{part}.sum")
        elif not pre:
            label, title = N_("Norm"), N_("{place}: Norm after {part}")
            if adds:
                label, title = N_("Add & Norm"), N_("{place}: Add & Norm after {part}")
            add_norm(norm, sketch, f"{part}.norm", label, title)


@add.register
def _(embedding: Embedding, sketch: Sketch) -> None:
    """Add the token embedding, and the vectors added to it."""
    stack = embedding.site.stack
    sketch.add(
        Part(
            id=f"{stack}.embedding",
            kind="embedding",
            label=N_("Embedding"),
            group=EMBEDDINGS,
            site=embedding.site,
        ),
        learned=embedding.tokens.parameters(),
    )
    if embedding.segments is not None:
        _add_beside(sketch, "segments", N_("Segments"), embedding.segments.parameters())
    if embedding.positions_PD is not None:
        computed = embedding.compute_table
        learned = [] if computed else [cast(nn.Parameter, embedding.positions_PD)]
        _add_beside(sketch, "positions", N_("Positions"), learned)
    if embedding.norm is not None:
        label, title = N_("Embedding norm"), N_("{place}: {part}")
        add_norm(embedding.norm, sketch, f"{stack}.embedding_norm", label, title)


def _add_beside(sketch: Sketch, kind: str, label: str, learned: Iterable[nn.Parameter]) -> None:
    """Add vectors that are added to the stream."""
    stack = sketch.stack
    sketch.add(
        Part(id=f"{stack}.{kind}", kind=kind, label=label, group=EMBEDDINGS),
        learned=learned,
        enters=(),
    )
    sketch.sum(f"{stack}.sum" if kind == "positions" else f"{stack}.{kind}.sum")
    sketch.arrow("positions", f"{stack}.{kind}", sketch.end)


def _add_part(  # noqa: PLR0913
    sketch: Sketch,
    module: nn.Module | None,
    site: Site | None = None,
    *,
    kind: str,
    label: str,
    group: str = EMBEDDINGS,
    count: str = "",
    enters: tuple[ArrowKind, ...] = ("flow",),
) -> None:
    """Add a sublayer with its site, or a module on top of a stack, named by its kind."""
    part = Part(
        id=kind if site is None else str(site),
        kind=kind,
        title="{part}" if site is None else N_("{place}: {part}"),
        label=label,
        group=group,
        count=count,
        site=site,
    )
    sketch.add(part, learned=() if module is None else module.parameters(), enters=enters)


@add.register
def _(attention: SelfAttention, sketch: Sketch) -> None:
    """Add the part; queries, keys and values come from the stream."""
    _add_part(
        sketch,
        attention,
        attention.site,
        kind="self",
        label=N_("Masked self-attention") if attention.masked else N_("Self-attention"),
        group=ATTENTION,
        count=count_formula(attention),
        enters=("query", "key", "value"),
    )


@add.register
def _(attention: CrossAttention, sketch: Sketch) -> None:
    """Add the part; queries come from the stream, keys and values from the memory."""
    mixed = isinstance(attention.memory, MixedMemory)
    _add_part(
        sketch,
        attention,
        attention.site,
        kind="cross",
        label=N_("Cross-attention"),
        group=ATTENTION,
        count=count_formula(attention) + (" + L" if mixed else ""),
        enters=("query",),
    )
    for start in _memory(attention.memory, sketch):
        sketch.arrow("memory", start, str(attention.site))


def _memory(memory: OneMemory, sketch: Sketch) -> tuple[str, ...]:
    """Return the nodes that a decoder layer reads."""
    # The output of each encoder layer, of the last after its norm.
    ends = (*sketch.depths["encoder"][:-1], sketch.memory)
    match memory:
        case FirstMemory():
            return ends[:1]
        case SameMemory(layer=layer):
            return (ends[layer],)
        case MixedMemory():
            return ends
    return (sketch.memory,)


@add.register
def _(feed_forward: FeedForward, sketch: Sketch) -> None:
    """Add the part."""
    n = 2 if feed_forward.gate is None else 3
    biased = feed_forward.expand.bias is not None
    biases = rf" + {'' if n == 2 else 2} d_{{f\!f}} + d" if biased else ""
    _add_part(
        sketch,
        feed_forward,
        feed_forward.site,
        kind="feed_forward",
        label=N_("Feed-forward"),
        group=FEED_FORWARD,
        count=rf"{n} d\, d_{{f\!f}}{biases}",
    )


@add.register
def _(mixing: Mixing, sketch: Sketch) -> None:
    """Add the part."""
    n = mixing.neighbours
    _add_part(
        sketch,
        mixing,
        mixing.site,
        kind="mixing",
        label=mixing.label,
        group=MIXING,
        count=f"{n if n > 1 else ''} d^2 + d{mixing.tables}",
    )


@add.register
def _(own: OwnState, sketch: Sketch) -> None:
    """Add the part; it reads the memory."""
    mixed = isinstance(own.memory, MixedMemory)
    _add_part(
        sketch,
        own,
        own.site,
        kind="mixing",
        label=own.label,
        group=MIXING,
        count="d^2 + d" + (" + L" if mixed else ""),
    )
    for start in _memory(own.memory, sketch):
        sketch.arrow("memory", start, str(own.site))


_UNITS = {
    ("gru", False): N_("Recurrent unit (GRU)"),
    ("gru", True): N_("Recurrent unit (bidirectional GRU)"),
    ("lstm", False): N_("Recurrent unit (LSTM)"),
    ("lstm", True): N_("Recurrent unit (bidirectional LSTM)"),
}


@add.register
def _(recurrence: Recurrence, sketch: Sketch) -> None:
    """Add the part."""
    gates = 3 if recurrence.kind == "gru" else 4
    # Each direction maps the whole width to half of it.
    squares = r"\tfrac{3}{2}" if recurrence.two_way else "2"
    begun = "" if recurrence.begin is None else " + d^2 + d"
    _add_part(
        sketch,
        recurrence,
        recurrence.site,
        kind="recurrent",
        label=_UNITS[recurrence.kind, recurrence.two_way],
        group=RECURRENCE,
        count=f"{gates} ({squares} d^2 + 2 d){begun}",
    )


def add_norm(norm: nn.Module, sketch: Sketch, part: str, label: str, title: str) -> None:
    """Add a norm with its `count`, if it has any; nothing for `nn.Identity`."""
    if isinstance(norm, nn.Identity):
        return
    sketch.add(
        Part(
            id=part,
            kind="norm",
            label=label,
            title=title,
            group=NORMS,
            count=getattr(norm, "count", ""),
        ),
        learned=norm.parameters(),
    )


@add.register
def _(length: LengthPrediction, sketch: Sketch) -> None:
    """Add the part, on top of the encoder."""
    _add_part(sketch, length, kind="length", label=N_("Length"), count=r"65\,d + 65")


@add.register
def _(transform: OutputTransform, sketch: Sketch) -> None:
    """Add the part."""
    _add_part(sketch, transform, kind="output_transform", label=N_("Output transform"))


def _add_output(model: Transformer, sketch: Sketch) -> None:
    """Add the output projection, the softmax and a pointer, up to the probabilities."""
    _add_part(sketch, model.output, kind="output", label=N_("Linear output"))
    _add_part(sketch, None, kind="softmax", group="", label=N_("Softmax"))
    if model.pointer is not None:
        add(model.pointer, sketch)
    sketch.tokens("probabilities", N_("probabilities"))


@add.register
def _(pointer: Pointer, sketch: Sketch) -> None:
    """Add the part, between the softmax and the probabilities."""
    _add_part(sketch, pointer, kind="pointer", label=N_("Pointer"), count="2 d + 1")
    sketch.arrow("memory", sketch.memory, "pointer")


@dataclass(frozen=True, slots=True)
class Description:
    """A model from bottom to top, the encoder first."""

    nodes: tuple[Node, ...]
    """Parts, tokens and sums along the flow of data."""
    arrows: tuple[Arrow, ...]

    @property
    def parts(self) -> tuple[Part, ...]:
        """The nodes that are boxes."""
        return tuple(node for node in self.nodes if isinstance(node, Part))

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all parts."""
        return tuple(part.id for part in self.parts)

    @property
    def stacks(self) -> dict[Stack, int]:
        """Stack → number of layers."""
        layers = {node.stack: {-1} for node in self.nodes}
        for node in self.nodes:
            if node.layer is not None:
                layers[node.stack].add(node.layer)
        return {stack: len(found) - 1 for stack, found in layers.items()}

    @property
    def sublayers(self) -> tuple[Part, ...]:
        """The parts inside residual blocks."""
        return tuple(part for part in self.parts if part.block == part.id)

    @property
    def parameters(self) -> int:
        """Number of learned parameters."""
        return sum(part.parameters for part in self.parts)

    def by_group(self) -> dict[str, int]:
        """Return the parameters summed by group."""
        named = [part.group for part in self.parts if part.group]
        groups = dict.fromkeys((*GROUPS, *named))
        return {
            group: sum(part.parameters for part in self.parts if part.group == group)
            for group in groups
        }


def describe(model: Transformer | ModelConfig) -> Description:
    """Describe a model; from a configuration, without allocating its weights."""
    asked = outline(model) if isinstance(model, ModelConfig) else model
    sketch = Sketch(asked.config)
    add(asked, sketch)
    return Description(tuple(sketch.nodes), tuple(sketch.arrows))
