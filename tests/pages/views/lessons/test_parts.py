"""The drawing of the model, and the counts of this one, the paper's and published ones."""

import html

import pytest

from core.describe import describe
from core.families.published import PUBLISHED
from core.model import count_parameters
from core.model.paper import TABLE_3
from core.runs.run import load_run
from pages.lessons import VIEWS
from tests.pages.conftest import ROOT, chart_rows, component, said, send, unfold
from tests.viz.unpacked import unpack_architecture as unpack


def diagram(at):
    return unpack(component(at, "architecture").bytes)


@pytest.mark.parametrize("model", ["copy", "translate-guided"])
def test_the_drawing_has_exactly_the_parts_of_the_loaded_model(open_lesson, model):
    at, _shown = open_lesson("parts", model=model)
    config = load_run(ROOT / "gallery" / model).settings.model
    layers = [len(stack.layers) for stack in diagram(at).stacks]
    assert layers == [config.n_encoder_layers, config.n_decoder_layers]
    assert diagram(at).ids == describe(config, 1, 1).ids


def test_a_click_on_a_part_says_what_it_costs(open_lesson, run):
    at, _shown = open_lesson("parts")
    send(at, "pick", {"part": "decoder.1.cross"})
    assert at.selectbox(key="part").value == "decoder.1.cross"
    assert diagram(at).selected == "decoder.1.cross"
    layer = run.model.decoder[1].cross_attention
    count = sum(parameter.numel() for parameter in layer.parameters())
    cells = at.table[0].value.to_numpy().tolist()
    assert cells[0][1].startswith(f"{count:,}, ")
    assert ["shape: scores", "4 × 16 × 14"] in cells
    total = count_parameters(run.settings.model)
    assert f"{total:,} parameters" in said(at)
    share = f"has **{100 * count / total:.1f}".removesuffix(".0")
    assert share in said(at)


@pytest.mark.parametrize("part", ["encoder.embedding", "encoder.norm", "output", "softmax"])
def test_every_kind_of_part_can_be_opened_by_link(open_lesson, part):
    at, _shown = open_lesson("parts", part=part)
    assert diagram(at).selected == part
    assert unfold(at, "formula").get("latex")
    shared = at.table[0].value.to_numpy().tolist()[0][1] == "shared with the source embedding"
    assert shared == (part == "output")


def test_an_invented_sublayer_is_drawn_and_explained_without_being_known(open_gated):
    at, shown = open_gated("parts", part="encoder.0.gate")
    [gate] = [node for node in diagram(at).nodes if node.id == "encoder.0.gate"]
    assert (gate.shape, gate.label, gate.name) == ("part", "Gate", "encoder layer 0: Gate")
    assert shown.formula == r"x \odot \sigma(x W)"
    columns = shown.columns()
    learned = dict(zip(columns["part"], columns["parameters"], strict=True))
    assert learned["decoder.0.gate"] == int(gate.detail.split(" × ")[1]) ** 2


@pytest.mark.parametrize("view", [each.name for each in VIEWS if each.name != "exposure"])
def test_every_lesson_shows_a_model_with_an_invented_sublayer(open_gated, view):
    _at, shown = open_gated(view, layer="0")
    assert shown.pictures and shown.columns()


@pytest.mark.parametrize("share", ["false", "true"])
def test_parameters_of_the_papers_models_are_counted(open_lesson, run, share):
    at, shown = open_lesson("counts", share=share)
    frame, own = at.table[0].value, count_parameters(run.settings.model)
    assert frame.iloc[0, 1] == f"{own / 1e6:.1f}"
    for row, paper in enumerate(TABLE_3, start=1):
        millions = f"{count_parameters(paper.config) / 1e6:.1f}"
        assert frame.iloc[row, [0, 1, 3]].tolist() == [
            paper.name,
            millions,
            f"{paper.perplexity:.2f}",
        ]
    total = count_parameters(TABLE_3[0].config)
    base = [row["value"] for row in chart_rows(at) if row["name"] == "base"]
    assert sum(base) == pytest.approx(1 if share == "true" else total / 1e6)
    share_of_base = f"{100 * own / total:.1f}".removesuffix(".0")
    assert f"This model has **{own:,}** parameters, {share_of_base}" in shown.seen


def test_why_an_opened_model_has_fewer_than_its_files_is_said(open_alone, open_lesson):
    assert "Not counted: weights of its files" in said(open_alone("bert", "counts")[0])
    assert "Not counted" not in said(open_lesson("counts")[0])


@pytest.mark.parametrize("published", PUBLISHED, ids=lambda each: each.name)
def test_a_published_model_is_drawn_and_counted(open_lesson, published):
    query = {"counts_shown": "published", "published": published.name, "model": "copy"}
    at, shown = open_lesson("counts", **query)
    config = published.config
    assert [stack.name for stack in diagram(at).stacks] == list(config.stacks)
    layers = [len(stack.layers) for stack in diagram(at).stacks]
    assert layers == [config.layers_of(stack) for stack in config.stacks]
    text = shown.seen.replace("&#45;", "-")
    assert f"has **{count_parameters(config):,}** parameters, as published" in text


def test_a_link_chooses_a_part_and_another_model_begins_anew(open_lesson):
    query = {"counts_shown": "published", "published_part": "decoder.3.feed_forward"}
    at, _shown = open_lesson("counts", published="gpt2", **query)
    assert diagram(at).selected == "decoder.3.feed_forward"
    at.selectbox(key="published").set_value("llama-3-8b").run()
    assert diagram(at).selected == "decoder.0.self"
    [facts] = [each.value for each in at.table]
    told = [html.unescape(each) for each in facts.iloc[:, 1]]
    assert "32 of width 128, 8 sets of keys and values" in told
