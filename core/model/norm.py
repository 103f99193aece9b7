"""Norms: what keeps the vectors of the residual stream within bounds."""

from torch import nn

from core.config import ModelConfig
from core.model.part import NORMS, Code, Part, Sketch


class LayerNorm(nn.LayerNorm):
    """Brings each position's vector to mean 0 and variance 1, then learned gain and bias.

    (x - μ) / √(σ² + ε) ⊙ g + b over the features (Ba, Kiros & Hinton 2016).
    """

    formula = r"\frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} \odot g + b"
    count = "2 d"


class RMSNorm(nn.RMSNorm):
    """Divides each position's vector by its root mean square, then learned gain: no mean, no bias.

    x / √(mean(x²) + ε) ⊙ g over the features (Zhang & Sennrich 2019).
    """

    formula = r"\frac{x}{\sqrt{\overline{x^2} + \epsilon}} \odot g"
    count = "d"


def norm_of(config: ModelConfig) -> nn.Module:
    """Return a norm of the model's width, of its kind; what lets all pass where there is none."""
    if config.norm_kind == "none":
        return nn.Identity()
    kinds = {"layer": LayerNorm, "rms": RMSNorm}
    return kinds[config.norm_kind](config.d_model, eps=config.norm_eps)


def normalised(norm: nn.Module, x: str) -> str:
    r"""Return what a norm makes of x, in LaTeX, under the name of its class.

    >>> normalised(nn.RMSNorm(4), "x_l"), normalised(nn.Identity(), "x_l")
    ('\\mathrm{RMSNorm}(x_l)', 'x_l')
    """
    if isinstance(norm, nn.Identity):
        return x
    name = type(norm).__name__.replace("_", r"\_")
    return rf"\mathrm{{{name}}}({x})"


def describe_norm(
    norm: nn.Module, sketch: Sketch, part: str, label: str, title: str, code: Code
) -> None:
    """Add a norm to a sketch, whatever its kind; nothing where there is none (`nn.Identity`).

    Args:
        norm: One that says its formula, or any other.
        sketch: Of the model.
        part: Its id.
        label: A message to translate.
        title: As in `Part`.
        code: Where it is called.
    """
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
