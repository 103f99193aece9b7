"""The description of each module: what it is called, and what it learns.

`add` dispatches on the class of a module. A new kind of module is registered here; the
modules themselves only compute.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import singledispatch
from typing import cast

from torch import nn

from ..config import ModelConfig
from ..heads import Stack
from ..messages import N_
from ..model.building import outline
from ..model.layers import Layer, Residual
from ..model.memory import MixedMemory
from ..model.mixing import Mixing, OwnState
from ..model.output import LengthPrediction, OutputTransform
from ..model.pointer import Pointer
from ..model.positional import Embedding
from ..model.recurrence import Recurrence
from ..model.sublayers import CrossAttention, FeedForward, SelfAttention, Sublayer
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
    Part,
    Sketch,
)


@singledispatch
def add(module: object, sketch: Sketch) -> None:
    """Add a module to the sketch of its model, in the order in which data goes through."""
    raise TypeError(f"nothing says what a {type(module).__name__} is: register it with `add`")


@add.register
def _(model: Transformer, sketch: Sketch) -> None:
    """Add everything from the embedding of the source to the output."""
    config = model.config
    if "encoder" in config.stacks:
        _add_stack(model.source_embedding, model.encoder, model.encoder_norm, sketch)
        if model.length is not None:
            add(model.length, sketch)
    if "decoder" in config.stacks:
        sketch.stack = "decoder"
        _add_stack(model.target_embedding, model.decoder, model.decoder_norm, sketch)
    if model.output_transform is not None:
        add(model.output_transform, sketch)
    _add_on_top(sketch, model.output, "output", N_("Linear output"))
    if model.pointer is not None:
        add(model.pointer, sketch)


def _add_stack(
    embedding: Embedding, layers: nn.ModuleList, norm: nn.Module, sketch: Sketch
) -> None:
    add(embedding, sketch)
    for number, layer in enumerate(layers):
        with sketch.layer(number):
            for sublayer, residual in cast(Layer, layer).blocks():
                _add_block(sublayer, residual, sketch)
    add_norm(norm, sketch, f"{sketch.stack}.norm", N_("Final norm"), N_("{place}: {part}"))


def _add_block(sublayer: object, residual: Residual, sketch: Sketch) -> None:
    part, adds, norm = str(residual.site), residual.adds, residual.norm

    def added(x: str) -> str:
        return rf"{'x_l + ' if adds else ''}\mathrm{{Sublayer}}_l({x})"

    pre = residual.pre_norm
    made = added(normalised(norm, "x_l")) if pre else normalised(norm, added("x_l"))
    with sketch.residual(part, f"x_{{l+1}} = {made}"):
        if pre:
            title = N_("{place}: Norm before {part}")
            add_norm(norm, sketch, f"{part}.norm", N_("Norm"), title)
        add(sublayer, sketch)
        if not pre:
            label, title = N_("Norm"), N_("{place}: Norm after {part}")
            if adds:
                label, title = N_("Add & Norm"), N_("{place}: Add & Norm after {part}")
            add_norm(norm, sketch, f"{part}.norm", label, title)


@add.register
def _(embedding: Embedding, sketch: Sketch) -> None:
    """Add the token embedding, and the vectors added to it."""
    stack = embedding.site.stack
    name, label = f"{stack}.embedding", N_("Embedding")
    part = Part(id=name, label=label, group=EMBEDDINGS, site=embedding.site)
    sketch.add(part, embedding.tokens.parameters())
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
    part = Part(id=f"{sketch.stack}.{kind}", label=label, group=EMBEDDINGS)
    sketch.add(part, learned)


def _add_sublayer(sketch: Sketch, sublayer: nn.Module, label: str, group: str, count: str) -> None:
    """Add a sublayer without its norm."""
    site = cast(Sublayer, sublayer).site
    part = Part(id=str(site), label=label, group=group, count=count, site=site)
    sketch.add(part, sublayer.parameters())


def _add_on_top(sketch: Sketch, module: nn.Module, name: str, label: str, count: str = "") -> None:
    part = Part(id=name, title="{part}", label=label, group=EMBEDDINGS, count=count)
    sketch.add(part, module.parameters())


@add.register
def _(attention: SelfAttention, sketch: Sketch) -> None:
    label = N_("Masked self-attention") if attention.masked else N_("Self-attention")
    _add_sublayer(sketch, attention, label, ATTENTION, count_formula(attention))


@add.register
def _(attention: CrossAttention, sketch: Sketch) -> None:
    mixed = isinstance(attention.memory, MixedMemory)
    count = count_formula(attention) + (" + L" if mixed else "")
    _add_sublayer(sketch, attention, N_("Cross-attention"), ATTENTION, count)


@add.register
def _(feed_forward: FeedForward, sketch: Sketch) -> None:
    n = 2 if feed_forward.gate is None else 3
    biased = feed_forward.expand.bias is not None
    biases = rf" + {'' if n == 2 else 2} d_{{f\!f}} + d" if biased else ""
    count = rf"{n} d\, d_{{f\!f}}{biases}"
    _add_sublayer(sketch, feed_forward, N_("Feed-forward"), FEED_FORWARD, count)


@add.register
def _(mixing: Mixing, sketch: Sketch) -> None:
    n = mixing.neighbours
    count = f"{n if n > 1 else ''} d^2 + d{mixing.tables}"
    _add_sublayer(sketch, mixing, mixing.label, MIXING, count)


@add.register
def _(own: OwnState, sketch: Sketch) -> None:
    mixed = isinstance(own.memory, MixedMemory)
    _add_sublayer(sketch, own, own.label, MIXING, "d^2 + d" + (" + L" if mixed else ""))


_UNITS = {
    ("gru", False): N_("Recurrent unit (GRU)"),
    ("gru", True): N_("Recurrent unit (bidirectional GRU)"),
    ("lstm", False): N_("Recurrent unit (LSTM)"),
    ("lstm", True): N_("Recurrent unit (bidirectional LSTM)"),
}


@add.register
def _(recurrence: Recurrence, sketch: Sketch) -> None:
    gates = 3 if recurrence.kind == "gru" else 4
    # Each direction maps the whole width to half of it.
    squares = r"\tfrac{3}{2}" if recurrence.two_way else "2"
    begun = "" if recurrence.begin is None else " + d^2 + d"
    label = _UNITS[recurrence.kind, recurrence.two_way]
    count = f"{gates} ({squares} d^2 + 2 d){begun}"
    _add_sublayer(sketch, recurrence, label, RECURRENCE, count)


def add_norm(norm: nn.Module, sketch: Sketch, part: str, label: str, title: str) -> None:
    """Add a norm with its `count`, if it has any; nothing for `nn.Identity`."""
    if isinstance(norm, nn.Identity):
        return
    count = getattr(norm, "count", "")
    made = Part(id=part, label=label, title=title, group=NORMS, count=count)
    sketch.add(made, norm.parameters())


@add.register
def _(length: LengthPrediction, sketch: Sketch) -> None:
    """Add the part, on top of the encoder."""
    _add_on_top(sketch, length, "length", N_("Length"), r"65\,d + 65")


@add.register
def _(transform: OutputTransform, sketch: Sketch) -> None:
    _add_on_top(sketch, transform, "output_transform", N_("Output transform"))


@add.register
def _(pointer: Pointer, sketch: Sketch) -> None:
    """Add the part, on top of the output."""
    _add_on_top(sketch, pointer, "pointer", N_("Pointer"), "2 d + 1")


@dataclass(frozen=True, slots=True)
class Description:
    """A model from bottom to top, the encoder first."""

    parts: tuple[Part, ...]

    @property
    def stacks(self) -> dict[Stack, int]:
        """Stack → number of layers."""
        layers = {(part.stack, part.layer) for part in self.parts if part.layer is not None}
        stacks = dict.fromkeys(part.stack for part in self.parts)
        return {each: sum(stack == each for stack, _layer in layers) for each in stacks}

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
        groups = dict.fromkeys((*GROUPS, *(part.group for part in self.parts)))
        return {
            group: sum(part.parameters for part in self.parts if part.group == group)
            for group in groups
        }


def describe(model: Transformer | ModelConfig) -> Description:
    """Describe a model; from a configuration, without allocating its weights."""
    asked = outline(model) if isinstance(model, ModelConfig) else model
    sketch = Sketch()
    add(asked, sketch)
    return Description(tuple(sketch.parts))
