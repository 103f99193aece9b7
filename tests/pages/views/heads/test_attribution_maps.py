import numpy as np
import pytest

from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.attribution.methods import Method, attribute, said_at
from core.vocabulary import EOS
from pages.frame.language import brief
from pages.views.heads import attribution, attribution_maps, attribution_methods
from pages.views.heads.attribution_maps import Parts
from tests.pages.conftest import ROOT, component
from viz.plane.matrices import unpack

SENTENCE = "d a f q"
METHODS = list(attribution_methods.NAMES)


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


def panels(at):
    return unpack(component(at, "matrices").bytes).panels


def test_each_method_is_a_row_that_is_scaled_to_its_largest_magnitude(open_page, run, inspection):
    [panel] = panels(open_attribution(open_page, attributed_word="1"))
    found = attributed(run, inspection, 1)
    assert METHODS[0] is Method.LEAVE_ONE_OUT
    assert set(METHODS) == set(Method)
    for row, method in enumerate(METHODS):
        scores = found.scores[method]
        assert panel.values[row] == pytest.approx(scores / np.abs(scores).max(), abs=1e-6)
    assert (panel.scale, panel.limit) == ("signed", 1.0)
    assert "largest magnitude" in panel.note


def test_numbers_stand_in_the_cells_and_exactly_in_the_file(open_page, run, inspection):
    [panel] = panels(open_attribution(open_page, attributed_word="1"))
    found = attributed(run, inspection, 1)
    columns = attribution.numbers(found, Parts(inspection.source_tokens, None))
    for row, method in enumerate(METHODS):
        for column, score in enumerate(found.scores[method]):
            assert panel.texts[row][column] == brief(score)
            at = row * len(inspection.source_tokens) + column
            assert (columns["method"][at], columns["score"][at]) == (str(method), score)


def test_of_one_method_a_cell_is_what_the_probability_is_without_that_token(run, inspection):
    found = attributed(run, inspection, 1)
    parts = Parts(inspection.source_tokens, None)
    panel = attribution_maps.of_one_method(found, parts, "a", frozenset())
    p = np.exp(found.log_probability)
    without = p * np.exp(-found.scores[Method.LEAVE_ONE_OUT])
    assert panel.values[0] == pytest.approx(without - p, abs=1e-6)
    assert panel.texts[0] == [attribution_methods.short_share(min(each, 1.0)) for each in without]
