"""The models whose drawings are looked at."""

from dataclasses import replace

from torch import nn

from core.config import ModelConfig
from core.describe import describe
from core.model import build
from pages.views.lessons.architecture import drawing
from tests.core.describe.invented import gated
from viz.architecture.architecture import Architecture

CONFIG = ModelConfig(137, 1, 1, 8, 8, 4)


def drawn(without="", *, gate=False, **changes) -> Architecture:
    """Return the drawing of a model, each stack of twelve equal layers; it may lack a stack."""
    config = replace(CONFIG, **changes)
    model = gated(config) if gate else build(config)
    if without:
        setattr(model, without, nn.ModuleList())
    return drawing(describe(model), {"encoder": 12, "decoder": 12})
