"""Layers: every part of the loaded model, what it costs, and what it does to a sentence."""

from pages.frame import lesson, opening
from pages.frame.lesson import View
from pages.frame.text import _
from pages.views.layers import architecture_parts, depth, norms, sublayers

VIEWS = (
    View(
        _("parts"),
        _(
            "The model as it is loaded, from the bottom up. Click a part: its shapes for this "
            "sentence, its parameters, its work."
        ),
        architecture_parts.parts_of_model,
    ),
    View(
        _("stream"),
        _(
            "Every sublayer adds to the residual stream. How long its vectors get, and how much of "
            "the token's own vector is left in them."
        ),
        depth.stream,
    ),
    View(
        _("lens"),
        _(
            "What the model would say if its layers ended here: the stream after each layer, read "
            "through the output matrix (logit lens)."
        ),
        depth.lens,
    ),
    View(
        _("norms"),
        _(
            "LayerNorm looks at one position at a time. BatchNorm on the same vectors would depend "
            "on the other sentences and on padding."
        ),
        norms.norms,
    ),
    View(
        _("units"),
        _(
            "The feed-forward layer's units after the ReLU: a unit fires where it is above 0, and "
            "each word fires others."
        ),
        sublayers.units,
    ),
    View(
        _("sides"),
        _(
            "Self-attention works from the left and mixes positions; the feed-forward layer works "
            "from the right and never does."
        ),
        sublayers.sides,
    ),
    View(
        _("counts"),
        _("Where the parameters are: in this model, and in every model of the paper's Table 3."),
        architecture_parts.counts,
    ),
)


def render() -> None:
    """Ask for a sentence and a view, and show it."""
    if (opened := opening.model_and_sentence()) is not None:
        lesson.show(VIEWS, opened, "layers")


if __name__ == "__main__":
    from app import main

    main()
