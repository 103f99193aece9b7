"""Heads in numbers, of models of many sizes: what tests of steps, stages, cells and terms share."""

from dataclasses import replace

import pytest
import torch

from core.describe.formulas import Stage
from core.heads import Head, Kind, Site
from core.model import build
from core.studies.heads.steps import head_steps

SENTENCE = "ab cd ef"
PLAIN = [
    stage
    for stage in Stage
    if stage not in (Stage.TURNED_QUERIES, Stage.TURNED_KEYS, Stage.POSITION_BIAS)
]
"""The stages of the paper's heads."""
SELF, CROSS = (Site.parse(at) for at in ("encoder.0.self", "decoder.0.cross"))
SIZES = {
    "trained, pre-norm": None,
    "post-norm, d_v ≠ d_k": {"norm": "post", "n_heads": 3, "d_k": 5, "d_v": 7},
    "pre-norm, d_v ≠ d_k": {"norm": "pre", "n_heads": 3, "d_k": 6, "d_v": 2},
    "1 × 1": {"n_encoder_layers": 1, "n_heads": 1, "d_k": 0, "d_v": 0},
    "12 × 16": {
        **{"n_encoder_layers": 12, "n_decoder_layers": 12, "n_heads": 16},
        **{"d_model": 32, "d_k": 0, "d_v": 0},
    },
}


def random_run(copy_run, sizes):
    """A run with random weights and biases; it writes until its positions are full."""
    config = replace(copy_run.settings.model, **{"max_positions": 12, **sizes})
    model = build(config, seed=3).eval()
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("bias"):
                parameter.copy_(torch.randn(parameter.shape, generator=generator))
    return replace(copy_run, settings=replace(copy_run.settings, model=config), model=model)


@pytest.fixture(scope="module", params=SIZES)
def run(request, copy_run):
    sizes = SIZES[request.param]
    return copy_run if sizes is None else random_run(copy_run, sizes)


@pytest.fixture(scope="module")
def uneven_run(copy_run):
    return random_run(copy_run, SIZES["post-norm, d_v ≠ d_k"])


@pytest.fixture(scope="module", params=list(Kind))
def steps(run, request):
    """The last head of the last layer of each kind."""
    sites = [site for site in run.model.sites() if site.attention == request.param]
    return head_steps(run, SENTENCE, Head(sites[-1], run.settings.model.n_heads - 1))
