import numpy as np
import pytest

from core.heads import Head
from core.runs.run import load_run
from core.studies.heads.stages import panels
from core.studies.heads.steps import head_steps
from tests.core.studies.heads.conftest import PLAIN
from tests.pages.conftest import ROOT
from tests.pages.views.attention.test_steps import (
    KINDS,
    LOOKED,
    STEPS,
    TIRED,
    element,
    shown,
    texts,
)


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate")


@pytest.fixture
def open_steps(open_view):
    """Return a function that opens the view, by default on one head of a run without guidance."""
    return lambda **query_params: open_view("steps", **(LOOKED | query_params))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stage", PLAIN)
def test_every_matrix_is_the_heads_own(open_steps, run, kind, stage):
    at, _ = open_steps(kind=kind, stage=stage.value)
    steps = head_steps(run, TIRED, Head(KINDS[kind], 2))
    for matrix, panel in zip(shown(at).panels, panels(steps, stage), strict=True):
        seen = np.isfinite(panel.values)
        np.testing.assert_array_equal(matrix.values[seen], panel.values[seen])
        if panel.name in ("masked", "w") and not steps.visible_QK.all():
            np.testing.assert_array_equal(matrix.visible, steps.visible_QK)
        else:
            assert matrix.visible is None
        assert matrix.scale == ("weight" if panel.name == "w" else "signed")
        assert matrix.limit >= abs(matrix.values[seen]).max()


def test_what_is_compared_has_one_scale_and_weights_go_from_0_to_1(open_steps):
    at, _ = open_steps(stage="÷ √d_k")
    scores, products = shown(at).panels
    assert products.limit == scores.limit == pytest.approx(abs(products.values).max())
    at.segmented_control(key="stage").set_value("W^O").run()
    added, *_, term = shown(at).panels
    most = max(abs(term.values).max(), abs(added.values).max())
    assert term.limit == added.limit == pytest.approx(most)
    at.segmented_control(key="stage").set_value("softmax").run()
    assert shown(at).panels[0].limit == 1.0


def test_rows_and_columns_are_the_words_that_look_and_are_looked_at(open_steps):
    at, _ = open_steps(kind="cross", stage="q·k")
    products, query, key = shown(at).panels
    assert texts(query.rows) == texts(products.rows)
    assert texts(products.rows)[:2] == ["BOS", "L'"]
    assert texts(key.columns) == texts(products.columns)
    assert texts(products.columns)[:2] == ["The", "animal"]
    assert (products.rows.side, products.columns.side) == ("target", "source")


def test_a_stage_of_128_tokens_at_the_paper_s_width_has_at_most_a_megabyte(open_view, own_random):
    own_random(n_encoder_layers=1, n_decoder_layers=1, n_heads=8, d_model=512, max_positions=128)
    for stage in PLAIN:
        at, _ = open_view("steps", model="runs/random", sentence="a b " * 80, stage=stage.value)
        assert shown(at).panels[0].values.shape[0] == 128
        assert len(element(at, STEPS).bytes) <= 1e6
