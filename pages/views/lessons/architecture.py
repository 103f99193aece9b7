"""What is drawn of a model, from what it says of itself."""

from collections.abc import Mapping
from functools import partial

from core.describe import Description
from core.describe.parts import Node, Part, Sum, Tokens
from core.heads import STACK_LABELS, Stack
from pages.frame.language import _, n_, number, short
from viz.architecture import architecture as picture
from viz.architecture.architecture import Architecture


def drawing(described: Description, repeated: Mapping[Stack, int]) -> Architecture:
    """Return the drawing of a model, each box with its number of parameters.

    Args:
        described: A model with one layer in each stack.
        repeated: Stack → how many layers its one layer stands for.
    """
    labels = {node.id: _(node.label) for node in described.nodes}
    return Architecture(
        stacks=[picture.Stack(stack, [_repeated(repeated[stack])]) for stack in described.stacks],
        nodes=[_node(node, labels) for node in described.nodes],
        arrows=[picture.Arrow(each.kind, each.start, each.end) for each in described.arrows],
        texts={name: _(text) for name, text in picture.DEFAULT_ARCHITECTURE_TEXTS.items()},
    )


def parameters(n: int) -> str:
    """Return a number of parameters in words.

    >>> parameters(251_968), parameters(6_738_415_616)
    ('251,968 parameters', '6,740 million parameters')
    """
    if n < 1_000_000:
        return n_("{n} parameter", "{n} parameters", n).format(n=number(n))
    text = n_("{n} million parameters", "{n} million parameters", round(n / 1_000_000))
    return text.format(n=short(n / 1_000_000))


def _node(node: Node, labels: dict[str, str]) -> picture.Node:
    """Return what is drawn of a node.

    Raises:
        TypeError: No shape is known for it.
    """
    placed = partial(picture.Node, id=node.id, stack=node.stack, layer=node.layer, block=node.block)
    match node:
        case Part():
            named = _(node.title).format(
                place=_place(node.stack, node.layer), part=labels[node.block or node.id]
            )
            return placed(
                shape="part",
                kind=node.kind,
                label=labels[node.id],
                name=named,
                detail=_count(node.parameters),
                group=node.group,
            )
        case Tokens():
            return placed(shape="tokens", label=labels[node.id], group=node.side)
        case Sum():
            return placed(shape="sum")
    raise TypeError(node)


def _count(n: int) -> str:
    """Return a number of parameters in few letters; empty for none."""
    if n < 1_000_000:
        return number(n) if n else ""
    return _("{n} M").format(n=short(n / 1e6))


def _repeated(n: int) -> str:
    return n_("{n} such layer", "{n} such layers", n).format(n=number(n))


def _place(stack: Stack, layer: int | None) -> str:
    name = _(STACK_LABELS[stack])
    return name if layer is None else _("{stack} layer {number}").format(stack=name, number=layer)
