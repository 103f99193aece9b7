"""The models whose drawings are looked at."""

from torch import nn

from core.config import ModelConfig
from core.describe import describe
from core.model import build
from tests.core.describe.invented import gated


def described(encoder=3, decoder=2, norm="post", *, tied=True, gate=False, memory="last"):
    """Return what a model with so many layers says of itself; a stack may have none."""
    layers = (max(encoder, 1), max(decoder, 1))
    config = ModelConfig(137, *layers, 8, 8, 4, norm=norm, tied=tied, memory=memory)
    model = gated(config) if gate else build(config)
    if not encoder:
        model.encoder = nn.ModuleList()
    if not decoder:
        model.decoder = nn.ModuleList()
    return describe(model, 12, 15)
