"""How the stream becomes scores and probabilities, and what stands before that in some models."""

from torch import Tensor, nn
from torch.nn import functional

from core.config import ModelConfig
from core.messages import N_
from core.model.norm import norm_of
from core.model.part import EMBEDDINGS, Part, Sketch, products
from core.model.pointer import Pointer
from core.model.sublayers import ACTIVATIONS, FORMULAS


class OutputTransform(nn.Module):
    """Norm(act(W x + b)): what a masked language model makes of a place before it scores words.

    Devlin et al. 2019; it is in BERT's code, not in the paper.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.activation = config.activation
        self.dense = nn.Linear(config.d_model, config.d_model)
        self.norm = norm_of(config)

    def forward(self, x_BKD: Tensor) -> Tensor:
        """Return transformed_BKD."""
        transformed_BKD: Tensor = self.norm(ACTIVATIONS[self.activation](self.dense(x_BKD)))
        return transformed_BKD

    def describe(self, sketch: Sketch) -> None:
        """Add the part."""
        activated = FORMULAS[self.activation].format(x="W x + b")
        sketch.add(
            Part(
                id="output_transform",
                kind="output_transform",
                title="{part}",
                label=N_("Output transform"),
                group=EMBEDDINGS,
                multiply_adds=products(self.dense, sketch.length),
                shapes=(("input", sketch.stream), ("output", sketch.stream)),
                formula=rf"\mathrm{{LayerNorm}}({activated})",
                code=(OutputTransform,),
            ),
            learned=self.parameters(),
        )


def describe_output(
    sketch: Sketch, output: nn.Linear, config: ModelConfig, pointer: Pointer | None = None
) -> None:
    """Add the output projection, the softmax and a pointer, up to the probabilities."""
    vocabulary = (sketch.length, output.out_features)
    scale = r"\, / \sqrt{d_{model}}" if config.logit_scale else ""
    bias = " + b" if config.logit_bias else ""
    shared = r"\quad (W = E \text{ where the matrices are shared})"
    sketch.add(
        Part(
            id="output",
            kind="output",
            title="{part}",
            label=N_("Linear output"),
            group=EMBEDDINGS,
            multiply_adds=products(output, sketch.length),
            shapes=(("input", sketch.stream), ("output", vocabulary)),
            formula=f"z = W x{scale}{bias} {shared}",
            code=(nn.Linear,),
        ),
        learned=output.parameters(),
    )
    sketch.add(
        Part(
            id="softmax",
            kind="softmax",
            title="{part}",
            label=N_("Softmax"),
            group="",
            shapes=(("input", vocabulary), ("output", vocabulary)),
            formula=r"p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}",
            code=(functional.softmax,),
        ),
    )
    if pointer is not None:
        pointer.describe(sketch, vocabulary)
    sketch.tokens("probabilities", N_("probabilities"))
