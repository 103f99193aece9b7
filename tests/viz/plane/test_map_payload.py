import json
import struct
from dataclasses import replace

import numpy as np
import pytest
from viz.plane.map_payload import MOST_CELLS_OF_A_FILE, pack, unpack

from viz.component.payload import TokenLabel
from viz.plane.maps import DEFAULT_MAPS_TEXTS, AttentionMaps

HOSTILE = (
    "<script>alert(1)</script>",
    "</s>",
    '"\\',
    "🐈‍⬛",
    "שלום",
    "\u2028",
    "\ud800",
    "{key}",
    "",
)


def words(n, prefix="w"):
    return tuple(TokenLabel(f"{prefix}{i}") for i in range(n))


def cross(layers=2, heads=3, queries=5, keys=7, seed=0, selected=(1, 2)):
    weights = np.random.default_rng(seed).random((layers, heads, queries, keys), np.float32)
    visible = np.ones((queries, keys), np.bool_)
    visible[:, -1] = False
    target = words(queries + 1, "t")
    return AttentionMaps(
        kind="decoder.cross",
        sides=("target", "source"),
        weights=weights * visible,
        visible=visible,
        queries=target[:-1],
        keys=words(keys),
        predicted=target[1:],
        source=words(keys),
        target=target,
        translation="t1 t2",
        selected=selected,
    )


def encoder(labels, **changes):
    n = len(labels)
    maps = {
        "kind": "encoder.self",
        "sides": ("source", "source"),
        "weights": np.full((1, 1, n, n), 1 / n, np.float32),
        "visible": np.ones((n, n), np.bool_),
        "queries": labels,
        "keys": labels,
        "source": labels,
    }
    return AttentionMaps(**(maps | changes))


@pytest.mark.parametrize("shape", [(2, 3, 5, 7), (3, 2, 7, 5), (1, 1, 1, 1), (6, 8, 3, 4)])
def test_what_is_packed_comes_out_again(shape):
    maps = cross(*shape, selected=(0, 0))
    back = unpack(pack(maps))
    assert np.abs(back.weights - maps.weights).max() <= 1 / 510 + 1e-6
    assert (back.visible == maps.visible).all()
    for name in ("kind", "queries", "keys", "predicted", "source", "target", "translation"):
        assert getattr(back, name) == getattr(maps, name)
    assert back.texts == DEFAULT_MAPS_TEXTS


def test_the_chosen_head_is_exact_and_only_that_one():
    maps = cross()
    back = unpack(pack(maps))
    assert (back.weights[1, 2] == maps.weights[1, 2]).all()
    assert (back.weights[0, 0] != maps.weights[0, 0]).any()
    assert back.selected == (1, 2)


def test_numbers_begin_where_32_bit_floats_can_be_read():
    for length in range(1, 6):
        maps = encoder((TokenLabel("x" * length),))
        payload = pack(maps)
        assert len(payload) % 4 == 0
        assert unpack(payload).weights.tolist() == [[[[1.0]]]]


def test_no_weight_and_full_weight_have_the_ends_of_the_scale():
    labels = words(2)
    weights = np.array([[[[1.00001, 0.0], [0.5, 0.5]]]], np.float32)
    back = unpack(pack(encoder(labels, weights=weights, selected=(0, 0))))
    assert back.weights[0, 0, 0, 0] == pytest.approx(1.00001)
    header_end = 4 + struct.unpack_from("<I", pack(encoder(labels, weights=weights)))[0]
    cells = pack(encoder(labels, weights=weights))[header_end + -header_end % 4 :][:4]
    assert list(cells) == [255, 0, 128, 128]


def test_any_characters_survive():
    labels = tuple(TokenLabel(text, special=i % 2 == 0) for i, text in enumerate(HOSTILE))
    assert unpack(pack(encoder(labels))).source == labels


def test_flags_of_a_label_survive_one_by_one():
    labels = (
        TokenLabel("a", special=True),
        TokenLabel("b", unknown=True),
        TokenLabel("c", continues=True),
        TokenLabel("d", unknown=True, continues=True),
    )
    assert unpack(pack(encoder(labels))).keys == labels


def header_of(payload):
    (length,) = struct.unpack_from("<I", payload)
    return json.loads(payload[4 : 4 + length])


def test_another_selection_leaves_the_content_the_same():
    maps = cross()
    same = header_of(pack(replace(maps, selected=(0, 1))))
    assert same["content"] == header_of(pack(maps))["content"]
    assert header_of(pack(cross(seed=1)))["content"] != same["content"]
    assert header_of(pack(replace(maps, translation="x")))["content"] != same["content"]


def test_a_zoom_survives_and_leaves_the_content_the_same():
    maps = cross()
    zoomed = replace(maps, zoom=(1, 2, 3, 4))
    assert unpack(pack(zoomed)).zoom == (1, 2, 3, 4)
    assert unpack(pack(maps)).zoom is None
    assert header_of(pack(zoomed))["content"] == header_of(pack(maps))["content"]
    assert [header_of(pack(maps, zooms=zooms))["zooms"] for zooms in (True, False)] == [True, False]


def test_48_heads_of_128_tokens_take_less_than_a_megabyte():
    labels = tuple(TokenLabel(f"unforgettable{i}") for i in range(128))
    weights = np.full((6, 8, 128, 128), 1 / 128, np.float32)
    assert len(pack(encoder(labels, weights=weights))) < 1_000_000


@pytest.mark.parametrize("shape", [(2, 2, 513, 510), (12, 16, 128, 100), (1, 1, 1200, 900)])
def test_very_many_weights_are_pooled_except_for_the_exact_ones(shape):
    maps = cross(*shape, selected=(0, 0))
    payload = pack(maps)
    pool = header_of(payload)["pool"]
    assert pool > 1
    assert len(payload) < 1_000_000 + 5.5 * shape[2] * shape[3] + 100_000
    back = unpack(payload)
    assert (back.weights[0, 0] == maps.weights[0, 0]).all()
    for row, column in [(0, 0), (shape[2] - 1, shape[3] - 2), (77, 34)]:
        block = maps.weights[
            -1,
            -1,
            row // pool * pool : (row // pool + 1) * pool,
            column // pool * pool : (column // pool + 1) * pool,
        ]
        if shape[:2] != (1, 1):
            assert back.weights[-1, -1, row, column] == pytest.approx(block.max(), abs=1 / 509)
    assert np.abs(unpack(pack(maps, whole=True)).weights - maps.weights).max() <= 1 / 509


def test_a_page_may_translate_the_texts():
    maps = replace(cross(), texts={"source": "Quelle"})
    texts = unpack(pack(maps)).texts
    assert texts["source"] == "Quelle"
    assert texts["target"] == "target"


def test_a_file_of_very_many_weights_has_a_limit_too():
    maps = cross(12, 16, 512, 300, selected=(3, 4))
    payload = pack(maps, whole=True)
    assert len(payload) < MOST_CELLS_OF_A_FILE + 5.5 * 512 * 300 + 100_000
    back = unpack(payload)
    assert (back.weights[3, 4] == maps.weights[3, 4]).all()
    assert back.weights[11, 15, 511, 297] == pytest.approx(
        maps.weights[11, 15, 510:, 296:298].max(), abs=1 / 509
    )
