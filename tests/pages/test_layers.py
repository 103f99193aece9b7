import numpy as np
import pytest
import torch

from core.decoding.sentence import translate
from core.heads import Site
from core.model import Record, Step, count_parameters
from core.model.description import describe
from core.model.paper import TABLE_3
from core.runs.run import load_run
from tests.pages.conftest import ROOT, chart_rows, said, send, unfold
from viz.architecture import architecture
from viz.plane import matrices

TIRED = "The animal didn't cross the street because it was too tired."
VIEWS = ("parts", "stream", "lens", "norms", "units", "sides", "counts")


@pytest.fixture
def open_layers(open_page):
    return lambda **query_params: open_page("layers", **query_params)


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate-guided")


@pytest.fixture(scope="module")
def tensors(run):
    """Every step of every sublayer for the sentence that the page opens on."""
    translation, record = translate(run, TIRED), Record(frozenset(Step))
    with torch.inference_mode():
        run.model(
            torch.tensor([translation.source_ids]), torch.tensor([translation.fed_ids]), record
        )
    return {key: tensor[0].double().numpy() for key, tensor in record.tensors.items()}


def panels(at, index=0):
    return matrices.unpack(at.get("bidi_component")[index].proto.bytes).panels


def diagram(at):
    [component] = at.get("bidi_component")
    return architecture.unpack(component.proto.bytes)


def table(at, index=0):
    return at.table[index].value


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
    assert cells[0][1].startswith(f"{count:,} (")
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


def test_at_its_last_depth_the_lens_says_what_the_model_says(open_layers, run):
    [panel] = panels(open_layers(layers="lens"))
    translation = translate(run, TIRED)
    fed = run.tokenizer.describe(translation.fed_ids)
    assert [label.text for label in panel.columns.labels] == [token.text for token in fed]
    assert list(panel.texts[-1]) == [token.text for token in fed[1:]] + ["EOS"]
    # The embedding of a tied model says what it was fed.
    assert list(panel.texts[0])[1:] == [token.text for token in fed[1:]]


def test_a_click_into_the_lens_tabulates_that_position(open_layers):
    at = open_layers(layers="lens")
    send(at, "pick", {"panel": 0, "row": 0, "column": 11})
    assert at.selectbox(key="lens_position").value == 11
    frame = table(at)
    assert "était" in frame.columns[3]
    assert frame.iloc[-1, 1] == "était"
    assert frame.iloc[-1, 4] == 0


def test_a_position_beyond_a_shorter_sentence_is_let_go(open_layers):
    at = open_layers(layers="lens", lens_position="15")
    at.text_input(key="sentence").set_value("The cat slept.").run()
    assert not at.exception
    assert at.selectbox(key="lens_position").value < 7


def test_vectors_before_and_after_a_norm_are_the_models_own(open_layers, tensors):
    at = open_layers(layers="norms", layer="1", sublayer="feed-forward")
    site = Site("encoder", 1, "feed_forward")
    for index, step in enumerate((Step.BEFORE_NORM, Step.AFTER_NORM)):
        [panel] = panels(at, index)
        np.testing.assert_allclose(panel.values, tensors[site, step], atol=1e-5)
    deviation = tensors[site, Step.BEFORE_NORM].std(axis=-1)
    assert f"before {deviation.min():.3g} … {deviation.max():.3g}" in said(at)
    assert "normalised 1 … 1" in said(at)


def test_units_that_fire_are_those_above_zero(open_layers, tensors):
    at = open_layers(layers="units", unit_stack="decoder", layer="1", unit_position="3")
    [panel] = panels(at)
    for layer in range(2):
        hidden = tensors[Site("decoder", layer, "feed_forward"), Step.HIDDEN]
        np.testing.assert_allclose(panel.values[layer], (hidden > 0).mean(axis=-1), atol=1e-6)
    hidden = tensors[Site("decoder", 1, "feed_forward"), Step.HIDDEN]
    assert table(at).iloc[0, 0] == hidden[3].argmax()
    assert table(at).iloc[0, 1] == f"{hidden[3].max():.3g}"


def test_a_click_on_a_cell_lists_the_units_of_that_layer_and_word(open_layers):
    at = open_layers(layers="units")
    send(at, "pick", {"panel": 0, "row": 2, "column": 8})
    assert at.selectbox(key="layer").value == 2
    assert at.selectbox(key="unit_position").value == 8
    assert "Layer 2: the units that fire most on position 8" in said(at)


def test_only_attention_mixes_positions(open_layers):
    attention, feed_forward = panels(open_layers(layers="sides", layer="2"))
    off = ~np.eye(len(attention.values), dtype=bool)
    assert (attention.values[off] > 0).all()
    assert (feed_forward.values[off] == 0).all()
    assert (np.diag(feed_forward.values) > 0).all()


@pytest.mark.parametrize("share", ["false", "true"])
def test_parameters_of_the_papers_models_are_counted(open_layers, share, run):
    at = open_layers(layers="counts", share=share)
    frame = table(at)
    assert frame.iloc[0, 1] == f"{count_parameters(run.settings.model) / 1e6:.1f}"
    for row, paper in enumerate(TABLE_3, start=1):
        assert frame.iloc[row, 0] == paper.name
        assert frame.iloc[row, 1] == f"{count_parameters(paper.config) / 1e6:.1f}"
        assert frame.iloc[row, 3] == f"{paper.perplexity:.2f}"
    base = [row["value"] for row in chart_rows(at) if row["name"] == "base"]
    total = 1 if share == "true" else count_parameters(TABLE_3[0].config) / 1e6
    assert len(base) == 4
    assert sum(base) == pytest.approx(total)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("sentence", ["a", "the cat " * 250], ids=["one word", "500 words"])
def test_short_and_long_sentences_are_shown(open_layers, view, sentence):
    at = open_layers(layers=view, sentence=sentence, model="copy")
    assert not at.exception


def test_every_view_folds_formula_tries_and_code(open_layers):
    for view in VIEWS:
        labels = [expander.label for expander in open_layers(layers=view).expander]
        assert labels[-3:] == ["Formula", "What to try", "Code that computes it"]
