"""Models that were never trained, one that was, and what a word loses, computed in float64."""

import math

import numpy as np
import pytest
import torch

from core.batch import pad
from core.config import ModelConfig
from core.model import build
from core.vocabulary import EOS

SOURCE, TARGET = (5, 9, 6, 7, 8, EOS), (11, 6, 13, 10, EOS)


def made(seed=0, norm="pre", **sizes):
    """A model that was never trained, with weights loud enough that words are far from equal."""
    sizes = dict(n_encoder_layers=2, n_decoder_layers=2, d_model=8, d_ff=16, n_heads=2) | sizes
    model = build(ModelConfig(vocab_size=20, norm=norm, **sizes), seed).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 2:
                parameter *= 2
    return model


MODELS = [made(0), made(1, "post"), made(2, positions="learned", max_positions=8), made(3, d_v=3)]


@pytest.fixture(scope="module", params=range(len(MODELS)))
def model(request):
    return MODELS[request.param]


def log_probability(model, source, target):
    """In float64, over the words that can be target: neither PAD nor BOS."""
    logits = model(pad([source]), pad([target.fed_ids]))[0, -1].detach().double().numpy()[2:]
    return logits[target.token - 2] - math.log(np.exp(logits).sum())
