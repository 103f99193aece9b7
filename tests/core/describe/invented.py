"""A model with a sublayer that the project does not know."""

from torch import nn

from core.describe.modules import add
from core.describe.parts import Part, Sketch
from core.heads import Site
from core.model import build
from core.model.layers import Layer


class Gate(nn.Module):
    """x ⊙ σ(x W): each position lets through what it will of itself."""

    def __init__(self, config, site):
        super().__init__()
        self.site = site
        self.weigh = nn.Linear(config.d_model, config.d_model, bias=False)

    def added(self, x_BKD, inputs, probe):
        return x_BKD * self.weigh(x_BKD).sigmoid()


@add.register
def _(gate: Gate, sketch: Sketch) -> None:
    sketch.add(
        Part(
            id=str(gate.site),
            label="Gate",
            group="gates",
            count="d^2",
            site=gate.site,
        ),
        learned=gate.parameters(),
    )


def gated(config, seed=0):
    """A model with a gate after the self-attention of the first layer of each stack."""
    model = build(config, seed).eval()
    for stack, layers in (("encoder", model.encoder), ("decoder", model.decoder)):
        sublayers = {type(each).__name__: each for each, _ in layers[0].blocks()}
        gate = {"gate": Gate(config, Site(stack, 0, "gate"))}
        first, *others = sublayers.items()
        layers[0] = Layer(config, dict([first]) | gate | dict(others)).eval()
    return model
