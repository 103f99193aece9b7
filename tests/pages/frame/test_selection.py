"""What all views of the attention page share: the row of controls."""

import json
import shutil
from urllib.parse import parse_qs

import pytest

from core.decoding.sentence import model_input
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.heads.largest_weights import head_between_words
from core.studies.opening.examples import examples_of
from core.studies.opening.opening import open_model
from pages.attention import VIEWS
from pages.frame import selection
from tests.core.library.folders import write_multilingual
from tests.pages.conftest import said
from tests.pages.drawing import assert_computes, draw


@pytest.mark.parametrize("view", [view.name for view in VIEWS])
def test_what_changes_nothing_is_not_asked_for_and_stays_as_it_was(open_view, view):
    at, _ = open_view(view, model="translate", kind="cross", layer="1", head="2")
    keys = {each.key for each in [*at.segmented_control, *at.selectbox]}
    assert (
        ("kind" in keys) == ("layer" in keys) == ("head" in keys) == (view not in ("word", "pass"))
    )
    at.segmented_control(key="view").set_value("maps").run()
    assert at.segmented_control(key="kind").value == "decoder.cross"
    assert [at.selectbox(key=name).value for name in ("layer", "head")] == [1, 2]


@pytest.mark.parametrize("name", ["gpt2", "bert"])
def test_a_model_of_one_stack_opens_on_a_head_that_looks_from_word_to_word(opened_path, name):
    run = load_run(opened_path(name))
    kind = selection.default_kind(run)
    best = head_between_words(inspect_sentence(run, examples_of(run)[0].source), kind)
    assert selection.default_head(run, kind) == (best.layer, best.index) != (0, 0)


TEXT = "the animal and the street"
OF_TEXT = [
    ("whole", {}, "position"),
    ("attention", {}, "query"),
    ("lessons", {"lessons": "layers"}, "position"),
]
"""A page, the view of it, and the column of its table that counts the tokens."""


@pytest.mark.parametrize("n", [0, 3])
@pytest.mark.parametrize(("page", "view", "column"), OF_TEXT)
def test_a_decoder_alone_writes_as_many_tokens_as_are_asked_for(
    run_of_kind, elsewhere, page, view, column, n
):
    path = run_of_kind("gpt2")
    elsewhere("OWN", path.parent)
    asked = {"model": "runs/run", "sentence": TEXT, "new_tokens": str(n)}
    drawing = draw(page, asked | view)
    assert drawing.at.query_params["new_tokens"] == str(n)
    assert f"max_new_tokens={n})" in drawing.python
    assert_computes(drawing.python, drawing.about["columns"])
    n_prompt = len(model_input(load_run(path), TEXT).prompt)
    assert len(set(drawing.about["columns"][column])) == n_prompt + n


def test_a_chat_model_is_asked_with_its_template_where_that_is_chosen(run_of_kind, own_runs):
    path = shutil.copytree(run_of_kind("gpt2"), own_runs / "run")
    stored = json.loads((path / "run.json").read_text())
    stored["chat"] = {"before": "street ", "after": " it", "problem": ""}
    (path / "run.json").write_text(json.dumps(stored))
    asked = {"model": "runs/run", "sentence": TEXT, "chat": "true"}
    drawing = draw("attention", asked)
    assert "chats=True)" in drawing.python
    assert_computes(drawing.python, drawing.about["columns"])
    n = len(set(drawing.about["columns"]["query"]))
    assert n > len(set(draw("attention", asked | {"chat": "false"}).about["columns"]["query"]))


@pytest.mark.slow
def test_a_multilingual_model_writes_the_language_that_is_chosen(tmp_path, own_runs):
    write_multilingual(tmp_path / "model")
    list(open_model(str(tmp_path / "model"), own_runs / "run"))
    drawing = draw("attention", {"model": "runs/run", "kind": "cross", "into": "deu_Latn"})
    number = load_run(own_runs / "run").languages["deu_Latn"]
    assert f"forced_id={number})" in drawing.python
    assert_computes(drawing.python, drawing.about["columns"])


def test_what_is_about_the_written_text_says_so_where_none_is_written(run_of_kind, elsewhere):
    elsewhere("OWN", run_of_kind("gpt2").parent)
    drawing = draw("decoding", {"model": "runs/run", "sentence": TEXT, "new_tokens": "0"})
    assert "“New tokens” is 0" in drawing.reasons[0]


def link_of(at):
    [found] = [each for each in at.get("page_link") if each.proto.label == "All about this head"]
    return found.proto


@pytest.mark.slow
def test_the_head_of_a_map_has_a_link_to_its_card(open_page):
    at = open_page(
        "attention", view="maps", model="copy", kind="decoder.cross", layer="1", head="2"
    )
    link = link_of(at)
    query = {name: texts[0] for name, texts in parse_qs(link.query_string).items()}
    assert (link.page, query["trial"], query["model"]) == ("heads", "head", "copy")
    assert (query["kind"], query["layer"], query["head"]) == ("decoder.cross", "1", "2")
    card = open_page(link.page, **query)
    assert "Decoder layer 1, cross-attention head 2" in said(card)


def test_the_box_of_models_says_what_each_does_and_how_well(open_page):
    offered = dict(
        option.split(": ") for option in open_page("attention").selectbox(key="model").options
    )
    assert offered["everyday"] == "translates everyday English to French, BLEU 45"
    assert offered["bottleneck-fixed"] == "writes rows of letters backwards, 39.4\u00a0% right"


def test_the_image_of_a_row_of_patches_stands_beside_it(open_view):
    at, _ = open_view("maps", model="digits")
    [image] = at.get("image")
    assert [each.alt for each in image.proto.imgs] == ["The image, cut into its patches"]
    assert at.text_input(key="sentence").label == "Image"


@pytest.mark.parametrize("view", [view.name for view in VIEWS])
def test_the_patch_that_a_view_is_about_is_framed_in_the_image(open_view, view):
    images = {}
    for token in ("3", "4", "16"):
        at, _ = open_view(view, model="digits", side="source", token=token)
        [image] = at.get("image")
        images[token] = image.proto.imgs[0].url
    # The two patches look alike, and the last token is EOS.
    assert len(set(images.values())) == 3


def test_the_end_of_a_text_that_is_too_long_is_offered(open_view):
    letters = " ".join("ab" * 300)
    at, _ = open_view("maps", model="copy", sentence=f"{letters} z")
    at.toggle(key="truncates_left").set_value(True).run()
    assert "Only the last 511 tokens are read" in said(at)
