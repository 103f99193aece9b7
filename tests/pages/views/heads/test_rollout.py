import numpy as np
import pytest

from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.attribution.rollout import rollout
from pages.frame.language import percent
from tests.pages.conftest import ROOT, chart_rows, component, said
from tests.viz.unpacked import unpack_matrices as unpack

SENTENCE = "d a f q"


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "copy")


@pytest.fixture(scope="module")
def inspection(run):
    return inspect_sentence(run, SENTENCE)


def open_attribution(open_page, **query_params):
    opened = {"model": "copy", "sentence": SENTENCE, **query_params}
    return open_page("heads", trial="attribution", **opened)


def panels(at):
    return unpack(component(at, "matrices").bytes).panels


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_rollout_is_shown_after_each_layer(open_page, inspection, stack):
    at = open_attribution(open_page, attributed="rollout", rollout_stack=stack)
    layers = [
        found.weights_HQK
        for site, found in inspection.attention.items()
        if site.attention == f"{stack}.self"
    ]
    expected = rollout(np.stack(layers))
    assert len(panels(at)) == len(expected)
    for panel, rolled_QK in zip(panels(at), expected, strict=True):
        assert panel.values == pytest.approx(rolled_QK, abs=1e-6)


def test_the_decoders_rollout_is_divided_by_the_rows_that_see_a_token(open_page, inspection):
    at = open_attribution(open_page, attributed="rollout", rollout_stack="decoder")
    values = panels(at)[-1].values.astype(np.float64)
    n = len(values)
    fair = [row for row in chart_rows(at) if row["series"] == "mean over the rows that can see it"]
    for row in fair:
        expected = values[:, row["row"]].sum() / (n - row["row"])
        assert row["value"] == pytest.approx(expected, abs=1e-6)
    assert len(fair) == n


def test_a_stack_without_self_attention_is_not_offered(open_page, own_random, taken):
    own_random(decoder_mixing="gru")
    asked = {"model": "runs/random", "attributed": "rollout", "rollout_stack": "decoder"}
    assert not open_attribution(open_page, **asked).exception
    assert taken[-1].name == "rollout_encoder"


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_what_is_seen_is_the_position_that_keeps_least_of_itself(open_page, inspection, stack):
    at = open_attribution(open_page, attributed="rollout", rollout_stack=stack)
    values = panels(at)[-1].values.astype(np.float64)
    texts = [label.text for label in panels(at)[-1].columns.labels]
    row = min(range(len(values)), key=lambda each: values[each, each])
    other = max((each for each in range(len(values)) if each != row), key=lambda k: values[row, k])
    assert (
        f"the position of **{texts[row]}** holds least of its own token: "
        f"{percent(values[row, row])}. Of the others, **{texts[other]}** has most: "
        f"**{percent(values[row, other])}**."
    ) in said(at)
