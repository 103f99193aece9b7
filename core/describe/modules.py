"""The description of each module: its part of the drawing, shapes, formula and work.

`add` dispatches on the class of a module. A new kind of module is registered here; the
modules themselves only compute.
"""

from collections.abc import Iterable
from functools import singledispatch
from typing import cast

from torch import nn
from torch.nn import functional

from ..heads import Site
from ..messages import N_
from ..model.attention import MultiHeadAttention, attend
from ..model.layers import Layer, Residual
from ..model.memory import FirstMemory, MixedMemory, OneMemory, SameMemory
from ..model.mixing import Mixing
from ..model.output import N_DIFFERENCES, LengthPrediction, OutputTransform
from ..model.pointer import Pointer
from ..model.positional import Embedding
from ..model.recurrence import Recurrence
from ..model.sublayers import CrossAttention, FeedForward, SelfAttention
from ..model.transformer import Transformer
from .formulas import (
    ACTIVATIONS,
    count_formula,
    depth,
    hidden_formula,
    normalised,
    whole_formula,
)
from .parts import (
    ATTENTION,
    EMBEDDINGS,
    FEED_FORWARD,
    MIXING,
    NORMS,
    RECURRENCE,
    ArrowKind,
    Code,
    Part,
    Shapes,
    Sketch,
    products,
)


@singledispatch
def add(module: object, sketch: Sketch) -> None:
    """Add a module to the sketch of its model, in the order in which data goes through.

    Args:
        module: An instance of a registered class.
        sketch: The sketch of the model.
    """
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
    if config.has_output:
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
    add_norm(norm, sketch, f"{sketch.stack}.norm", N_("Final norm"), N_("{place}: {part}"), ())


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
            add_norm(norm, sketch, f"{part}.norm", N_("Norm"), title, (Residual,))
        add(sublayer, sketch)
        if adds and (pre or isinstance(norm, nn.Identity)):
            sketch.sum(f"{part}.sum")
        elif not pre:
            label, title = N_("Norm"), N_("{place}: Norm after {part}")
            if adds:
                label, title = N_("Add & Norm"), N_("{place}: Add & Norm after {part}")
            add_norm(norm, sketch, f"{part}.norm", label, title, (Residual,))


@add.register
def _(embedding: Embedding, sketch: Sketch) -> None:
    """Add the token embedding, and the vectors added to it."""
    stack = embedding.site.stack
    scale = r"\sqrt{d_{model}}\; " if embedding.scale != 1 else ""
    last = embedding.last_read
    names = rf",\quad E_w = E_{{{last}}} \text{{ for names, }} w \ge {last}"
    sketch.add(
        Part(
            id=f"{stack}.embedding",
            kind="embedding",
            label=N_("Embedding"),
            group=EMBEDDINGS,
            shapes=(("input", (sketch.length,)), ("output", sketch.stream)),
            formula=rf"x_t = {scale}E_{{w_t}}{'' if last is None else names}",
            code=(Embedding,),
            site=embedding.site,
        ),
        learned=embedding.tokens.parameters(),
    )
    if embedding.segments is not None:
        segments = embedding.segments.parameters()
        _add_beside(
            sketch, "segments", N_("Segments"), r"x_t \mathrel{+}= S_{s_t}", (Embedding,), segments
        )
    if embedding.positions_PD is not None:
        compute = embedding.compute_table
        learned = [] if compute else [cast(nn.Parameter, embedding.positions_PD)]
        code: Code = (Embedding, compute) if compute else (Embedding,)
        _add_beside(sketch, "positions", N_("Positions"), r"x_t \mathrel{+}= PE_t", code, learned)
    if embedding.norm is not None:
        label, title = N_("Embedding norm"), N_("{place}: {part}")
        add_norm(embedding.norm, sketch, f"{stack}.embedding_norm", label, title, (Embedding,))


def _add_beside(
    sketch: Sketch,
    kind: str,
    label: str,
    formula: str,
    code: Code,
    learned: Iterable[nn.Parameter],
) -> None:
    """Add vectors that are added to the stream."""
    stack, stream = sketch.stack, sketch.stream
    sketch.add(
        Part(
            id=f"{stack}.{kind}",
            kind=kind,
            label=label,
            group=EMBEDDINGS,
            shapes=(("input", stream), (kind, stream), ("output", stream)),
            formula=formula,
            code=code,
        ),
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
    formula: str,
    count: str = "",
    shapes: Shapes = (),
    multiply_adds: int = 0,
    code: Code = (),
    enters: tuple[ArrowKind, ...] = ("flow",),
) -> None:
    """Add a sublayer with its site, or a module on top of a stack, named by its kind.

    By default its class is the code, and input and output are the stream.
    """
    ends = {"input": sketch.stream} | dict(shapes)
    output = ends.pop("output", sketch.stream)
    part = Part(
        id=kind if site is None else str(site),
        kind=kind,
        title="{part}" if site is None else N_("{place}: {part}"),
        label=label,
        group=group,
        multiply_adds=multiply_adds,
        shapes=(*ends.items(), ("output", output)),
        formula=formula,
        count=count,
        code=code or (type(module),),
        site=site,
    )
    sketch.add(part, learned=() if module is None else module.parameters(), enters=enters)


@add.register
def _(attention: SelfAttention, sketch: Sketch) -> None:
    """Add the part; queries, keys and values come from the stream."""
    length = sketch.length
    _add_part(
        sketch,
        attention,
        attention.site,
        kind="self",
        label=N_("Masked self-attention") if attention.masked else N_("Self-attention"),
        group=ATTENTION,
        multiply_adds=attention_work(attention, length, length),
        shapes=_steps(attention, length, length),
        formula=whole_formula(attention, "x"),
        count=count_formula(attention),
        code=(MultiHeadAttention, attend),
        enters=("query", "key", "value"),
    )


@add.register
def _(attention: CrossAttention, sketch: Sketch) -> None:
    """Add the part; queries come from the stream, keys and values from the memory."""
    n_queries, n_keys = sketch.length, sketch.lengths.source
    memory = ("memory", (n_keys, attention.key.in_features))
    nodes, formula, count = _memory(attention.memory, sketch)
    _add_part(
        sketch,
        attention,
        attention.site,
        kind="cross",
        label=N_("Cross-attention"),
        group=ATTENTION,
        multiply_adds=attention_work(attention, n_queries, n_keys),
        shapes=(memory, *_steps(attention, n_queries, n_keys)),
        formula=whole_formula(attention, "memory") + formula,
        count=count_formula(attention) + count,
        code=(MultiHeadAttention, attend),
        enters=("query",),
    )
    for start in nodes:
        sketch.arrow("memory", start, str(attention.site))


def attention_work(attention: MultiHeadAttention, n_queries: int, n_keys: int) -> int:
    """Return the multiply-adds of a pass; a masked key counts like a visible one."""
    projected = products(attention.query, n_queries) + products(attention.output, n_queries)
    remembered = products(attention.key, n_keys) + products(attention.value, n_keys)
    d_k, d_v = attention.d_k, attention.d_v
    if attention.additive is not None:
        # W and U; v has as much as a dot product.
        projected += attention.additive.query_HEA.numel() * (n_queries + n_keys)
    if attention.scores == "linear" and not attention.site.attention.causal:
        # One sum over all keys for all queries, and one row of sums to divide by.
        mixed = d_k * d_v * (n_queries + n_keys) + n_queries * d_k
    else:
        mixed = n_queries * n_keys * (d_k + d_v)
    return projected + remembered + attention.n_heads * mixed


def _steps(attention: MultiHeadAttention, n_queries: int, n_keys: int) -> Shapes:
    """Return the sizes of an attention's steps; shared keys and values count once."""
    n_heads, n_kv_heads = attention.n_heads, attention.n_kv_heads
    return (
        ("query", (n_heads, n_queries, attention.d_k)),
        ("key", (n_kv_heads, n_keys, attention.d_k)),
        ("value", (n_kv_heads, n_keys, attention.d_v)),
        ("scores", (n_heads, n_queries, n_keys)),
        ("weights", (n_heads, n_queries, n_keys)),
        ("mixed", (n_heads, n_queries, attention.d_v)),
    )


def _memory(memory: OneMemory, sketch: Sketch) -> tuple[tuple[str, ...], str, str]:
    """Return the nodes that a decoder layer reads, their formula in LaTeX, and its parameters."""
    # The output of each encoder layer, of the last after its norm.
    ends = (*sketch.depths["encoder"][:-1], sketch.memory)
    config, text = sketch.config, r",\quad memory = "
    match memory:
        case FirstMemory():
            return ends[:1], text + depth(config, "0"), ""
        case SameMemory(layer=layer):
            return (ends[layer],), text + depth(config, str(layer)), ""
        case MixedMemory():
            mixed = rf"\sum_j \mathrm{{softmax}}(a)_j\, {depth(config, 'j')}"
            return ends, text + mixed, " + L"
    return (sketch.memory,), "", ""


@add.register
def _(feed_forward: FeedForward, sketch: Sketch) -> None:
    """Add the part."""
    length = sketch.length
    matrices = [feed_forward.gate, feed_forward.expand, feed_forward.contract]
    there = [each for each in matrices if each is not None]
    biased, n = feed_forward.expand.bias is not None, len(there)
    hidden = hidden_formula(feed_forward)
    biases = rf" + {'' if n == 2 else 2} d_{{f\!f}} + d" if biased else ""
    _add_part(
        sketch,
        feed_forward,
        feed_forward.site,
        kind="feed_forward",
        label=N_("Feed-forward"),
        group=FEED_FORWARD,
        multiply_adds=sum(products(each, length) for each in there),
        shapes=(("hidden", (length, feed_forward.expand.out_features)),),
        formula=rf"{hidden if n == 2 else f'({hidden})'}\, W_2{' + b_2' if biased else ''}",
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
        multiply_adds=products(mixing.value, sketch.length),
        formula=mixing.formulas[mixing.site.stack == "decoder"],
        count=f"{n if n > 1 else ''} d^2 + d",
    )


_UNITS = {
    ("gru", False): N_("Recurrent unit (GRU)"),
    ("gru", True): N_("Recurrent unit (bidirectional GRU)"),
    ("lstm", False): N_("Recurrent unit (LSTM)"),
    ("lstm", True): N_("Recurrent unit (bidirectional LSTM)"),
}
_RECURRENT = {
    "gru": r"h_t = (1 - z_t) \odot n_t + z_t \odot h_{t-1},\quad "
    r"n_t = \tanh(W x_t + b + r_t \odot (U h_{t-1} + c)),\quad "
    r"z_t, r_t = \sigma(W_{z,r} x_t + U_{z,r} h_{t-1} + b_{z,r})",
    "lstm": r"h_t = o_t \odot \tanh(c_t),\quad c_t = f_t \odot c_{t-1} + i_t \odot g_t,\quad "
    r"g_t = \tanh(W x_t + U h_{t-1} + b),\quad "
    r"i_t, f_t, o_t = \sigma(W_{i,f,o}\, x_t + U_{i,f,o}\, h_{t-1} + b_{i,f,o})",
}


@add.register
def _(recurrence: Recurrence, sketch: Sketch) -> None:
    """Add the part."""
    matrices = [each for each in recurrence.parameters() if each.ndim == 2]
    # A decoder's initial state is computed once.
    once = 0 if recurrence.begin is None else recurrence.begin.weight.numel()
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
        multiply_adds=(sum(each.numel() for each in matrices) - once) * sketch.length + once,
        shapes=(("state", sketch.stream),),
        formula=_RECURRENT[recurrence.kind],
        count=f"{gates} ({squares} d^2 + 2 d){begun}",
    )


def add_norm(
    norm: nn.Module, sketch: Sketch, part: str, label: str, title: str, code: Code
) -> None:
    """Add a norm with its `formula` and `count`, if it has any; nothing for `nn.Identity`."""
    if isinstance(norm, nn.Identity):
        return
    sketch.add(
        Part(
            id=part,
            kind="norm",
            label=label,
            title=title,
            group=NORMS,
            shapes=(("input", sketch.stream), ("output", sketch.stream)),
            formula=getattr(norm, "formula", ""),
            count=getattr(norm, "count", ""),
            code=(*code, type(norm)),
        ),
        learned=norm.parameters(),
    )


@add.register
def _(length: LengthPrediction, sketch: Sketch) -> None:
    """Add the part, on top of the encoder."""
    _add_part(
        sketch,
        length,
        kind="length",
        label=N_("Length"),
        multiply_adds=products(length.linear, 1),
        shapes=(("output", (1, N_DIFFERENCES)),),
        formula=r"P(n_{target} - n_{source} = \delta) = \mathrm{softmax}\big(W \tfrac{1}{S} "
        r"\sum_i m_i + b\big)_\delta, \quad -32 \le \delta \le 32",
        count=r"65\,d + 65",
    )


@add.register
def _(transform: OutputTransform, sketch: Sketch) -> None:
    """Add the part."""
    activated = ACTIVATIONS[transform.activation].format(x="W x + b")
    _add_part(
        sketch,
        transform,
        kind="output_transform",
        label=N_("Output transform"),
        multiply_adds=products(transform.dense, sketch.length),
        formula=rf"\mathrm{{LayerNorm}}({activated})",
    )


def _add_output(model: Transformer, sketch: Sketch) -> None:
    """Add the output projection, the softmax and a pointer, up to the probabilities."""
    vocabulary = (sketch.length, model.output.out_features)
    scale = r"\, / \sqrt{d_{model}}" if model.config.logit_scale else ""
    bias = " + b" if model.config.logit_bias else ""
    _add_part(
        sketch,
        model.output,
        kind="output",
        label=N_("Linear output"),
        multiply_adds=products(model.output, sketch.length),
        shapes=(("output", vocabulary),),
        formula=rf"z = W x{scale}{bias} \quad (W = E \text{{ where the matrices are shared}})",
    )
    _add_part(
        sketch,
        None,
        kind="softmax",
        group="",
        label=N_("Softmax"),
        shapes=(("input", vocabulary), ("output", vocabulary)),
        formula=r"p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}",
        code=(functional.softmax,),
    )
    if model.pointer is not None:
        add(model.pointer, sketch)
    sketch.tokens("probabilities", N_("probabilities"))


@add.register
def _(pointer: Pointer, sketch: Sketch) -> None:
    """Add the part, between the softmax and the probabilities."""
    n_source = sketch.lengths.source
    vocabulary = (sketch.length, sketch.config.n_target_tokens)
    copying = sketch.length * n_source * sketch.d_model
    _add_part(
        sketch,
        pointer,
        kind="pointer",
        label=N_("Pointer"),
        multiply_adds=products(pointer.gate, sketch.length) + copying,
        shapes=(
            ("input", vocabulary),
            ("weights", (sketch.length, n_source)),
            ("memory", (n_source, sketch.d_model)),
            ("output", vocabulary),
        ),
        formula=r"P(w) = p_{gen} P_{vocab}(w) + (1 - p_{gen}) \sum_{i:\, x_i = w} a_i, \quad "
        r"p_{gen} = \sigma(w_h \cdot h^* + w_s \cdot s + b), \quad h^* = \sum_i a_i m_i",
        count="2 d + 1",
    )
    sketch.arrow("memory", sketch.memory, "pointer")
