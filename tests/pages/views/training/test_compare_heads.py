import json

import numpy as np
import pytest

from core.heads import Kind, Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.runs.weights import newest_checkpoint
from tests.pages.conftest import said
from tests.pages.views.training.runs_page import (
    GALLERY,
    below,
    panels,
)

SENTENCE = "The cat sat."


@pytest.mark.parametrize("kind", list(Kind))
def test_heads_are_compared_with_each_runs_own_tokens(open_runs, kind):
    at = open_runs(
        runs=["translate-guided", "copy"],
        sentence="The cat sat.",
        kind=kind.label,
        layer="1",
        head="3",
    )
    stack, name = kind.split(".")
    shown = panels(at)
    assert [panel.title for panel in shown] == ["translate-guided", "copy"]
    for panel in shown:
        inspection = inspect_sentence(load_run(GALLERY / panel.title), "The cat sat.")
        wanted = inspection.attention[Site(stack, 1, name)]
        np.testing.assert_allclose(panel.values, wanted.weights_HQK[3], atol=1e-6)
        source = [token.text for token in inspection.source_tokens]
        fed = [token.text for token in inspection.fed_tokens]
        rows = source if stack == "encoder" else fed
        columns = fed if kind == "decoder.self" else source
        assert [label.text for label in panel.rows.labels] == rows
        assert [label.text for label in panel.columns.labels] == columns


def test_a_run_with_fewer_layers_is_named_instead_of_drawn(open_runs):
    at = open_runs(runs=["translate", "copy"], kind="encoder self", layer="2")
    assert [panel.title for panel in panels(at)] == ["translate"]
    assert "Not in copy" in said(at)


def test_a_comparison_opens_on_a_head_that_as_many_as_possible_have(open_runs, another):
    names = [f"runs/{another(name).name}" for name in ("a", "b")]
    at = open_runs(runs=["translate-guided", *names], kind="encoder self")
    assert [panel.title for panel in panels(at)] == ["translate-guided", *names]
    at = open_runs(runs=["translate-guided", "translate"], kind="encoder self")
    assert at.selectbox(key="layer").value == 2
    assert "Not in" not in said(at)


def test_the_best_pronoun_head_of_each_run_is_named_with_its_rule(open_runs):
    at = open_runs(runs=["translate-guided", "translate", "copy"])
    found = below(at, "on the antecedent").set_index("run")
    assert list(found.index) == ["translate-guided", "translate"]
    assert found.loc["translate-guided", "head"] == "Encoder layer 2, self-attention head 0"
    evaluation = json.loads((GALLERY / "translate" / "evaluation.json").read_text())
    best = max(head["score"] for head in evaluation["heads"])
    assert found.loc["translate", "on the antecedent"] == pytest.approx(100 * best)
    assert found.loc["translate", "best rule"] == pytest.approx(
        100 * evaluation["heads"][0]["baseline"]
    )


def test_runs_whose_weights_are_damaged_are_compared_without_their_heads(open_runs, own_copy):
    newest_checkpoint(own_copy).write_bytes(b"no weights")
    at = open_runs(runs=["copy", "runs/mine"])
    assert [panel.title for panel in panels(at)] == ["copy"]
