"""What PyTorch makes of a model as a graph: no branch depends on data, and no number changes."""

import pytest
import torch

from core.config import ModelConfig
from core.model.building import build
from core.runs.run import load_run
from tests.core.conftest import GALLERY

NAMES = sorted(path.parent.name for path in GALLERY.glob("*/run.json"))
QUICK = ("decoder alone",)
FORMS = {
    "encoder alone": {"n_decoder_layers": 0},
    "decoder alone": {"n_encoder_layers": 0},
}

CASES = [
    name if name in QUICK else pytest.param(name, marks=pytest.mark.slow)
    for name in (*NAMES, *FORMS)
]


def model_of(name):
    if name in FORMS:
        sizes = {"n_encoder_layers": 1, "n_decoder_layers": 1} | FORMS[name]
        return build(ModelConfig(20, **sizes, d_model=16, d_ff=32, n_heads=2)).eval()
    return load_run(GALLERY / name).model


# PyTorch asks for this where there is a recurrent unit.
@torch._dynamo.config.patch(allow_rnn=True)
@pytest.mark.parametrize("name", CASES)
def test_a_model_is_one_graph(name):
    torch._dynamo.reset()
    model = model_of(name)
    source_BS = torch.tensor([[5, 6, 7, 2], [5, 6, 2, 0]]) if model.encoder else None
    target_BT = torch.tensor([[1, 5, 6], [1, 7, 0]]) if model.decoder else None
    with torch.no_grad():
        expected_BTV = model(source_BS, target_BT)
        exported = torch.export.export(model, (source_BS, target_BT)).module()
        compiled = torch.compile(model, fullgraph=True, backend="eager")
        for graph in (exported, compiled):
            torch.testing.assert_close(graph(source_BS, target_BT), expected_BTV)
