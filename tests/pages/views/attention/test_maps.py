import numpy as np
import pytest

from core.heads import Kind
from core.inspection import inspect_sentence
from core.runs.run import load_run
from tests.pages.conftest import MODEL, ROOT, component, pick, send_from, shown
from tests.pages.views.attention.conftest import seen, written

WIDE = "The animal didn't cross the street because it was too wide."


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
    "written",
    ["", "1,2,3", "1,2,3,4,5", "a,b,c,d", "-1,0,2,2", "0,0,0,2", "12,0,5,2", "0,0,1e2,2", "²,0,1,1"]
    + ["9" * 5000 + ",0,1,1", "0,0,14,14", "0.5,0,1,1", ",,,"],
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
