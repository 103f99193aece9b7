import json

import pytest

from core.decoding.methods import Forced, Greedy, decode
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.exposure import exposure, overall
from core.runs.run import load_run
from pages.frame.text import plain
from tests.pages.conftest import ROOT, said, send
from viz.stepper.decoding import unpack_decoding

TIRED = "The animal didn't cross the street because it was too tired."
RIGHT = "L'animal n'a pas traversé la rue parce qu'il était trop fatigué."


@pytest.fixture
def open_decoding(open_page):
    return lambda **query_params: open_page("decoding", **query_params)


def shown(at):
    [component] = at.get("bidi_component")
    return unpack_decoding(component.proto.bytes)


def texts(labels):
    return [label.text for label in labels]


def reference(at):
    return next(box for box in at.text_input if box.label == "Reference")


def test_the_tasks_own_sentence_brings_its_reference_and_both_sides_agree(open_decoding):
    at = open_decoding()
    assert reference(at).value == RIGHT
    view = shown(at)
    assert texts(view.free.fed) == texts(view.forced.fed)
    assert view.first_difference is None
    assert max(view.divergence) < 1e-6


def test_every_number_is_the_models_own(open_decoding):
    view = shown(open_decoding(model="translate"))
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
    view = shown(at)
    assert texts([view.forced.steps[view.first_difference].true]) == ["elle"]
    assert texts([view.free.steps[view.first_difference].chosen]) == ["il"]
    assert view.divergence[view.first_difference] < 1e-6


def test_without_a_reference_only_the_free_side_is_shown(open_decoding):
    at = open_decoding()
    reference(at).set_value("").run()
    assert shown(at).forced is None
    assert "Without a reference there is nothing to force." in said(at)


def test_a_reference_with_words_the_model_cannot_say_is_forced_all_the_same(open_decoding):
    at = open_decoding()
    reference(at).set_value("你好 😀 </s>").run()
    assert not at.exception
    assert shown(at).forced is not None


def test_a_clicked_alternative_is_followed_and_can_be_undone(open_decoding):
    at = open_decoding()
    step = shown(at).free.steps[4]
    send(at, "force", {"step": 4, "token": step.top[1].token})
    view = shown(at)
    assert view.free.steps[4].overridden
    assert view.free.steps[4].chosen == step.top[1].label
    assert view.free.fed[5] == step.top[1].label
    assert view.start == 4
    send(at, "undo", {"step": 4})
    assert not any(each.overridden for each in shown(at).free.steps)


def test_a_corrupted_token_changes_nothing_before_it(open_decoding):
    at = open_decoding()
    before = shown(at).free
    send(at, "corrupt", {"step": 6})
    after = shown(at).free
    assert texts(after.fed[:7]) == texts(before.fed[:7])
    assert after.fed[7] != before.fed[7]


def test_branches_are_kept_and_opened_again(open_decoding):
    at = open_decoding()
    keep = next(b for b in at.button if b.label.startswith("Keep"))
    keep.click().run()
    send(at, "force", {"step": 0, "token": shown(at).free.steps[0].top[2].token})
    assert shown(at).free.steps[0].overridden
    next(b for b in at.button if b.label == "open").click().run()
    assert not shown(at).free.steps[0].overridden
    assert RIGHT in said(at)


@pytest.mark.parametrize("method", ["sampling", "beam"])
def test_every_method_is_shown(open_decoding, method):
    at = open_decoding()
    at.segmented_control(key="method").set_value(method).run()
    assert not at.exception
    assert shown(at).free.steps


def test_a_beam_search_draws_its_tree(open_decoding):
    at = open_decoding()
    at.segmented_control(key="method").set_value("beam").run()
    [tree] = at.get("plotly_chart")
    assert len(json.loads(tree.proto.spec)["data"]) == 3


@pytest.mark.parametrize(
    ("method", "key", "value", "complaint"),
    [
        ("sampling", "top_p", 0.0, "top_p is 0.0"),
        ("sampling", "temperature", 0.0, "temperature is 0.0"),
        ("beam", "beam", 0, "beam is 0"),
        ("beam", "beam", 99, "beam is 99"),
    ],
)
def test_settings_that_cannot_be_are_named(open_decoding, method, key, value, complaint):
    at = open_decoding()
    at.segmented_control(key="method").set_value(method).run()
    at.number_input(key=key).set_value(value).run()
    assert not at.exception
    assert complaint in "".join(error.value for error in at.error).replace("&#95;", "_").replace(
        "&#46;", "."
    )


def test_what_decoding_costs_is_measured_on_request(open_decoding):
    at = open_decoding()
    at.toggle(key="measure_times").set_value(True).run()
    assert not at.exception
    assert "passes of the decoder" in said(at)


def test_exposure_bias_is_measured_on_request(open_decoding):
    at = open_decoding(model="copy")
    at.toggle(key="measure_exposure").set_value(True).run()
    assert not at.exception
    assert len(at.get("vega_lite_chart")) == 1


def test_exposure_bias_stands_beside_that_of_another_run_of_the_task(
    open_decoding, own_runs, monkeypatch
):
    monkeypatch.setattr("pages.views.decoding.explained.EXPOSURE_SAMPLES", 12)
    at = open_decoding(model="translate")
    at.toggle(key="measure_exposure").set_value(True).run()
    # Runs of other tasks would be measured on other sentences.
    assert at.selectbox(key="exposure_beside").options == ["translate-guided"]
    at.selectbox(key="exposure_beside").set_value("translate-guided").run()
    assert not at.exception
    told = [text.value for text in at.markdown if "** points is the exposure bias" in text.value]
    assert len(told) == 1
    for name in ("this run", "translate-guided"):
        found = overall(exposure(*measured(name.replace("this run", "translate"))))
        line = next(line for line in told[0].split("\n") if plain(name) in line)
        assert f"of {found.n:,} tokens right" in line
        assert f"**{100 * (found.forced - found.free):.2f}** points" in line


def measured(name):
    run = load_run(ROOT / "gallery" / name)
    return run.model, held_out_pairs(run, 12, seed=0)
