import numpy as np
import pytest

from core.heads import Head, Kind
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.heads.maps import vector_norms
from tests.pages.conftest import MODEL, ROOT, component, pick, send_from, shown
from tests.pages.views.attention.conftest import seen, written
from tests.viz.unpacked import unpack_matrices as unpack

TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")
KINDS = list(Kind)


def zoom(at, value):
    send_from(at, component(at, "attention_maps"), "zoom", value)


def test_a_zoom_stands_in_the_link_stays_with_another_head_and_goes_with_the_sentence(open_app):
    at = open_app()
    zoom(at, {"row": 1, "column": 2, "rows": 3, "columns": 4})
    assert at.query_params["zoom"] == "1,2,3,4"
    pick(at, 1, 2)
    assert (shown(at).selected, shown(at).zoom) == ((1, 2), (1, 2, 3, 4))
    at.text_input(key="sentence").set_value(WIDE).run()
    assert shown(at).zoom is None
    zoom(at, {"row": 1, "column": 2, "rows": 3, "columns": 4})
    zoom(at, None)
    assert "zoom" not in at.query_params


@pytest.mark.parametrize("how", ["largest", "mean"])
@pytest.mark.parametrize("kind", KINDS)
def test_all_heads_make_one_map_and_it_is_said_what_one_head_hides_behind_it(open_view, kind, how):
    at, _ = open_view("maps", model="translate", kind=str(kind), how=how)
    inspection = inspect_sentence(load_run(ROOT / "gallery" / "translate"), TIRED)
    heads = {
        (site.layer, index): weights_QK.astype(np.float64)
        for site in inspection.sites_of(kind)
        for index, weights_QK in enumerate(inspection.attention[site].weights_HQK)
    }
    over_all = {"largest": np.maximum.reduce, "mean": lambda maps: sum(maps) / len(maps)}
    [panel] = unpack(component(at, "matrices").bytes).panels
    values = over_all[how](list(heads.values()))
    assert panel.values == pytest.approx(values, abs=1e-7)
    assert panel.note == {"mean": "rows sum to 1", "largest": "rows need not sum to 1"}[how]
    rows, keys = ([each.text for each in axis.labels] for axis in (panel.rows, panel.columns))
    query = rows.index("it") if kind is Kind.ENCODER_SELF else None
    said = []
    for row in range(len(rows)) if query is None else [query]:
        key = int(values[row].argmax())
        cells = {head: float(weights[row, key]) for head, weights in heads.items()}
        layer, head = max(cells, key=cells.get)
        largest, mean = max(cells.values()), sum(cells.values()) / len(cells)
        name = "itself" if kind.is_self and key == row else f"“{keys[key]}”"
        which = "" if kind is Kind.ENCODER_SELF else f"{kind.sublayer_label} "
        where = f"{kind.stack} layer {layer}, {which}head {head}"
        if how == "largest":
            assert panel.details[row][key] == where
        said.append(
            f"gives {name} **{written(mean)}** of its attention on average over {len(heads)} "
            f"heads, **{written(largest)}** in {where}."
        )
    assert any(seen(at).endswith(each) for each in said)


@pytest.mark.parametrize("pinned", [None, 7])
def test_weights_stand_beside_how_far_each_key_moves_the_query(open_view, pinned):
    pin = {} if pinned is None else {"side": "source", "token": str(pinned)}
    at, _ = open_view(
        "maps", model=MODEL, how="norms", kind="encoder.self", layer="1", head="0", **pin
    )
    run, head = load_run(ROOT / "gallery" / MODEL), Head.parse("encoder.1.self:0")
    found = vector_norms(run, TIRED, head, inspect_sentence(run, TIRED))
    shown = unpack(component(at, "matrices").bytes)
    weights, shares, difference = (panel.values for panel in shown.panels)
    assert weights == pytest.approx(found.weights_QK)
    assert shares == pytest.approx(found.shares_QK)
    assert difference == pytest.approx(found.shares_QK - found.weights_QK, abs=1e-6)
    words = [token.text for token in found.queries]
    largest = np.abs(difference).argmax() if pinned is None else np.abs(difference[pinned]).argmax()
    query, key = divmod(int(largest), len(words)) if pinned is None else (pinned, int(largest))
    weight, share = weights[query, key], shares[query, key]
    assert (
        f"“{words[query]}” gives “{words[key]}” **{written(weight)}** of its attention; "
        f"“{words[key]}” contributes {'only ' * bool(share < weight)}**{written(share)}**"
    ) in seen(at)
    # Each map has a frame around the cell that is spoken of.
    assert shown.selected == (None, query, key)
    agree = int((weights.argmax(axis=1) == shares.argmax(axis=1)).sum())
    assert f"in **{agree} of {len(words)}** rows" in seen(at)
