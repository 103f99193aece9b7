import json

import pytest

from core.describe import describe
from core.model import count_parameters
from core.runs.run import load_run
from pages.layers import VIEWS
from tests.pages.conftest import ROOT, said, send, unfold
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.layers.conftest import table
from viz.architecture import architecture


def diagram(at):
    [component] = at.get("bidi_component")
    return architecture.unpack(component.proto.bytes)


@pytest.mark.parametrize("model", ["copy", "translate", "translate-guided"])
def test_the_drawing_has_exactly_the_parts_of_the_loaded_model(open_layers, model):
    shown = diagram(open_layers(model=model))
    config = load_run(ROOT / "gallery" / model).settings.model
    assert [len(stack.layers) for stack in shown.stacks] == [
        config.n_encoder_layers,
        config.n_decoder_layers,
    ]
    assert shown.ids == describe(config, 1, 1).ids
    for node in shown.nodes:
        assert bool(node.detail) == bool(node.name) == (node.shape == "part")


def test_a_click_on_a_part_says_what_it_costs_and_is_kept_in_the_link(open_layers, run):
    at = open_layers()
    send(at, "pick", {"part": "decoder.1.cross"})
    assert at.selectbox(key="part").value == "decoder.1.cross"
    assert diagram(at).selected == "decoder.1.cross"
    layer = run.model.decoder[1].cross_attention
    count = sum(parameter.numel() for parameter in layer.parameters())
    cells = table(at).to_numpy().tolist()
    assert cells[0][1].startswith(f"{count:,}, ")
    assert ["shape: scores", "4 × 16 × 14"] in cells
    assert f"{count_parameters(run.settings.model):,} parameters" in said(at)


@pytest.mark.parametrize("part", ["encoder.embedding", "encoder.norm", "output", "softmax"])
def test_every_kind_of_part_can_be_opened_by_link(open_layers, part):
    at = open_layers(part=part)
    assert diagram(at).selected == part
    assert unfold(at, "formula").get("latex")


def test_a_shared_matrix_is_counted_once_and_said_so(open_layers):
    at = open_layers(part="output")
    assert table(at).to_numpy().tolist()[0][1] == "shared with the source embedding"


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(
    open_layers, handed_over, run
):
    at = open_layers()
    [shown] = handed_over
    assert_takeable(at, shown)
    assert sum(numbers_of(shown, "parameters")) == count_parameters(run.settings.model)
    sizes = [
        size
        for written in shown.columns()["shapes"]
        for shape in json.loads(written).values()
        for size in shape
    ]
    assert computed(shown) == [*numbers_of(shown, "parameters", "multiply_adds"), *sizes]


def test_an_invented_sublayer_is_drawn_and_explained_without_being_known(open_gated, handed_over):
    at = open_gated(part="encoder.0.gate")
    [gate] = [node for node in diagram(at).nodes if node.id == "encoder.0.gate"]
    assert (gate.shape, gate.label, gate.name) == ("part", "Gate", "encoder layer 0: Gate")
    assert diagram(at).selected == "encoder.0.gate"
    [shown] = handed_over
    assert shown.formula == r"x \odot \sigma(x W)"
    columns = shown.columns()
    learned = dict(zip(columns["part"], columns["parameters"], strict=True))
    width = gate.detail.split(" × ")[1]
    assert learned["decoder.0.gate"] == learned["encoder.0.gate"] == int(width) ** 2
    assert "encoder.1.gate" not in learned


@pytest.mark.parametrize("view", [view.name for view in VIEWS])
def test_every_view_shows_a_model_with_an_invented_sublayer(open_gated, handed_over, view):
    open_gated(layers=view, layer="0")
    [shown] = handed_over
    assert shown.pictures and shown.columns()


def test_the_line_says_the_share_of_a_part(open_layers):
    run = load_run(ROOT / "gallery" / "translate-guided")
    described = describe(run.model, 14, 16)
    part = described.sublayers[0]
    text = said(open_layers(layers="parts", part=part.id)).replace("&#46;", ".")
    share = 100 * part.parameters / count_parameters(run.settings.model)
    assert f"({part.id}) has **{share:.1f}".removesuffix(".0") in text
