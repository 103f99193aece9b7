from core.heads import Site
from pages.views.scaling.per_head import columns

ENCODER, CROSS = Site("encoder", 0, "self"), Site("decoder", 1, "cross")


def test_every_head_has_a_row_under_its_own_name():
    unscaled, scaled = {ENCODER: (4.0, 8.0), CROSS: (2.0,)}, {ENCODER: (1.0, 2.0), CROSS: (0.5,)}
    assert columns(unscaled, scaled) == {
        "head": ["encoder.0.self:0", "encoder.0.self:1", "decoder.1.cross:0"],
        "unscaled": [4.0, 8.0, 2.0],
        "scaled": [1.0, 2.0, 0.5],
    }
