import pytest

from core.decoding.methods import Forced, Greedy, decode
from core.runs.run import load_run
from tests.pages.conftest import ROOT, said, send
from tests.pages.views.decoding.conftest import (
    assert_python_leaves_the_same_numbers,
    stepper,
    texts,
)

TIRED = "The animal didn't cross the street because it was too tired."
RIGHT = "L'animal n'a pas traversé la rue parce qu'il était trop fatigué."


@pytest.fixture
def open_decoding(open_page):
    return lambda **query_params: open_page("decoding", **query_params)


def reference(at):
    return next(box for box in at.text_input if box.label == "Reference")


def test_the_tasks_own_sentence_brings_its_reference_and_both_sides_agree(open_decoding):
    at = open_decoding()
    assert reference(at).value == RIGHT
    view = stepper(at)
    assert texts(view.free.fed) == texts(view.forced.fed)
    assert view.first_difference is None
    assert max(view.divergence) < 1e-6


def test_every_number_is_the_models_own(open_decoding):
    view = stepper(open_decoding(model="translate"))
    run = load_run(ROOT / "gallery" / "translate")
    source = (*run.tokenizer.encode(TIRED).ids, 2)
    target = run.tokenizer.encode(RIGHT).ids
    for side, method in ((view.free, Greedy()), (view.forced, Forced(target))):
        steps = decode(run.model, source, method)
        assert len(steps) == len(side.steps)
        for found, step in zip(side.steps, steps, strict=True):
            assert found.entropy == pytest.approx(step.entropy, abs=1e-6)
            assert found.top[0].probability == pytest.approx(
                float(step.probabilities.max()), abs=1e-6
            )
            assert sum(each.probability for each in found.top) + found.others == pytest.approx(1)


def test_another_reference_marks_where_the_two_part(open_decoding):
    at = open_decoding()
    reference(at).set_value(RIGHT.replace("il était", "elle était")).run()
    view = stepper(at)
    assert texts([view.forced.steps[view.first_difference].true]) == ["elle"]
    assert texts([view.free.steps[view.first_difference].chosen]) == ["il"]
    assert view.divergence[view.first_difference] < 1e-6


def test_a_reference_is_part_of_the_link(open_decoding):
    other = RIGHT.replace("il était", "elle était")
    at = open_decoding(reference=other)
    assert reference(at).value == other
    assert stepper(at).first_difference is not None


def test_each_sentence_keeps_its_own_reference(open_decoding):
    at = open_decoding()
    reference(at).set_value("L'animal était fatigué.").run()
    at.text_input(key="sentence").set_value("The cat slept.").run()
    assert reference(at).value == "Le chat a dormi."
    at.text_input(key="sentence").set_value(TIRED).run()
    assert reference(at).value == "L'animal était fatigué."


def test_without_a_reference_only_the_free_side_is_shown(open_decoding):
    at = open_decoding()
    reference(at).set_value("").run()
    assert stepper(at).forced is None
    assert "Without a reference there is nothing to force." in said(at)


def test_a_reference_with_words_the_model_cannot_say_is_forced_all_the_same(open_decoding):
    at = open_decoding()
    reference(at).set_value("你好 😀 </s>").run()
    assert not at.exception
    assert stepper(at).forced is not None


@pytest.mark.parametrize("method", ["sampling", "beam"])
def test_every_method_is_shown(open_decoding, method):
    at = open_decoding()
    at.segmented_control(key="method").set_value(method).run()
    assert not at.exception
    assert stepper(at).free.steps


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"reference": ""},
        {"reference": "Le chat \"dort\" \\ 'ici'."},
        {"method": "sampling", "temperature": "1.5", "seed": "3"},
        {"method": "beam", "beam": "2", "overrides": "1:9"},
        {"model": "copy", "sentence": "a b c", "overrides": "0:4 2:3"},
    ],
)
def test_python_computes_every_number_again(open_view, asked):
    _at, shown = open_view("steps", **asked)
    assert_python_leaves_the_same_numbers(shown, "value")


def test_a_search_can_be_saved_with_its_tree(open_view):
    _at, shown = open_view("steps", method="beam")
    assert [picture.chart is not None for picture in shown.pictures] == [False, True]
    _at, shown = open_view("steps")
    assert len(shown.pictures) == 1


def test_a_click_changes_the_link_and_the_link_opens_what_was_clicked(open_decoding):
    at = open_decoding()
    token = stepper(at).free.steps[4].top[1].token
    send(at, "force", {"step": 4, "token": token})
    assert at.query_params["overrides"] == f"4:{token}"
    again = open_decoding(overrides=f"4:{token}")
    assert stepper(again).free.fed == stepper(at).free.fed


def test_a_sentence_that_nobody_translated_brings_what_the_model_writes_to_be_edited(open_decoding):
    at = open_decoding(sentence="The tired owl slept, and the fox did not wait.")
    own = reference(at).value
    assert own
    assert "No true target is known: the reference is the model's own output." in said(at)
    reference(at).set_value(f"{own} Oui.").run()
    assert "No true target is known" not in said(at)
