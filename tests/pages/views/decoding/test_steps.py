import re

import numpy as np
import pytest
import torch

from core.decoding.choosing import Greedy
from core.decoding.generate import Forced, decode
from core.decoding.sentence import model_input, translate
from core.evaluate.exposure import telling_mistake
from core.heads import Site
from core.inspection import inspect_sentence
from core.model import Record
from core.runs.run import load_run
from core.vocabulary import BOS, EOS, PAD
from pages.frame.language import percent, plain
from tests.pages.conftest import MODEL, ROOT, said, send
from tests.pages.views.decoding.conftest import stepper, texts

TIRED = "The animal didn't cross the street because it was too tired."
OTHER = "L'animal n'a pas traversé la rue parce qu'elle était trop large."
PLAIN = "The dog slept."
FACT, MADE = "The capital of France is", "Paris and it was not Rome."


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / MODEL)


def word(run, token):
    return run.target_tokenizer.describe([int(token)])[0].text


def free_of(run, sentence):
    return decode(run.model, model_input(run, sentence).source_ids, Greedy())


def test_both_sides_show_the_models_own_numbers(open_view, run):
    at, shown = open_view("steps", sentence=TIRED, reference=OTHER)
    view = stepper(at)
    source = (*run.tokenizer.encode(TIRED).ids, EOS)
    columns = shown.columns()
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for name, side, method in (
        ("free", view.free, Greedy()),
        ("forced", view.forced, Forced(run.tokenizer.encode(OTHER).ids)),
    ):
        steps = decode(run.model, source, method)
        assert len(steps) == len(side.steps)
        for index, (found, step) in enumerate(zip(side.steps, steps, strict=True)):
            best = float(step.probabilities.max())
            assert found.top[0].probability == pytest.approx(best, abs=1e-6)
            assert sum(each.probability for each in found.top) + found.others == pytest.approx(1)
            here = [row for row in rows if (row["side"], row["step"]) == (name, index)]
            bars = [(r["token"], r["value"]) for r in here if r["number"] == "probability"]
            assert bars == [(each.label.text, each.probability) for each in found.top]
            weights = [r["value"] for r in here if (r["site"], r["head"]) == ("decoder.1.cross", 2)]
            assert weights == pytest.approx(side.cross[1, 2, index].tolist(), abs=1 / 65535)
            assert all(r["position"] <= index for r in here if r["site"] and ".self" in r["site"])


def test_where_the_sides_part_is_said(open_view):
    at, shown = open_view("steps", sentence=PLAIN)
    assert "predicts **the same at every step**" in said(at)
    # Equal sides are drawn once.
    assert stepper(at).forced is None and set(shown.columns()["side"]) == {"free", "forced"}
    at, shown = open_view("steps", sentence=PLAIN, reference="Le chat dormait.")
    assert "The two sides part at step 2, where the reference says **chat**" in shown.seen
    view = stepper(at)
    assert texts([view.forced.steps[view.first_difference].true]) == ["chat"]
    assert texts([view.free.steps[view.first_difference].chosen]) == ["chien"]
    shown = open_view("steps", sentence=PLAIN, reference="Le chien")[1]
    assert "where the reference ends" in shown.seen


def test_a_sentence_that_nobody_translated_brings_what_the_model_writes_to_be_edited(open_view):
    at, shown = open_view("steps", sentence="Zz top.", model="everyday")
    assert "teacher forcing" not in shown.seen
    assert "No true translation is known." in said(at)
    # What nobody knows to be true is called so nowhere.
    assert stepper(at).texts["true"] == "reference"
    assert "Loss of the reference" not in said(at)
    at.text_input(key="reference").set_value("Oui 你好 </s>").run()
    assert not at.exception
    assert "No true translation is known" not in said(at)
    assert stepper(at).texts["true"] == "true"


def test_the_stepper_opens_on_the_word_that_the_pronoun_becomes(open_view, run):
    at, shown = open_view("steps", sentence=TIRED)
    step = stepper(at).start
    shares = free_of(run, TIRED)[step].probabilities
    first, second = shares.argsort(descending=True)[:2]
    assert word(run, first) == "il"
    assert f"writes **il** ({percent(float(shares[first]))})" in shown.seen
    assert f"second comes {word(run, second)} (" in shown.seen


def test_without_a_pronoun_it_opens_on_the_step_at_which_the_model_is_least_sure(open_view, run):
    margins = [np.diff(step.probabilities.topk(2).values)[0] for step in free_of(run, PLAIN)]
    assert stepper(open_view("steps", sentence=PLAIN)[0]).start == int(np.argmax(margins))
    at, shown = open_view("steps", sentence=PLAIN, decoding_step="3")
    assert stepper(at).start == 3 and "Step 4 of " in shown.seen
    at, _shown = open_view("steps", sentence=PLAIN, decoding_step="99")
    assert stepper(at).start == int(np.argmax(margins))


@pytest.mark.slow
def test_the_mistake_that_changes_most_is_named_and_inserted(open_view, run, taken):
    at, shown = open_view("steps", sentence=TIRED, decoding_step="5")
    found = telling_mistake(run, inspect_sentence(run, TIRED), free_of(run, TIRED))
    text = plain(run.target_tokenizer.decode(found.written[:-1]))
    # Nothing is said of what is not on the screen.
    assert "one mistake can change the rest" in shown.seen and text not in shown.seen
    at.button(key="insert_mistake").click().run()
    view = stepper(at)
    [step] = [i for i, each in enumerate(view.free.steps) if each.overridden]
    assert step == found.step and view.forced is not None
    # It opens where the mistake changes something.
    assert view.start > step
    said_of = f"at step {step + 1} the model leaves out “**traversé**”, too: “{text}”"
    assert said_of in taken[-1].seen
    assert not [each for each in at.button if each.key == "insert_mistake"]
    at.button(key="undo").click().run()
    assert not any(each.overridden for each in stepper(at).free.steps)
    # Back to where the visitor was.
    assert stepper(at).start == 5
    assert at.button(key="insert_mistake")


def test_the_loss_of_a_step_and_of_the_whole_reference_are_said(open_view, run):
    at, _shown = open_view("steps", sentence=PLAIN, decoding_step="2")
    ids = [*run.tokenizer.encode(at.text_input(key="reference").value).ids, EOS]
    source_BS = torch.tensor([[*run.tokenizer.encode(PLAIN).ids, EOS]])
    with torch.no_grad():
        logits_TV = run.model(source_BS, torch.tensor([[BOS, *ids[:-1]]]))[0].double()
    logits_TV[:, [PAD, BOS]] = -torch.inf
    losses = -logits_TV.log_softmax(dim=-1)[range(len(ids)), ids].numpy()
    [text] = [each.value for each in at.caption if each.value.startswith("Fed the reference")]
    found = [float(each) for each in re.findall(r"-?\d+\.\d{3}", text)]
    assert found == pytest.approx([losses[2], sum(losses), np.mean(losses)], abs=6e-4)


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
    query = {"model": f"runs/{kind}", "sentence": FACT, "reference": MADE, "decoding_step": "1"}
    at, shown = open_view("steps", **query)
    view = stepper(at)
    prompt = (*run.tokenizer.begins, *run.tokenizer.encode(FACT).ids)
    whole = (*run.tokenizer.begins, *run.tokenizer.encode(f"{FACT} {MADE}").ids)
    own = translate(run, FACT).fed_ids
    assert view.source == () and view.free.n_before == view.forced.n_before == len(prompt) - 1
    for side, ids in ((view.free, own), (view.forced, whole)):
        shares_TV, record = fed_to(run, ids)
        n = len(ids) - len(prompt)
        assert [label.given for label in side.fed] == [True] * len(prompt) + [False] * (n - 1)
        assert len(side.steps) == n
        for row, step in enumerate(side.steps, start=len(prompt) - 1):
            assert step.top[0].probability == pytest.approx(float(shares_TV[row].max()), abs=1e-5)
        for layer in range(side.self_.shape[0]):
            maps_HQK = record.weights(Site("decoder", layer, "self"))[0]
            rows = maps_HQK[:, len(prompt) - 1 : len(ids) - 1, : len(side.fed)]
            np.testing.assert_allclose(side.self_[layer], rows.numpy(), atol=2e-5)
    shares_TV, _record = fed_to(run, whole)
    rows = range(len(prompt) - 1, len(whole) - 1)
    losses = [-float(shares_TV[row, whole[row + 1]].log()) for row in rows]
    total = f"of all its tokens **{sum(losses):.3f}**, per token {np.mean(losses):.3f}"
    assert total in said(at)
    assert "The two sides part at step" in shown.seen


def test_the_output_layer_below_follows_the_stepper(open_view, taken):
    at, _shown = open_view("steps", part="output", sentence=PLAIN)
    for step in (0, 3):
        send(at, "step", {"step": step})
        assert taken[-1].name == f"output-layer.{step}"
