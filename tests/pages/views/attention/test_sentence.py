import numpy as np
import pytest

from core.heads import Kind
from core.inspection import inspect_sentence, merged
from core.runs.run import load_run
from tests.pages.conftest import ROOT, component
from tests.pages.views.attention.conftest import run_lines, seen, written
from viz.plane.matrices import unpack

TIRED = "The animal didn't cross the street because it was too tired."
KINDS = list(Kind)
NAMED = dict(zip(KINDS, ["encoder self", "decoder self", "cross"], strict=True))


def shown(at):
    """Return the panels that the page shows, as the component reads them."""
    return unpack(component(at, "matrices").bytes).panels


def layers_of(kind, model="translate", sentence=TIRED):
    """Return each layer's weights_HQK and what of them is visible."""
    inspection = inspect_sentence(load_run(ROOT / "gallery" / model), sentence)
    found = [a for site, a in inspection.attention.items() if site.attention == kind]
    return [a.weights_HQK.astype(np.float64) for a in found], found[0].visible_QK


def texts(labels):
    return [label.text for label in labels]


@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_of_each_layers_heads_is_shown(open_view, kind):
    at, _ = open_view(
        "sentence", model="translate", kind=NAMED[kind], how="mean", over_what="layers"
    )
    layers, visible = layers_of(kind)
    panels = shown(at)
    assert len(panels) == len(layers)
    for panel, weights_HQK in zip(panels, layers, strict=True):
        assert panel.values == pytest.approx(sum(weights_HQK) / len(weights_HQK), abs=1e-7)
        assert panel.values.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
        assert np.array_equal(panel.visible, visible)
        assert "rows sum to 1" in panel.note


@pytest.mark.parametrize("kind", KINDS)
def test_the_largest_of_each_layers_heads_is_shown(open_view, kind):
    at, _ = open_view("sentence", model="translate", kind=NAMED[kind], over_what="layers")
    for panel, weights_HQK in zip(shown(at), layers_of(kind)[0], strict=True):
        assert (panel.values == np.maximum.reduce(list(weights_HQK))).all()
        assert "the largest of 4 heads: rows need not sum to 1" in panel.note


@pytest.mark.parametrize("kind", KINDS)
def test_all_heads_of_all_layers_make_one_map(open_view, kind):
    at, _ = open_view(
        "sentence", model="translate", kind=NAMED[kind], over_what="all heads of all layers"
    )
    heads = [head for layer in layers_of(kind)[0] for head in layer]
    [panel] = shown(at)
    assert (panel.values == np.maximum.reduce(heads)).all()
    at.segmented_control(key="how").set_value("mean").run()
    [panel] = shown(at)
    assert panel.values == pytest.approx(sum(heads) / len(heads), abs=1e-7)


def test_titles_say_what_was_done_with_how_many_heads(open_view):
    at, taken = open_view(
        "sentence", model="translate-guided", kind="encoder self", how="mean", over_what="layers"
    )
    assert [panel.title for panel in shown(at)] == [
        f"Encoder self-attention layer {layer}: mean over its 4 heads" for layer in range(3)
    ]
    assert taken.title == "Encoder self-attention, layer by layer: mean over the heads"
    at.segmented_control(key="kind").set_value("decoder.cross").run()
    at.segmented_control(key="how").set_value("largest").run()
    assert shown(at)[1].title == "Cross-attention layer 1: largest of its 4 heads"
    at.segmented_control(key="over_what").set_value("all").run()
    assert shown(at)[0].title == "Cross-attention, all layers together: largest of all 8 heads"


def test_rows_are_the_words_that_look_and_columns_those_looked_at(open_view):
    at, _ = open_view("sentence", model="translate", kind="cross")
    inspection = inspect_sentence(load_run(ROOT / "gallery" / "translate"), TIRED)
    panel = shown(at)[0]
    assert texts(panel.rows.labels) == texts(inspection.fed_tokens)
    assert texts(panel.columns.labels) == texts(inspection.source_tokens)
    assert (panel.rows.side, panel.columns.side) == ("target", "source")


@pytest.mark.parametrize("how", ["mean", "largest"])
@pytest.mark.parametrize("over", ["heads of each layer", "all heads of all layers"])
def test_the_lines_compute_the_numbers_again(open_view, how, over):
    at, taken = open_view(
        "sentence", model="translate", kind="decoder self", how=how, over_what=over
    )
    columns = taken.columns()
    values = np.concatenate([panel.values.reshape(-1) for panel in shown(at)])
    assert run_lines(taken.snippet()) == list(columns["weight"]) == values.tolist()
    assert list(dict.fromkeys(columns["layer"])) == (["all"] if "all" in over else [0, 1])


def test_whole_words_are_aggregated_as_wholes(open_view):
    sentence = "The xylophone didn't zorbikate."
    asked = {"unit": "whole words", "kind": "encoder self", "how": "mean", "over_what": "layers"}
    at, taken = open_view("sentence", sentence=sentence, **asked)
    inspection = merged(inspect_sentence(load_run(ROOT / "gallery" / "translate-guided"), sentence))
    first = next(iter(inspection.attention.values())).weights_HQK
    assert shown(at)[0].values == pytest.approx(first.mean(axis=0), abs=1e-6)
    assert run_lines(taken.snippet()) == list(taken.columns()["weight"])


def test_a_link_to_what_cannot_be_opens_the_default(open_view):
    at, _ = open_view("sentence", how="median", over_what="nothing", kind="encoder self")
    [panel] = shown(at)
    assert panel.title == "Encoder self-attention, all layers together: largest of all 12 heads"


@pytest.mark.parametrize("sentence", ["a", "x" * 60, "the the the the", "مرحبا بالعالم"])
def test_any_sentence_can_be_aggregated(open_view, sentence):
    for kind in KINDS:
        at, _ = open_view("sentence", sentence=sentence, kind=NAMED[kind], how="mean")
        for panel in shown(at):
            assert panel.values.sum(axis=1) == pytest.approx(1.0, abs=1e-5)


def test_a_large_model_has_a_map_for_each_layer(open_view, own_random):
    own_random(n_encoder_layers=12, n_decoder_layers=12, n_heads=16)
    at, _ = open_view(
        "sentence",
        model="runs/random",
        sentence="a b c",
        kind="encoder self",
        how="mean",
        over_what="layers",
    )
    assert [panel.title for panel in shown(at)] == [
        f"Encoder self-attention layer {layer}: mean over its 16 heads" for layer in range(12)
    ]


@pytest.mark.parametrize("how", ["mean", "largest"])
@pytest.mark.parametrize("over", ["heads of each layer", "all heads of all layers"])
def test_of_a_single_head_nothing_is_said_to_be_many(open_view, own_random, how, over):
    own_random(n_encoder_layers=1, n_decoder_layers=1, n_heads=1)
    letters = " ".join("abcdefgh" * 63)
    at, _ = open_view("sentence", model="runs/random", sentence=letters, how=how, over_what=over)
    [panel] = shown(at)
    assert panel.title.endswith("layer 0: its only head")
    assert panel.note == "one head alone: rows sum to 1"
    assert panel.values.sum(axis=1) == pytest.approx(1.0, abs=1e-4)


def test_a_single_head_is_said_to_be_of_its_own_layer(open_view, own_random):
    own_random(n_encoder_layers=2, n_decoder_layers=2, n_heads=1)
    at, _ = open_view(
        "sentence",
        model="runs/random",
        sentence="a b c",
        kind="encoder self",
        how="mean",
        over_what="layers",
    )
    assert [panel.title for panel in shown(at)] == [
        "Encoder self-attention layer 0: its only head",
        "Encoder self-attention layer 1: its only head",
    ]


@pytest.mark.parametrize("how", ["largest", "mean"])
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_said_what_one_head_hides_behind_the_mean(open_view, kind, how):
    at, _ = open_view("sentence", model="translate", kind=NAMED[kind], how=how)
    layers, _ = layers_of(kind)
    heads = {(layer, h): head for layer, of in enumerate(layers) for h, head in enumerate(of)}
    over_all = {"largest": np.maximum.reduce, "mean": lambda maps: sum(maps) / len(maps)}
    [panel] = shown(at)
    values = over_all[how](list(heads.values()))
    rows, keys = texts(panel.rows.labels), texts(panel.columns.labels)
    query = rows.index("it") if kind is Kind.ENCODER_SELF else None
    said = []
    for row in range(len(rows)) if query is None else [query]:
        key = int(values[row].argmax())
        cells = {head: float(weights[row, key]) for head, weights in heads.items()}
        layer, head = max(cells, key=cells.get)
        largest, mean = max(cells.values()), sum(cells.values()) / len(cells)
        name = "itself" if kind.is_self and key == row else keys[key]
        where = f"{kind.stack} layer {layer}, {kind.sublayer_label} head {head}"
        said.append(
            f"**{name}**: **{written(largest)}** in {where}. "
            f"On average over {len(heads)} heads it is **{written(mean)}**."
            if how == "largest"
            else f"**{name}**: **{written(mean)}** on average over {len(heads)} heads. "
            f"One of them alone, {where}, gives it **{written(largest)}**."
        )
    assert seen(at).partition("looks most at ")[2] in said


def test_each_cell_says_which_head_looks_there_most(open_view):
    at, _ = open_view("sentence", model="translate", kind="encoder self")
    [panel] = shown(at)
    layers, _ = layers_of(Kind.ENCODER_SELF)
    assert panel.details[8][1] in {
        f"layer {layer} head {head}"
        for layer, of in enumerate(layers)
        for head, weights in enumerate(of)
        if weights[8, 1] == panel.values[8, 1]
    }
    at.segmented_control(key="how").set_value("mean").run()
    assert shown(at)[0].details is None
