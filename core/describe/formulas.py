"""What modules compute, in LaTeX: attention stage by stage, and what it learns."""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum

from torch import nn

from ..config import ModelConfig
from ..config.choices import Activation, Scores, Shared
from ..model.attention import MultiHeadAttention, Unprojected
from ..model.norm import norm_of
from ..model.sublayers import FeedForward


class Stage(StrEnum):
    """The stages of one head, in order."""

    QUERIES = "queries"
    TURNED_QUERIES = "turned_queries"
    """Only with rotary positions, as the keys'."""
    KEYS = "keys"
    TURNED_KEYS = "turned_keys"
    VALUES = "values"
    PRODUCTS = "products"
    SCALE = "scale"
    """Only if products are divided."""
    POSITION_BIAS = "position_bias"
    """Only with a position bias."""
    MASK = "mask"
    SOFTMAX = "softmax"
    MIX = "mix"
    CONCATENATE = "concatenate"
    OUTPUT = "output"


SHARED: Mapping[Shared, Mapping[str, str]] = {
    "nothing": {},
    "qk": {"K": "Q"},
    "kv": {"V": "K"},
    "qkv": {"K": "Q", "V": "Q"},
}
"""Shared projection → the one whose name it takes."""


def memory_symbol(attention: MultiHeadAttention) -> str:
    """Return what keys and values are computed from: x, the sequence itself, or m, the memory."""
    return "x" if attention.site.is_self else "m"


def _is_absent(projection: nn.Linear) -> bool:
    return isinstance(projection, Unprojected)


def formulas(attention: MultiHeadAttention, head: int) -> Mapping[Stage, str]:
    """Return the stages of a head in order, each with its formula in LaTeX."""
    given, d_model = memory_symbol(attention), attention.query.in_features
    d_k, d_v = attention.d_k, attention.d_v
    last = attention.n_heads - 1
    joined = r"\text{head}_0" + (rf"\cdots \text{{head}}_{{{last}}}" if last else "")
    q, k = ("q'", "k'") if attention.rotary is not None else ("q", "k")
    # A shared projection has the name of the first.
    named = {**{name: name for name in "QKVO"}, **SHARED[attention.shared]}
    biases = {name: attention.query.bias for name in "QKV"} | {"O": attention.output.bias}
    b = {n: f" + b^{own}" if biases[n] is not None else "" for n, own in named.items()}
    w_k, w_v = f"W^{named['K']}", f"W^{named['V']}"
    turned = r"R_{%s}\, %s_{%s}, \quad R: \text{turns each pair by an angle of its position}"
    scored = rf"{q}_i \cdot {k}_j"
    root = rf"\sqrt{{{d_k}}}" if attention.divisor is None else ""
    divided = rf"{scored} \,/ \sqrt{{d_k}} = {scored} \,/ {root} = " if root else ""
    found = {
        Stage.QUERIES: rf"q_i = x_i W^Q{b['Q']}, \quad W^Q: {d_model} \times {d_k}",
        Stage.TURNED_QUERIES: "q'_i = " + turned % ("i", "q", "i"),
        Stage.KEYS: rf"k_j = {given}_j {w_k}{b['K']}, \quad {w_k}: {d_model} \times {d_k}",
        Stage.TURNED_KEYS: "k'_j = " + turned % ("j", "k", "j"),
        Stage.VALUES: rf"v_j = {given}_j {w_v}{b['V']}, \quad {w_v}: {d_model} \times {d_v}",
        Stage.PRODUCTS: rf"{scored} = \sum_{{e=0}}^{{{d_k - 1}}} {q}_{{ie}}\, {k}_{{je}}",
        Stage.SCALE: rf"s_{{ij}} = {divided}{scored} \,/\, {attention.divided_by:.3g}",
        Stage.POSITION_BIAS: rf"s_{{ij}} = {scored} + B_{{ij}}, \quad "
        r"B_{ij}: \text{learned, for the distance } j - i",
        Stage.MASK: r"s_{ij} + M_{ij}, \quad M_{ij} = 0 \text{ if visible, else } {-\infty}",
        Stage.SOFTMAX: r"w_{ij} = e^{s_{ij} + M_{ij}} \,/ \sum_{j'} e^{s_{ij'} + M_{ij'}}",
        Stage.MIX: rf"\text{{head}}_{{{head},i}} = \sum_j w_{{ij}}\, v_j",
        Stage.CONCATENATE: rf"[\,{joined}\,], \quad "
        rf"{attention.n_heads} \times {d_v} = {attention.n_heads * d_v}",
        Stage.OUTPUT: rf"[\,{joined}\,]\, W^O{b['O']} = "
        rf"\sum_h \text{{head}}_h W^O_h{b['O']}",
    }
    if _is_absent(attention.query):
        columns = rf"\quad \text{{columns }} {head * d_k} \dots {(head + 1) * d_k - 1}"
        found[Stage.QUERIES] = rf"q_i = x_i{columns}"
        found[Stage.KEYS] = rf"k_j = {given}_j{columns}"
        found[Stage.VALUES] = rf"v_j = {given}_j{columns}"
    if _is_absent(attention.output):
        found[Stage.OUTPUT] = r"\text{as they stand side by side: no } W^O"
    found |= _OTHER_SCORES.get(attention.scores, {})
    missing = {
        Stage.TURNED_QUERIES: attention.rotary is None,
        Stage.TURNED_KEYS: attention.rotary is None,
        Stage.SCALE: attention.divided_by == 1,
        Stage.POSITION_BIAS: not attention.has_bias_of_distances,
    }
    return {stage: text for stage, text in found.items() if not missing.get(stage)}


_OTHER_SCORES: Mapping[str, Mapping[Stage, str]] = {
    "additive": {Stage.PRODUCTS: r"s_{ij} = v \cdot \tanh(W q_i + U k_j)"},
    "linear": {
        Stage.PRODUCTS: r"s_{ij} = \phi(q_i) \cdot \phi(k_j), \quad \phi(x) = \mathrm{elu}(x) + 1",
        Stage.MASK: r"s_{ij}\, M_{ij}, \quad M_{ij} = 1 \text{ if visible, else } 0",
        Stage.SOFTMAX: r"w_{ij} = s_{ij}\, M_{ij} \,/ \sum_{j'} s_{ij'}\, M_{ij'}",
    },
}
"""Setting → stages that differ from those of dot products."""


def count_formula(attention: MultiHeadAttention) -> str:
    """Return the sublayer's number of parameters, in LaTeX."""
    grouped = attention.n_kv_heads != attention.n_heads
    keys, values = ("g d_k", "g d_v") if grouped else ("h d_k", "h d_v")
    made = {"nothing": ["h d_k", keys, values], "qkv": ["h d_k"]}.get(
        attention.shared, ["h d_k", "h d_k"]
    )
    projects_output = not _is_absent(attention.output)
    learned = [] if _is_absent(attention.query) else made
    biases, weights = _sum(learned), _sum([*learned, *["h d_v"] * projects_output])
    compared = "h (2 d_k d_k + d_k)" if attention.additive is not None else ""
    if not weights:
        return compared or "0"
    biased = attention.query.bias is not None or attention.output.bias is not None
    terms = [f"d ({weights})"]
    if biased:
        terms += [biases] * bool(biases) + ["d"] * projects_output
    terms += [compared] * bool(compared)
    return " + ".join(terms) + (rf" \quad (g = {attention.n_kv_heads})" if grouped else "")


def _sum(terms: list[str]) -> str:
    """Return a sum in which equal terms are counted.

    >>> _sum(["a", "b", "a"])
    '2 a + b'
    """
    counts = Counter(terms)
    return " + ".join(f"{f'{n} ' if n > 1 else ''}{term}" for term, n in counts.items())


def normalised(norm: nn.Module, x: str) -> str:
    r"""Return a norm applied to x, in LaTeX, by the name of its class.

    >>> normalised(nn.RMSNorm(4), "x_l"), normalised(nn.Identity(), "x_l")
    ('\\mathrm{RMSNorm}(x_l)', 'x_l')
    """
    if isinstance(norm, nn.Identity):
        return x
    name = type(norm).__name__.replace("_", r"\_")
    return rf"\mathrm{{{name}}}({x})"


def sublayer_input(config: ModelConfig, x: str) -> str:
    r"""Return a sublayer's input from the stream x, in LaTeX; its norm with pre-norm.

    >>> [sublayer_input(ModelConfig(vocab_size=9, norm=each), "x") for each in ("pre", "post")]
    ['\\mathrm{LayerNorm}(x)', 'x']
    """
    return normalised(norm_of(config), x) if config.norm == "pre" else x


ACTIVATIONS: Mapping[Activation, str] = {
    "relu": r"\max(0,\, {x})",
    "gelu": r"\mathrm{{GELU}}({x})",
    "gelu_tanh": r"\mathrm{{GELU}}_{{\tanh}}({x})",
    "silu": r"\mathrm{{SiLU}}({x})",
}
"""Activation → formula of the units of a feed-forward layer, of x."""


def hidden_formula(feed_forward: FeedForward) -> str:
    """Return the formula of the hidden units."""
    biased = feed_forward.expand.bias is not None
    b_1, b_g = (r" + b_1", r" + b_g") if biased else ("", "")
    if feed_forward.gate is not None:
        act = ACTIVATIONS[feed_forward.activation].format(x=f"x W_g{b_g}")
        return rf"{act} \odot (x W_1{b_1})"
    return ACTIVATIONS[feed_forward.activation].format(x=f"x W_1{b_1}")


WEIGHTS: Mapping[Scores, str] = {
    "dot": r"\mathrm{softmax}\!\left(\tfrac{Q_h K_h^\top}{\sqrt{d_k}} + M\right)",
    "additive": r"\mathrm{softmax}\!\left(A_h + M\right),\ "
    r"A_{h,ij} = v_h \cdot \tanh(W_h\, q_i + U_h\, k_j)",
    "linear": r"\left(\tfrac{\phi(q_i) \cdot \phi(k_j)}{\sum_{j'} \phi(q_i) \cdot \phi(k_{j'})}"
    r"\right)_{\!ij},\ \phi(x) = \mathrm{elu}(x) + 1,\ j, j' \text{ visible}",
}
"""Setting → the weights of a head in LaTeX."""
