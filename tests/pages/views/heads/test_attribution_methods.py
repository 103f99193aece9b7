import numpy as np
import pytest

from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.attribution.methods import attribute, said_at
from core.vocabulary import EOS
from pages.frame.language import percent
from pages.views.heads import attribution_methods
from tests.pages.conftest import ROOT, said

SENTENCE = "d a f q"


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "copy")


@pytest.fixture(scope="module")
def inspection(run):
    return inspect_sentence(run, SENTENCE)


def attributed(run, inspection, step):
    ids = (*inspection.translation.target_ids, EOS)
    return attribute(run.model, said_at(inspection.translation.source_ids, ids, step))


def open_attribution(open_page, **query_params):
    opened = {"model": "copy", "sentence": SENTENCE, "all_methods": "true", **query_params}
    return open_page("heads", trial="attribution", **opened)


def test_correlations_with_leaving_one_out_stand_beside_the_methods(open_page, run, inspection):
    at = open_attribution(open_page, attributed_word="1")
    agreement = attributed(run, inspection, 1).agreement
    [table] = at.table
    shown = dict(zip(table.value["method"], table.value["ρ, this word"], strict=True))
    for method, rho in agreement.items():
        assert shown[attribution_methods.NAMES[method]] == attribution_methods.correlation(rho)
    assert shown["leave one out"] == "the measure"
    assert attribution_methods.TRUSTED not in table.value


def test_a_sure_model_and_the_gap_of_integrated_gradients_are_said(open_page, run, inspection):
    at = open_attribution(open_page, attributed_word="1")
    found = attributed(run, inspection, 1)
    assert np.exp(found.log_probability) > 0.99
    assert "nearly 0 where the model is sure" in said(at)
    assert percent(found.integrated.gap) in said(at)


def test_an_unsure_model_is_not_called_sure(run, inspection):
    found = attributed(run, inspection, 1)
    unsure = type(found)(found.said, np.log(0.5), found.scores, found.integrated)
    assert attribution_methods.sure_of("a", unsure) == "p(“a”) = 50\u00a0%."


def test_over_fewer_than_four_tokens_there_is_no_correlation(open_page):
    at = open_attribution(open_page, sentence="d a")
    assert set(at.table[0].value["ρ, this word"]) == {"the measure", "–"}
    assert "n = 3 source tokens" in said(at)
