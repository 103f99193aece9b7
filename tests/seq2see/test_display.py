import html
import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from core.heads import Head, Kind
from core.inspection import inspect_sentence
from core.installed import GALLERY
from core.runs.run import load_run
from seq2see.display import attention, watch
from tests.core.watch.random_models import inputs_of, model_of
from tests.core.watch.written_by_hand import Additive, drawn


@pytest.mark.parametrize("shape", [(5, 5), (3, 5, 5), (2, 3, 5, 5)])
def test_an_array_of_two_to_four_axes_is_a_grid_of_heads(shape):
    weights = torch.rand(shape).softmax(-1)
    [maps] = attention(weights, list("abcde")).maps
    assert maps.weights_LHQK.shape == (1,) * (4 - len(shape)) + shape
    assert np.array_equal(maps.weights_LHQK.reshape(shape), weights.numpy())
    assert maps.rows == maps.columns == list("abcde")
    assert attention(weights.numpy()).maps[0].rows == list("01234")


def test_what_an_array_is_shows_in_its_shape_and_its_zeros():
    square, causal = torch.ones(4, 4), torch.ones(4, 4).tril()
    found = {
        "square": attention(square / 4).maps[0].kind,
        "causal": attention(causal / causal.sum(1, keepdim=True)).maps[0].kind,
        "wide": attention(torch.full((4, 5), 0.2)).maps[0].kind,
        "two texts": attention(square / 4, list("abcd"), list("efgh")).maps[0].kind,
    }
    assert found == {
        **{"square": Kind.ENCODER_SELF, "causal": Kind.DECODER_SELF},
        **{"wide": Kind.CROSS, "two texts": Kind.CROSS},
    }


def test_a_map_alone_names_no_layer_and_no_head():
    titles = [
        attention(torch.full(shape, 0.25)).maps[0].attention_maps().texts["title.encoder.self"]
        for shape in [(4, 4), (2, 4, 4), (2, 2, 4, 4)]
    ]
    assert titles == ["attention", "attention, head {head}", "layer {layer}, head {head}"]


def test_an_inspected_sentence_shows_each_head_in_its_place():
    inspection = inspect_sentence(load_run(GALLERY / "copy"), "a b c")
    for maps in attention(inspection).maps:
        for layer, head in np.ndindex(*maps.weights_LHQK.shape[:2]):
            weights_QK = inspection.weights_of(Head.parse(f"{maps.kind.site(layer)}:{head}"))
            assert np.array_equal(maps.weights_LHQK[layer, head], weights_QK)
    [first, *_] = attention(inspection, head=(1, 2)).maps
    assert first.attention_maps().selected == (1, 2)


def test_outputs_of_transformers_show_all_their_attentions_also_of_generate():
    model, inputs = model_of("bart", "eager"), inputs_of("bart")
    rows, columns = list("abcdefg"), list("hijklmnop")
    with torch.no_grad():
        output = model(**inputs, output_attentions=True)
    encoder, decoder, cross = attention(output, rows, columns, batch=1).maps
    assert (encoder.rows, encoder.columns) == (columns, columns)
    assert (decoder.rows, decoder.columns) == (rows, rows)
    assert (cross.rows, cross.columns) == (rows, columns)
    assert np.array_equal(cross.weights_LHQK[1], output.cross_attentions[1][1].numpy())
    written = model.generate(
        inputs["input_ids"],
        do_sample=False,
        max_new_tokens=6,
        min_new_tokens=6,
        output_attentions=True,
        return_dict_in_generate=True,
    )
    with torch.no_grad():
        whole = model(
            input_ids=inputs["input_ids"],
            decoder_input_ids=written.sequences[:, :-1],
            output_attentions=True,
        )
    for steps, at_once in zip(attention(written).maps, attention(whole).maps, strict=True):
        assert np.allclose(steps.weights_LHQK, at_once.weights_LHQK, atol=1e-5)


def test_texts_that_do_not_fit_are_refused_with_a_sentence():
    output = SimpleNamespace(attentions=[torch.full((1, 2, 5, 5), 0.2)])
    with pytest.raises(ValueError, match="The map has 5 rows, and there are 2 texts for them"):
        attention(output, ["a", "b"])


def test_layers_that_are_alike_stand_in_one_picture_without_padding():
    model, inputs = model_of("bart", "sdpa"), inputs_of("bart")
    with watch(model) as seen:
        model(**inputs)
    encoder, decoder, cross = seen.picture(batch=1).maps
    assert encoder.name == "model.encoder.layers.{layer}.self_attn"
    assert decoder.name == "model.decoder.layers.{layer}.self_attn"
    assert cross.name == "model.decoder.layers.{layer}.encoder_attn"
    assert [each.weights_LHQK.shape for each in (encoder, decoder, cross)] == [
        *((2, 4, 6, 6), (2, 4, 7, 7), (2, 4, 7, 6))
    ]
    assert cross.columns == [str(token) for token in inputs["input_ids"][1, :6].tolist()]
    assert encoder.visible_QK.all()


def test_padding_on_the_left_is_cut_from_a_generated_text():
    model, inputs = model_of("llama 3", "sdpa"), inputs_of("llama 3")
    flipped = {name: ids.flip(1) for name, ids in inputs.items()}
    with watch(model) as seen:
        model.generate(**flipped, do_sample=False, max_new_tokens=4, min_new_tokens=4)
    padded, whole = (seen.picture(batch=batch).maps[0] for batch in (1, 0))
    assert padded.rows[:6] == [str(token) for token in flipped["input_ids"][1, 3:].tolist()]
    assert padded.weights_LHQK.shape == (2, 4, 9, 9)
    assert whole.weights_LHQK.shape == (2, 4, 12, 12)
    assert np.array_equal(padded.visible_QK, np.tri(9, dtype=bool))


def test_the_steps_of_a_recurrent_decoder_are_the_rows_of_a_map():
    model, inputs = drawn(Additive)
    with watch(model) as seen:
        model(*inputs)
    [maps] = seen.picture().maps
    assert (maps.kind, maps.weights_LHQK.shape) == (Kind.CROSS, (1, 1, 5, 7))


def test_the_keys_of_an_image_are_its_patches():
    model, inputs = model_of("vit", "sdpa"), inputs_of("vit")
    with watch(model) as seen:
        model(**inputs)
    [maps] = seen.picture(batch=1).maps
    assert maps.rows == maps.columns
    assert [*maps.columns[:3], maps.columns[-1]] == ["class", "0,0", "0,1", "3,3"]
    assert maps.patches.shape == (4, 4)
    image = inputs["pixel_values"][1].permute(1, 2, 0)
    spread = (image - image.min()) / (image.max() - image.min())
    assert np.abs(maps.patches.image_YX3 / 255 - spread.numpy()).max() < 0.003


def test_a_model_whose_attention_was_not_seen_says_so():
    model, _ = drawn(Additive)
    with watch(model) as seen:
        pass
    assert seen._repr_html_() is None
    assert repr(seen) == "<Watched of Additive: no attention seen>"
    with pytest.raises(ValueError, match="No attention of Additive was seen"):
        seen.picture()


@pytest.mark.browser
def test_a_notebook_shows_all_heads_without_a_network(browser, tmp_path):
    model, inputs = model_of("bart", "sdpa"), inputs_of("bart")
    with watch(model, lambda token: f"t{token}") as seen:
        model(**inputs)
    cell = seen._repr_html_()
    assert not re.search(r"https?://(?!www\.w3\.org)", html.unescape(cell))
    seen.save(tmp_path / "attention.html")
    assert "<h1" in (tmp_path / "attention.html").read_text()
    page = browser.new_page()
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.set_content(f"<p>before</p>{cell}<p>after</p>")
    frame = page.frame_locator("iframe")
    frame.locator(".tile").nth(8 + 5).click()
    panel = frame.locator(".panel figcaption").nth(1)
    panel.get_by_text("model.decoder.layers.1.self_attn, head 1").wait_for()
    assert frame.locator(".tile").count() == 3 * 8
    box = page.locator("iframe").bounding_box()
    assert box["height"] > 900
    page.close()
    assert faults == []


@pytest.mark.slow
@pytest.mark.browser
def test_a_click_on_a_patch_shows_what_it_looks_at_in_the_image(browser, tmp_path):
    model, inputs = model_of("vit", "sdpa"), inputs_of("vit")
    with watch(model) as seen:
        model(**inputs)
    seen.save(tmp_path / "attention.html")
    page = browser.new_page()
    page.goto((tmp_path / "attention.html").as_uri())
    page.locator(".tile").nth(5).click()
    image = page.locator(".patches canvas").nth(1)
    box = image.bounding_box()
    image.click(position={"x": 0.6 * box["width"], "y": 0.3 * box["height"]})
    [layer_1] = [seen[name].weights for name in seen if ".1." in name]
    weight = float(layer_1[0, 1, 1 + 4 + 2, 1:].max())
    caption = page.locator(".patches .caption").inner_text()
    page.close()
    assert caption.startswith("What 1,2 looks at in the image")
    assert float(caption.split()[-1]) == pytest.approx(weight, rel=0.01)


@pytest.mark.slow
@pytest.mark.browser
def test_a_picture_is_dark_where_the_notebook_is(browser):
    cell = attention(torch.full((2, 2), 0.5))._repr_html_()
    # Playwright's own scheme would stand above that of the notebook.
    page = browser.new_page(color_scheme="null")
    papers = []
    for text in ("black", "white"):
        page.set_content(f"<body style='color: {text}'>{cell}")
        body = page.frame_locator("iframe").locator("body:has([data-drawn])")
        papers.append(body.evaluate("body => getComputedStyle(body).backgroundColor"))
    page.close()
    assert papers == ["rgb(255, 255, 255)", "rgb(18, 18, 18)"]
