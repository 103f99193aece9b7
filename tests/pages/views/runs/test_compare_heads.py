import json

import numpy as np
import pytest

from core.heads import Head, Kind, Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.runs.weights import newest_checkpoint
from tests.pages.conftest import ROOT, said
from tests.pages.views.runs.conftest import (
    GALLERY,
    below,
    panels,
)

SENTENCE = "The cat sat."


def test_a_run_without_the_head_has_no_weights_in_the_files_either(open_page, own_runs, taken):
    open_page("runs", runs=["translate", "copy"], sentence=SENTENCE, kind="encoder.self", layer="2")
    numbers = taken[-1].columns()
    rows = zip(numbers["what"], numbers["run"], numbers["value"], strict=True)
    found = [(run, value) for what, run, value in rows if what == "weight"]
    head = Head.parse(taken[-1].about["head"])
    inspection = inspect_sentence(load_run(ROOT / "gallery" / "translate"), SENTENCE)
    wanted = inspection.weights_of(head).reshape(-1).tolist()
    assert found == [("translate", value) for value in wanted]


def test_the_best_pronoun_heads_are_in_the_files(open_page, own_runs, taken):
    open_page("runs", runs=["translate-guided", "copy"], sentence=SENTENCE)
    numbers = taken[-1].columns()
    rows = list(zip(*numbers.values(), strict=True))
    found = [row[1:4] for row in rows if row[0] == "pronoun head"]
    assert ("translate-guided", "score", "encoder.2.self:0") in found
    assert {row[0] for row in found} == {"translate-guided"}


@pytest.mark.parametrize("kind", list(Kind))
def test_heads_are_compared_with_each_runs_own_tokens(open_page, kind):
    at = open_page(
        "runs",
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


def test_a_run_with_fewer_layers_is_named_instead_of_drawn(open_page):
    at = open_page("runs", runs=["translate", "copy"], kind="encoder self", layer="2")
    assert [panel.title for panel in panels(at)] == ["translate"]
    assert "Not in copy" in said(at)


def test_a_comparison_opens_on_a_head_that_as_many_as_possible_have(open_page, another):
    names = [f"runs/{another(name).name}" for name in ("a", "b")]
    at = open_page("runs", runs=["translate-guided", *names], kind="encoder self")
    assert [panel.title for panel in panels(at)] == ["translate-guided", *names]
    at = open_page("runs", runs=["translate-guided", "translate"], kind="encoder self")
    assert at.selectbox(key="layer").value == 2
    assert "Not in" not in said(at)


def test_the_best_pronoun_head_of_each_run_is_named_with_its_rule(open_page):
    at = open_page("runs", runs=["translate-guided", "translate", "copy"])
    found = below(at, "on the antecedent").set_index("run")
    assert list(found.index) == ["translate-guided", "translate"]
    assert found.loc["translate-guided", "head"] == "Encoder layer 2, self-attention head 0"
    evaluation = json.loads((GALLERY / "translate" / "evaluation.json").read_text())
    best = max(head["score"] for head in evaluation["heads"])
    assert found.loc["translate", "on the antecedent"] == pytest.approx(100 * best)
    assert found.loc["translate", "best rule"] == pytest.approx(
        100 * evaluation["heads"][0]["baseline"]
    )


def test_without_a_sentence_no_heads_are_drawn(open_page):
    at = open_page("runs", runs=["translate", "copy"])
    at.text_input(key="sentence").set_value("").run()
    assert not at.exception
    assert not at.get("bidi_component")


def test_runs_whose_weights_are_damaged_are_compared_without_their_heads(open_page, own_copy):
    newest_checkpoint(own_copy).write_bytes(b"no weights")
    at = open_page("runs", runs=["copy", "runs/mine"])
    assert [panel.title for panel in panels(at)] == ["copy"]
