from dataclasses import replace

import numpy as np
import pytest

from core.heads import Head, Kind
from core.runs.run import load_run
from core.studies.heads.question import Role, Score
from core.studies.heads.roles import HeadRole, Measure, roles_of_heads
from pages.views.heads import head_map, role_names
from tests.pages.conftest import ROOT, component
from tests.viz.unpacked import unpack_matrices as unpack

NOTHING = Measure(0.5, 0.1)
N = 400


def role_of(role, *, offset=-1, head="encoder.0.self:0"):
    score = {} if role is None else {role: Score(0.9, 0.1, "any key", 100)}
    return HeadRole(
        head=Head.parse(head),
        scores=score,
        offset=offset,
        entropy=NOTHING,
        evenness=NOTHING,
        distance=NOTHING,
        confidence=NOTHING,
        n_rows=100,
        n_sentences=10,
    )


@pytest.mark.parametrize(
    ("role", "tile"),
    [
        (role_of(None), "·"),
        (role_of(Role.ANTECEDENT), "antecedent"),
        (role_of(Role.POSITIONAL), "1 back"),
        (role_of(Role.POSITIONAL, offset=2), "2 on"),
        (role_of(Role.POSITIONAL, offset=0), "itself"),
        (role_of(Role.POSITIONAL, offset=0, head="decoder.0.cross:0"), "same place"),
    ],
)
def test_a_tile_names_the_leading_role(role, tile):
    assert head_map.tile(role) == tile


def test_every_role_has_a_word_that_fits_into_a_tile():
    for role in role_names.NAMES:
        assert 1 < len(head_map.tile(role_of(role))) <= 11


def test_a_role_that_does_not_beat_its_baseline_is_not_named():
    weak = replace(role_of(None), scores={Role.NEXT: Score(0.5, 0.49, "any key", 100)})
    assert head_map.tile(weak) == head_map.NO_ROLE


def test_tiles_are_the_heads_by_layer_with_their_mean_largest_weight(open_page):
    at = open_page("heads", trial="head", model="copy", sentence="a b c", kind="decoder.cross")
    [panel] = unpack(component(at, "matrices").bytes).panels
    found = roles_of_heads(load_run(ROOT / "gallery" / "copy"), N).heads
    cross = {each.head: each for each in found if each.head.kind is Kind.CROSS}
    expected = [
        [cross[Head(Kind.CROSS.site(layer), index)] for index in range(4)] for layer in range(2)
    ]
    weights = np.array([[each.confidence.value for each in row] for row in expected])
    assert panel.values == pytest.approx(weights.astype(np.float32))
    assert panel.texts == [[head_map.tile(each) for each in row] for row in expected]
