import numpy as np
import pytest

from core.heads import Kind
from core.inspection import inspect_sentence
from core.runs.run import load_run
from pages.frame.export import as_csv
from tests.pages.conftest import MODEL, ROOT, component, pick, send_from, shown
from tests.pages.views.attention.conftest import from_csv, seen, written
from tests.viz.unpacked import unpack_matrices as unpack

TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")
KINDS = list(Kind)


def zoom(at, value):
    send_from(at, component(at, "attention_maps"), "zoom", value)


def test_a_zoom_becomes_part_of_the_link_and_the_whole_map_takes_it_out_again(open_app):
    at = open_app()
    zoom(at, {"row": 1, "column": 2, "rows": 3, "columns": 4})
    assert at.query_params["zoom"] == "1,2,3,4"
    assert shown(at).zoom == (1, 2, 3, 4)
    zoom(at, None)
    assert "zoom" not in at.query_params
    assert shown(at).zoom is None


def test_a_link_opens_its_zoom_and_another_head_keeps_it(open_app):
    at = open_app(zoom="1,2,3,4")
    assert shown(at).zoom == (1, 2, 3, 4)
    pick(at, 1, 2)
    assert (shown(at).selected, shown(at).zoom) == ((1, 2), (1, 2, 3, 4))


@pytest.mark.parametrize("change", ["sentence", "kind", "unit"])
def test_other_maps_are_shown_whole(open_app, change):
    at = open_app(zoom="1,2,3,4")
    if change == "sentence":
        at.text_input(key="sentence").set_value(WIDE).run()
    else:
        chosen = {"kind": "decoder.cross", "unit": "words"}[change]
        at.segmented_control(key=change).set_value(chosen).run()
    assert shown(at).zoom is None
    assert "zoom" not in at.query_params


@pytest.mark.parametrize(
    "written", ["", "1,2,3", "a,b,c,d", "-1,0,2,2", "0,0,0,2", "12,0,5,2", "²,0,1,1", "0,0,14,14"]
)
def test_what_is_no_part_of_the_map_shows_all_of_it(open_app, written):
    assert shown(open_app(zoom=written)).zoom is None


def map_of(kind, layer, head, sentence=WIDE, model=MODEL):
    inspection = inspect_sentence(load_run(ROOT / "gallery" / model), sentence)
    site = inspection.sites_of(Kind(kind))[layer]
    return inspection, inspection.attention[site].weights_HQK[head].astype(np.float64)


@pytest.mark.parametrize("head", ["0", "1"])
def test_it_is_said_where_the_pronoun_looks_and_what_even_would_be(open_app, head):
    at = open_app(model=MODEL, sentence=WIDE, head=head)
    inspection, weights = map_of("encoder.self", 2, int(head))
    words = [token.text for token in inspection.source_tokens]
    row = weights[words.index("it")].tolist()
    key = words[row.index(max(row))]
    assert seen(at) == (
        f"**it** looks most at **{'itself' if key == 'it' else key}**: **{written(max(row))}**. "
        f"An even spread would give each of the {len(words)} positions {written(1 / len(words))}."
    )


@pytest.mark.parametrize("kind", ["decoder.cross", "decoder.self"])
def test_of_the_decoder_it_is_said_what_was_fed_and_what_predicted(open_app, kind):
    at = open_app(model=MODEL, sentence=WIDE, kind=kind, layer="1", head="2")
    inspection, weights = map_of(kind, 1, 2)
    keys = inspection.tokens_of(Kind(kind).key_side)
    said = []
    for row, (fed, predicted) in enumerate(
        zip(inspection.fed_tokens, inspection.predicted_tokens, strict=True)
    ):
        largest = weights[row].max()
        key = int(weights[row].argmax())
        name = "itself" if kind == "decoder.self" and key == row else keys[key].text
        said.append(
            f"The decoder, fed **{fed.text}** to predict **{predicted.text}**, looks most at "
            f"**{name}**: **{written(largest)}**."
        )
    assert seen(at).partition(" An even")[0] in said


def test_every_cell_names_its_query_its_key_and_whether_it_is_hidden(open_view):
    _, taken = open_view("maps", model="copy", sentence="a b", kind="decoder self")
    columns = from_csv(as_csv(taken.columns()))
    cells = list(zip(*(columns[name] for name in list(columns)[1:-1]), strict=True))
    assert cells == [
        ("0", "BOS", "0", "BOS", "True"),
        ("0", "BOS", "1", "a", "False"),
        ("0", "BOS", "2", "b", "False"),
        ("1", "a", "0", "BOS", "True"),
        ("1", "a", "1", "a", "True"),
        ("1", "a", "2", "b", "False"),
        ("2", "b", "0", "BOS", "True"),
        ("2", "b", "1", "a", "True"),
        ("2", "b", "2", "b", "True"),
    ]


def panels(at):
    """Return the maps of many heads that the page shows, as the component reads them."""
    return unpack(component(at, "matrices").bytes).panels


def layers_of(kind, model="translate"):
    """Return weights_HQK of each layer, and which cells are visible."""
    inspection = inspect_sentence(load_run(ROOT / "gallery" / model), TIRED)
    found = [inspection.attention[site] for site in inspection.sites_of(kind)]
    return [each.weights_HQK.astype(np.float64) for each in found], found[0].visible_QK


@pytest.mark.parametrize("kind", KINDS)
def test_each_layer_has_the_mean_or_the_largest_of_its_heads(open_view, kind):
    asked = {"model": "translate", "kind": str(kind), "over_what": "layers"}
    at, taken = open_view("maps", how="mean", **asked)
    layers, visible_QK = layers_of(kind)
    for panel, weights_HQK in zip(panels(at), layers, strict=True):
        assert panel.values == pytest.approx(sum(weights_HQK) / len(weights_HQK), abs=1e-7)
        assert np.array_equal(panel.visible, visible_QK)
        assert panel.note == "rows sum to 1"
    assert list(dict.fromkeys(taken.columns()["layer"])) == list(range(len(layers)))
    at.selectbox(key="how").set_value("largest").run()
    for panel, weights_HQK in zip(panels(at), layers, strict=True):
        assert (panel.values == np.maximum.reduce(list(weights_HQK))).all()
        assert panel.note == "rows need not sum to 1"


def test_all_heads_of_all_layers_make_one_map(open_view):
    at, taken = open_view("maps", model="translate", kind="cross", how="mean")
    heads = [head for layer in layers_of(Kind.CROSS)[0] for head in layer]
    [panel] = panels(at)
    assert panel.values == pytest.approx(sum(heads) / len(heads), abs=1e-7)
    assert (panel.rows.side, panel.columns.side) == ("target", "source")
    assert panel.title == taken.title == "Cross-attention, all layers: mean of 8 heads"
    assert set(taken.columns()["layer"]) == {"all"}
    assert panel.details is None
    keys = {each.key for each in at.selectbox}
    assert not {"layer", "head", "other"} & keys


def test_each_cell_says_which_head_looks_there_most(open_view):
    at, _ = open_view("maps", model="translate", kind="encoder self", how="largest")
    [panel] = panels(at)
    assert panel.details[8][1] in {
        f"layer {layer} head {head}"
        for layer, of in enumerate(layers_of(Kind.ENCODER_SELF)[0])
        for head, weights in enumerate(of)
        if weights[8, 1] == panel.values[8, 1]
    }


def test_of_a_single_head_nothing_is_called_many(open_view, own_random):
    own_random(n_encoder_layers=1, n_decoder_layers=1, n_heads=1)
    at, _ = open_view("maps", model="runs/random", sentence="a b c", how="largest")
    [panel] = panels(at)
    assert panel.note == "rows sum to 1"
    assert panel.details is None


@pytest.mark.parametrize("how", ["largest", "mean"])
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_said_what_one_head_hides_behind_the_mean(open_view, kind, how):
    at, _ = open_view("maps", model="translate", kind=str(kind), how=how)
    layers, _ = layers_of(kind)
    heads = {(layer, h): head for layer, of in enumerate(layers) for h, head in enumerate(of)}
    over_all = {"largest": np.maximum.reduce, "mean": lambda maps: sum(maps) / len(maps)}
    [panel] = panels(at)
    values = over_all[how](list(heads.values()))
    rows, keys = ([each.text for each in axis.labels] for axis in (panel.rows, panel.columns))
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
