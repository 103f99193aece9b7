import numpy as np
import pytest

from core.heads import Site
from core.model import Step
from tests.pages.conftest import chart_rows, said
from tests.pages.takeable import assert_takeable, computed, numbers_of


def test_the_stream_is_the_models_own(open_layers, tensors):
    at = open_layers(layers="stream", stream_position="8", measure="added")
    added = [
        np.linalg.norm(tensors[Site("encoder", layer, kind), Step.ADDED], axis=-1).mean()
        for layer in range(3)
        for kind in ("self", "feed_forward")
    ]
    assert f"a vector of length {max(added):.3g} to" in said(at)
    assert len(at.get("vega_lite_chart")) == 1


def expected_stream(tensors, stack, measure):
    kinds = ("self", "feed_forward") if stack == "encoder" else ("self", "cross", "feed_forward")
    layers = range(3 if stack == "encoder" else 2)
    sites = [Site(stack, layer, kind) for layer in layers for kind in kinds]
    if measure == "added":
        return [np.linalg.norm(tensors[site, Step.ADDED], axis=-1) for site in sites]
    first = tensors[Site(stack, 0, "embedding"), Step.STREAM_OUT]
    stream = [first, *(tensors[site, Step.STREAM_OUT] for site in sites)]
    norms = [np.linalg.norm(x, axis=-1) for x in stream]
    if measure == "norm":
        return norms
    return [(x * first).sum(-1) / norm / norms[0] for x, norm in zip(stream, norms, strict=True)]


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
@pytest.mark.parametrize("measure", ["norm", "cosine", "added"])
def test_every_measure_of_the_stream_is_the_models_own(open_layers, tensors, stack, measure):
    at = open_layers(layers="stream", stream_stack=stack, measure=measure, stream_position="3")
    wanted = np.array(expected_stream(tensors, stack, measure))
    rows = chart_rows(at)
    mean = [row["y"] for row in rows if row["series"].startswith("mean")]
    own = [row["y"] for row in rows if not row["series"].startswith("mean")]
    np.testing.assert_allclose(own, wanted[:, 3], rtol=1e-5)
    np.testing.assert_allclose(mean, wanted.mean(axis=1), rtol=1e-5)


@pytest.mark.parametrize("measure", ["norm", "cosine", "added"])
def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(
    open_layers, handed_over, measure
):
    at = open_layers(layers="stream", stream_stack="decoder", measure=measure, stream_position="2")
    [shown] = handed_over
    assert_takeable(at, shown)
    rows = chart_rows(at)
    assert numbers_of(shown, "own", "mean") == [row["y"] for row in rows]
    assert computed(shown) == numbers_of(shown, "own", "mean", "added_most", "to")


def test_the_line_says_how_a_vector_grows(open_layers, tensors):
    at = open_layers(layers="stream", stream_stack="encoder", stream_position="8")
    rows = [row for row in chart_rows(at) if not row["series"].startswith("mean")]
    first, last = rows[0]["y"], rows[-1]["y"]
    verb = "grows" if last > first else "shrinks"
    text = said(at)
    assert f"The vector of **it** {verb} from length {first:.3g} to **{last:.3g}**" in text
    assert "adds most: a vector of length" in text
