"""The lessons on models unlike those of the gallery."""

import json
from dataclasses import replace

import pytest

from core.tasks import TASKS
from core.training import trainer
from core.training.prepare import prepare_run
from pages import layers, masks, positions, scaling
from tests.core.conftest import MINIATURE, draw_few

LESSONS = {"masks": masks, "positions": positions, "scaling": scaling, "layers": layers}
VIEWS = [(name, view.name) for name, page in LESSONS.items() for view in page.VIEWS]
OF_A_SENTENCE = {
    (name, view.name) for name, page in LESSONS.items() for view in page.VIEWS if view.of_sentence
}
FIRST = {name: min(each for lesson, each in OF_A_SENTENCE if lesson == name) for name in LESSONS}
"""Lesson → a view of it that shows a sentence."""
ODD = {
    "post-norm, untied, learned, one layer, one head": {
        "n_encoder_layers": 1,
        "n_decoder_layers": 1,
        "n_heads": 1,
        "d_k": 3,
        "d_v": 7,
        "norm": "post",
        "positions": "learned",
        "tied": False,
        "max_positions": 40,
    },
    "one matrix, no norm, no output projection": {
        **{"shared": "qkv", "norm_kind": "none", "output_projection": False},
    },
    "attention alone, nothing added, nothing projected": {
        **{"feed_forward": False, "residual": False, "projections": False},
    },
    "parallel, its length predicted": {"decoder": "parallel", "length": "predicted"},
    "odd width": {"positions": "learned", "d_model": 15, "d_k": 4, "d_v": 4, "max_positions": 20},
}


@pytest.fixture(scope="module", params=ODD)
def odd_runs(request, tmp_path_factory):
    """A folder with one barely trained run of an odd size."""
    folder = tmp_path_factory.mktemp("runs")
    preset = replace(MINIATURE, model=replace(MINIATURE.model, **(ODD[request.param])))
    with pytest.MonkeyPatch.context() as patch:
        draw_few(patch)
        config = replace(MINIATURE.training, steps=2)
        preset = replace(preset, training=config)
        prepare_run(folder / "odd", TASKS["copy"], "miniature", preset, "python -m core …")
        for _ in trainer.train_run(folder / "odd"):
            pass
    return folder


@pytest.mark.parametrize(("lesson", "view"), VIEWS)
@pytest.mark.parametrize("sentence", ["a", "a b c d " * 30], ids=["a word", "too many words"])
def test_every_view_shows_an_odd_model(open_page, odd_runs, elsewhere, lesson, view, sentence):
    elsewhere("OWN", odd_runs)
    at = open_page(lesson, model="runs/odd", sentence=sentence, **{lesson: view})
    assert not at.error
    assert at.get("bidi_component") or at.get("vega_lite_chart") or at.table or at.info
    if sentence != "a" and (lesson, view) in OF_A_SENTENCE:
        assert any("The sentence was cut" in caption.value for caption in at.caption)


@pytest.mark.parametrize(("lesson", "view"), VIEWS)
def test_every_view_shows_a_run_whose_pairs_are_gone(open_page, own_copy, lesson, view):
    settings = json.loads((own_copy / "run.json").read_text())
    (own_copy / "run.json").write_text(json.dumps(settings | {"task": "pairs.tsv"}))
    at = open_page(lesson, model="runs/mine", sentence="a b", **{lesson: view})
    assert not at.error


@pytest.mark.parametrize("lesson", LESSONS)
@pytest.mark.parametrize("sentence", ["", "   "])
def test_without_a_sentence_the_lessons_ask_for_one(open_page, lesson, sentence):
    at = open_page(lesson, sentence="a", **{lesson: FIRST[lesson]})
    at.text_input(key="sentence").set_value(sentence).run()
    assert not at.exception
    assert "Type a sentence" in at.info[0].value


@pytest.mark.parametrize(("lesson", "view"), [each for each in VIEWS if each not in OF_A_SENTENCE])
def test_a_view_that_no_sentence_changes_asks_for_none(open_page, lesson, view):
    at = open_page(lesson, sentence="The cat slept.", **{lesson: view})
    assert [each.key for each in at.text_input if each.key == "sentence"] == []
    # What was typed stays, for the views that show it.
    at.segmented_control(key=lesson).set_value(FIRST[lesson]).run()
    assert at.text_input(key="sentence").value == "The cat slept."


@pytest.mark.parametrize(("lesson", "view"), [each for each in VIEWS if each not in OF_A_SENTENCE])
def test_a_sentence_is_asked_for_where_there_is_none_at_all(open_page, lesson, view):
    at = open_page(lesson, sentence=" ", **{lesson: view})
    assert at.text_input(key="sentence").value == " "


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_sentence_of_unknown_words_is_announced(open_page, lesson):
    at = open_page(lesson, sentence="Xyzzy plugh.", **{lesson: FIRST[lesson]})
    assert any("were never seen in training" in caption.value for caption in at.caption)
