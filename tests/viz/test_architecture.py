import re
from dataclasses import replace

import pytest

from viz.architecture import (
    DEFAULT_ARCHITECTURE_TEXTS,
    Architecture,
    component_assets,
    pack,
    part_ids,
    unpack,
)
from viz.payload import unframed

BASE = Architecture(
    n_encoder_layers=2,
    n_decoder_layers=1,
    norm="post",
    tied=True,
    selected="decoder.0.cross",
    details={"softmax": "15 × 137"},
)


def test_the_parts_of_a_post_norm_model_follow_the_data():
    assert part_ids(1, 1, "post") == (
        "encoder.embedding",
        "encoder.positions",
        "encoder.0.self",
        "encoder.0.self.norm",
        "encoder.0.feed_forward",
        "encoder.0.feed_forward.norm",
        "decoder.embedding",
        "decoder.positions",
        "decoder.0.self",
        "decoder.0.self.norm",
        "decoder.0.cross",
        "decoder.0.cross.norm",
        "decoder.0.feed_forward",
        "decoder.0.feed_forward.norm",
        "output",
        "softmax",
    )


def test_a_pre_norm_model_normalises_before_each_sublayer_and_at_both_ends():
    ids = part_ids(1, 1, "pre")
    assert ids[2:7] == (
        "encoder.0.self.norm",
        "encoder.0.self",
        "encoder.0.feed_forward.norm",
        "encoder.0.feed_forward",
        "encoder.norm",
    )
    assert ids[-3:] == ("decoder.norm", "output", "softmax")
    assert set(ids) - set(part_ids(1, 1, "post")) == {"encoder.norm", "decoder.norm"}


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize(("encoder", "decoder"), [(0, 0), (2, 0), (0, 3), (12, 12)])
def test_each_layer_has_its_parts_once(encoder, decoder, norm):
    ids = part_ids(encoder, decoder, norm)
    assert len(set(ids)) == len(ids) == 4 * encoder + 6 * decoder + 6 + 2 * (norm == "pre")


def test_what_is_packed_comes_out_again():
    back = unpack(pack(BASE))
    assert replace(back, texts={}) == BASE
    assert back.texts == DEFAULT_ARCHITECTURE_TEXTS


def test_the_component_learns_which_sublayers_make_a_layer():
    header, _ = unframed(pack(BASE))
    assert header["sublayers"]["decoder"] == ["self", "cross", "feed_forward"]
    assert "SUBLAYERS" not in component_assets().js


def test_a_page_may_translate_the_texts():
    texts = unpack(pack(replace(BASE, texts={"cross": "Kreuzaufmerksamkeit"}))).texts
    assert (texts["cross"], texts["self"]) == ("Kreuzaufmerksamkeit", "Self-attention")


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", '"\\', "שלום", "\u2028", ""])
def test_any_characters_survive(text):
    assert unpack(pack(replace(BASE, details={"output": text}))).details == {"output": text}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_encoder_layers": -1}, "-1 layers"),
        ({"n_decoder_layers": -2}, "-2 layers"),
        ({"norm": "none"}, "'none'"),
        ({"selected": "decoder.1.cross"}, r"decoder\.1\.cross"),
        ({"selected": ""}, "parts"),
        ({"details": {"encoder.norm": "x"}}, r"encoder\.norm"),
        ({"texts": {"crosss": "x"}}, "crosss"),
    ],
)
def test_an_architecture_that_contradicts_itself_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        replace(BASE, **changes)


def test_every_text_is_used_by_the_component():
    js = component_assets().js
    names = {"source", "target", "encoder", "decoder", "query", "key", "value"}
    for name in set(DEFAULT_ARCHITECTURE_TEXTS) - names:
        assert re.search(rf"\b{name.split('.')[0]}\b", js), name
    for name in names:
        assert re.search(rf'"{name}"|\b{name}:', js), name


def test_the_assets_are_whole():
    assets = component_assets()
    assert assets.js.count("export default") == 1
    assert "innerHTML" not in assets.js
    # Handlers are properties, which cannot pile up; only these two are events alone.
    assert set(re.findall(r'addEventListener\("(\w+)"', assets.js)) <= {"focusin", "focusout"}
    named = set(re.findall(r"(--[a-z-]+):", assets.css))
    assert {
        each for each in re.findall(r"var\((--[a-z-]+)", assets.css) if "--st-" not in each
    } <= (named)
