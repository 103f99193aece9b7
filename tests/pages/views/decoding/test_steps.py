import numpy as np
import pytest
import torch

from core.decoding.choosing import Greedy
from core.decoding.methods import Forced, decode
from core.decoding.sentence import given_text, reference_ids, translate
from core.heads import Site
from core.model import Record
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
    assert "two sides" not in said(at)


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
    # What nobody knows to be true is called so nowhere.
    assert stepper(at).texts["true"] == "reference"
    assert "so this is no loss" in said(at)
    reference(at).set_value(f"{own} Oui.").run()
    assert "No true target is known" not in said(at)
    assert stepper(at).texts["true"] == "true"


FACT = "The capital of France is"
MADE = "Paris and it was not Rome."


def fed_to(run, ids):
    """Return probabilities_TV and the maps of one plain pass, without steps and without a cache."""
    record = Record()
    with torch.no_grad():
        logits_TV = run.model(None, torch.tensor([ids]), record)[0].double()
    return logits_TV.softmax(dim=-1), record


@pytest.mark.parametrize("kind", ["gpt2", "llama3"])
def test_a_decoder_alone_is_shown_with_its_prompt_and_the_users_text_forced(
    open_view, decoders, kind
):
    run = decoders(kind)
    query = {"model": f"runs/{kind}", "sentence": FACT, "reference": MADE}
    at, shown = open_view("steps", **query)
    view = stepper(at)
    prompt = run.tokenizer.encode(FACT).ids
    prompt = (*run.tokenizer.begins, *prompt)
    true = run.tokenizer.encode(f"{FACT} {MADE}").ids[len(prompt) - len(run.tokenizer.begins) :]
    own = translate(run, FACT).fed_ids[len(prompt) :]
    assert view.source == () and view.free.n_before == view.forced.n_before == len(prompt) - 1
    typed = [label.given for label in view.free.fed]
    assert typed == [True] * len(prompt) + [False] * (len(typed) - len(prompt))
    for side, ids in ((view.free, own), (view.forced, true)):
        shares_TV, record = fed_to(run, (*prompt, *ids))
        assert len(side.steps) == len(ids)
        for index, step in enumerate(side.steps):
            row = len(prompt) - 1 + index
            assert step.top[0].probability == pytest.approx(float(shares_TV[row].max()), abs=1e-5)
            if side is view.forced:
                share = float(shares_TV[row, true[index]])
                assert step.true_probability == pytest.approx(share, abs=1e-5)
            else:
                [token] = run.target_tokenizer.describe([int(shares_TV[row].argmax())])
                assert step.chosen.text == token.text
                assert ids[index] == int(shares_TV[row].argmax())
        for layer in range(side.self_.shape[0]):
            maps_HQK = record.weights(Site("decoder", layer, "self"))[0]
            rows = maps_HQK[:, len(prompt) - 1 : len(prompt) - 1 + len(ids), : len(side.fed)]
            np.testing.assert_allclose(side.self_[layer], rows.numpy(), atol=2e-5)
    assert_python_leaves_the_same_numbers(shown, "value", root=run.path.parent.parent)


def test_the_loss_of_the_users_text_is_that_of_a_plain_pass(open_view, decoders):
    run = decoders("gpt2")
    query = {"model": "runs/gpt2", "sentence": FACT, "reference": MADE, "decoding_step": "1"}
    at, shown = open_view("steps", **query)
    ids = run.tokenizer.encode(f"{FACT} {MADE}").ids
    n = len(run.tokenizer.encode(FACT).ids)
    shares_TV, _record = fed_to(run, (*run.tokenizer.begins, *ids))
    begun = len(run.tokenizer.begins) + n - 1
    losses = [-float(shares_TV[begun + i, token].log()) for i, token in enumerate(ids[n:])]
    total = f"of the whole reference **{sum(losses):.3f}**, per token {np.mean(losses):.3f}"
    assert total in said(at)
    assert "The two sides part at step" in shown.seen
    assert "cross-attention" not in shown.how_to_read


def test_without_a_text_of_the_user_it_is_forced_on_what_it_writes_itself(open_view, decoders):
    run = decoders("gpt2")
    at, shown = open_view("steps", model="runs/gpt2", sentence=FACT)
    view = stepper(at)
    assert texts(view.free.fed) == texts(view.forced.fed)
    assert max(view.divergence) < 1e-5
    assert "Both sides agree: the reference is what it writes itself." in shown.seen
    assert "The reference is what the model writes itself. Type how your text goes on." in said(at)
    at, shown = open_view("steps", model="runs/gpt2", sentence=FACT, reference="")
    assert stepper(at).forced is None
    assert_python_leaves_the_same_numbers(shown, "value", root=run.path.parent.parent)


def test_a_text_that_ends_before_the_model_does_is_no_difference(open_view, decoders):
    run = decoders("gpt2")
    ids = reference_ids(run, given_text(run, FACT), "Paris")
    chosen = " ".join(f"{step}:{token}" for step, token in enumerate(ids))
    query = {"model": "runs/gpt2", "sentence": FACT, "reference": "Paris", "overrides": chosen}
    at, shown = open_view("steps", **query)
    assert len(stepper(at).free.steps) > len(stepper(at).forced.steps) == len(ids)
    assert "Both sides **agree at every step** of the reference." in shown.seen
    assert_python_leaves_the_same_numbers(shown, "value", root=run.path.parent.parent)


def test_another_word_of_a_decoder_alone_is_followed(open_view, decoders):
    run = decoders("gpt2")
    query = {"model": "runs/gpt2", "sentence": FACT, "overrides": "2:5"}
    at, shown = open_view("steps", **query)
    view, prompt = stepper(at), given_text(run, FACT).prompt
    ids = list(translate(run, FACT).fed_ids[: len(prompt) + 2]) + [5]
    while len(ids) < len(view.free.fed):
        ids.append(int(fed_to(run, ids)[0][-1].argmax()))
    fed = run.target_tokenizer.describe(ids)
    assert texts(view.free.fed) == [token.text for token in fed]
    assert [step.overridden for step in view.free.steps[:4]] == [False, False, True, False]
    assert "What follows" in shown.seen
