from dataclasses import replace

import pytest
import torch

from core.heads import Site
from core.model import (
    Probes,
    Record,
    Step,
    build,
)

CROSS = Site("decoder", 1, "cross")


STREAM = {Step.STREAM_IN, Step.BEFORE_NORM, Step.AFTER_NORM, Step.ADDED, Step.STREAM_OUT}
EMBEDDED = {Step.TOKENS, Step.POSITIONS, Step.STREAM_OUT}
OTHERS = {Step.ROTATED_QUERY, Step.ROTATED_KEY, Step.POSITION_BIAS, Step.SEGMENTS, Step.GATE}
OTHERS |= {Step.STATE, Step.COPY_WEIGHTS, Step.P_GEN, Step.LENGTH}
"""Of other kinds of Transformers than the paper's."""
ATTENDED = set(Step) - EMBEDDED - {Step.HIDDEN} - OTHERS | STREAM


def everything(model, batch):
    record = Record(frozenset(Step))
    with torch.no_grad():
        model(*batch, record)
    return record.tensors


def test_record_holds_every_step_of_every_site_with_its_shape(model, batch):
    tensors = everything(model, batch)
    wanted = {(site, step) for site in model.sites() for step in ATTENDED}
    for stack, layers in (("encoder", 3), ("decoder", 2)):
        wanted |= {(Site(stack, 0, "embedding"), step) for step in EMBEDDED}
        fed = [Site(stack, layer, "feed_forward") for layer in range(layers)]
        wanted |= {(site, step) for site in fed for step in (*STREAM, Step.HIDDEN)}
    assert set(tensors) == wanted
    assert tensors[CROSS, Step.WEIGHTS].shape == (3, 4, 5, 6)
    assert tensors[CROSS, Step.KEY].shape == (3, 4, 6, 5)
    assert tensors[CROSS, Step.MIXED].shape == (3, 4, 5, 3)
    assert tensors[Site("encoder", 0, "feed_forward"), Step.HIDDEN].shape == (3, 6, 32)
    assert tensors[Site("decoder", 0, "embedding"), Step.POSITIONS].shape == (5, 16)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_stream_is_what_came_in_and_what_every_sublayer_added(small_config, batch, norm):
    model = build(replace(small_config, norm=norm), seed=1).eval()
    tensors = everything(model, batch)
    for site in {site for site, _ in tensors if site.sublayer != "embedding"}:
        step = {name: tensors[site, name] for name in STREAM}
        total = step[Step.STREAM_IN] + step[Step.ADDED]
        if norm == "pre":
            torch.testing.assert_close(step[Step.STREAM_OUT], total)
            torch.testing.assert_close(step[Step.BEFORE_NORM], step[Step.STREAM_IN])
        else:
            torch.testing.assert_close(step[Step.BEFORE_NORM], total)
            torch.testing.assert_close(step[Step.AFTER_NORM], step[Step.STREAM_OUT])


def test_recorded_tensors_are_detached_unless_asked_for(model, batch):
    plain, graph = Record(), Record(keep_graph=True)
    model(*batch, Probes([plain, graph]))
    assert not plain.weights(CROSS).requires_grad
    assert graph.weights(CROSS).requires_grad
