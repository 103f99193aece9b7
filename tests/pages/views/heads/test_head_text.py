"""The card of a head in a model of one stack, opened or trained here."""

import re
import shutil

import pytest

from core.heads import Head
from core.runs.own_text import give_text
from core.runs.run import load_run
from core.studies.effects.head_report import head_card
from core.studies.effects.text_cost import cost_of_head
from core.studies.heads.roles import roles_of_heads
from pages.frame.language import number
from tests.pages.conftest import said

LINES = ["the animal and the street", "did not cross it, did not", "it was tired"]
HEADS = {"bert": "encoder.1.self:2", "gpt2": "decoder.1.self:2"}


@pytest.fixture
def path(request, opened_path, tmp_path, elsewhere):
    """Among the visitor's runs: an opened model, with lines of its own."""
    elsewhere("OWN", tmp_path)
    shutil.copytree(opened_path(request.param), tmp_path / request.param)
    give_text(tmp_path / request.param, "\n".join(LINES).encode(), "lines")
    return tmp_path / request.param


@pytest.fixture
def open_head(open_page, path):
    head = Head.parse(HEADS[path.name])
    where = {"kind": str(head.kind), "layer": str(head.layer), "head": str(head.index)}
    return lambda **more: open_page(
        "heads", trial="head", model=f"runs/{path.name}", **(where | more)
    )


both = pytest.mark.parametrize("path", ["bert", "gpt2"], indirect=True)
decoder = pytest.mark.parametrize("path", ["gpt2"], indirect=True)
encoder = pytest.mark.parametrize("path", ["bert"], indirect=True)


def strips_of(at):
    [found] = [each.proto.body for each in at.get("html") if "token-strips" in each.proto.body]
    return found


@both
def test_a_line_of_each_fifth_is_drawn(open_head, path, taken):
    at, run, head = open_head(), load_run(path), Head.parse(HEADS[path.name])
    roles = roles_of_heads(run)
    found, strips = head_card(run, head, roles), strips_of(at)
    assert strips.count('class="strip"') == len(found.strata) > 0
    weights = [float(each) for each in re.findall(r' (\d\.\d\d)"', strips)]
    # Of a word in pieces it is the sum of theirs.
    for weight, row in zip(weights, found.strata, strict=True):
        assert weight >= row.weights_K.max() - 0.005
    # An encoder predicts nothing.
    assert ("▸" in strips) == (path.name == "gpt2")
    n_rows = next(each.n_rows for each in roles.heads if each.head == head)
    measured = f"- Measured on {n_rows} rows of maps, of {len(LINES)} lines of your own."
    assert taken[-1].how_to_read.endswith(measured)


@pytest.mark.slow
@decoder
def test_what_silencing_costs_a_decoder_is_measured_on_request(open_head, path):
    at = open_head()
    assert "not measured yet" in said(at)
    assert "what silencing it costs was not measured" in said(at)
    at = open_head(text_costs="true")
    cost = cost_of_head(load_run(path), Head.parse(HEADS[path.name]))
    before, after = number(cost.silenced.before, 3), number(cost.silenced.after, 3)
    assert f"{before} → **{after}** nats per token" in said(at)
    assert f"on average: → {number(cost.others.after, 3)} (change" in said(at)
    assert "n = 3 texts" in said(at)
    assert "was not measured" not in said(at)
