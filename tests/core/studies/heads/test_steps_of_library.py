"""The steps of heads whose matrices are not known: what the numbers themselves say of them."""

import pytest

from core.describe.formulas import Stage
from core.heads import Head
from core.runs.run import load_run
from core.studies.heads.stages import cell_at, cell_of, panels, terms
from core.studies.heads.steps import head_steps

TEXT = "The animal did not cross the street."
COMMON = [Stage.MASK, Stage.SOFTMAX, Stage.MIX, Stage.CONCATENATE, Stage.OUTPUT]
FIRST = {
    "gpt2": [Stage.PRODUCTS, Stage.SCALE],
    "llama3": [Stage.PRODUCTS, Stage.SCALE],
    "bert": [Stage.PRODUCTS, Stage.SCALE],
    "marian": [Stage.PRODUCTS, Stage.SCALE],
    # In self-attention something is added to the products.
    "t5": [Stage.PRODUCTS],
}
"""Kind → its stages before those that all have."""


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=pytest.mark.slow if kind in ("t5", "marian") else ())
        for kind in FIRST
    ],
)
def test_every_number_comes_about_as_it_is_told(kind, opened_path):
    run = load_run(opened_path(kind))
    for site in run.model.sites():
        steps = head_steps(run, TEXT, Head(site, 3))
        first = [] if kind == "t5" and site.is_self else FIRST[kind]
        assert list(steps.formulas) == [*first, *COMMON]
        assert steps.has_bias == (kind not in ("llama3", "t5"))
        for stage in steps.formulas:
            cell = cell_at(steps, stage, len(steps.weights_QK) - 1, 1)
            found = terms(steps, stage, *cell)
            assert found.recorded == panels(steps, stage)[0].values[cell]
            assert found.total == pytest.approx(found.recorded, rel=2e-4, abs=2e-4)
            assert cell_of(steps, stage, 0, *cell) == cell
