from core.config import ModelConfig
from core.describe import describe
from pages.views.lessons.architecture import drawing
from tests.core.describe.invented import gated

CONFIG = ModelConfig(30, 2, 2, 16, 32, 4, max_positions=24)


def named(model):
    shown = drawing(describe(model, 6, 5), "encoder.0.self")
    return {node.id: node for node in shown.nodes}


def test_every_part_says_what_it_is_and_where():
    names = {each: node.name for each, node in named(CONFIG).items() if node.shape == "part"}
    assert names["encoder.embedding"] == "encoder: Embedding"
    assert names["encoder.1.self"] == "encoder layer 1: Self-attention"
    assert names["decoder.0.self"] == "decoder layer 0: Masked self-attention"
    assert names["decoder.1.cross.norm"] == "decoder layer 1: Add & Norm after Cross-attention"
    assert names["output"] == "Linear output"
    pre = named(ModelConfig(30, 1, 1, 16, 32, 4, norm="pre"))
    assert pre["decoder.0.self.norm"].name == ("decoder layer 0: Norm before Masked self-attention")
    assert pre["encoder.norm"].name == "encoder: Final norm"
    assert pre["encoder.norm"].label == "Final norm"


def test_an_invented_sublayer_is_drawn_without_being_known():
    nodes = named(gated(CONFIG))
    for stack in ("encoder", "decoder"):
        gate = nodes[f"{stack}.0.gate"]
        assert (gate.label, gate.name) == ("Gate", f"{stack} layer 0: Gate")
        assert nodes[f"{stack}.0.gate.norm"].name == f"{stack} layer 0: Add & Norm after Gate"
        assert f"{stack}.1.gate" not in nodes
    assert nodes["encoder.0.gate"].detail == "6 × 16"
