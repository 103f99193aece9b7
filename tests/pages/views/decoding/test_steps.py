import re

import numpy as np
import pytest
import torch

from core.decoding.choosing import Greedy, Sampling
from core.decoding.generate import Forced, decode
from core.decoding.sentence import model_input, reference_ids, translate
from core.heads import Site
from core.inspection import inspect_sentence
from core.model import Record
from core.runs.run import load_run
from core.vocabulary import BOS, EOS, PAD
from pages.frame.language import percent
from tests.pages.conftest import MODEL, ROOT, chart_rows, said, send, unfold
from tests.pages.views.decoding.conftest import stepper, texts
from tests.viz.unpacked import unframed

TIRED = "The animal didn't cross the street because it was too tired."
OTHER = "L'animal n'a pas traversé la rue parce qu'elle était trop large."
PLAIN = "The dog slept."
FACT, MADE = "The capital of France is", "Paris and it was not Rome."


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / MODEL)


def line(shown):
    return shown.seen.replace("\xa0", " ")


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
            assert found.entropy == pytest.approx(step.entropy, abs=1e-6)
            best = float(step.probabilities.max())
            assert found.top[0].probability == pytest.approx(best, abs=1e-6)
            assert sum(each.probability for each in found.top) + found.others == pytest.approx(1)
            here = [row for row in rows if (row["side"], row["step"]) == (name, index)]
            bars = [(r["token"], r["value"]) for r in here if r["number"] == "probability"]
            assert bars == [(each.label.text, each.probability) for each in found.top]
            weights = [r["value"] for r in here if (r["site"], r["head"]) == ("decoder.1.cross", 2)]
            assert weights == pytest.approx(side.cross[1, 2, index].tolist(), abs=1 / 65535)
            assert all(r["position"] <= index for r in here if r["site"] and ".self" in r["site"])


def test_without_a_reference_only_the_free_side_is_shown(open_view):
    at, shown = open_view("steps", reference="")
    assert stepper(at).forced is None
    assert set(shown.columns()["side"]) == {"free"}
    assert "teacher forcing" not in shown.seen


@pytest.mark.parametrize("model", ["everyday", "translate-guided"])
def test_what_is_chosen_and_what_is_true_are_bars_of_the_list(open_view, model):
    """Of tokens that read alike a list tells one by its space, which the sentence does not show."""
    at, _shown = open_view("steps", model=model)
    [component] = at.get("bidi_component")
    header, _ = unframed(component.proto.bytes)
    for step in (step for side in header["sides"] for step in side["steps"]):
        assert step["chosenAt"] >= 0
        assert step["true"] is None or step["trueAt"] >= 0


def test_each_sentence_keeps_its_own_reference_in_the_link(open_view):
    at, _shown = open_view("steps", sentence=TIRED)
    at.text_input(key="reference").set_value("L'animal dort.").run()
    assert at.query_params["reference"] == "L'animal dort."
    at.text_input(key="sentence").set_value("The cat slept.").run()
    assert at.text_input(key="reference").value == "Le chat a dormi."
    at.text_input(key="sentence").set_value(TIRED).run()
    assert at.text_input(key="reference").value == "L'animal dort."


def test_where_the_sides_part_is_said(open_view):
    at, shown = open_view("steps", sentence=PLAIN)
    assert "predicts **the same at every step**" in shown.seen
    # Equal sides are drawn once.
    assert stepper(at).forced is None and set(shown.columns()["side"]) == {"free", "forced"}
    at, shown = open_view("steps", sentence=PLAIN, reference="Le chat dormait.")
    assert "The two sides part at step 1, where the reference says **chat**" in shown.seen
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
    assert "Loss of step" not in said(at)
    at.text_input(key="reference").set_value("Oui 你好 </s>").run()
    assert not at.exception
    assert "No true translation is known" not in said(at)
    assert stepper(at).texts["true"] == "true"


def test_its_own_words_are_fed_as_it_wrote_them(open_view):
    """Split anew, the same text would be other tokens, and both sides would part at once."""
    sentence = "<b>$x_1$*a*</b>"
    everyday = load_run(ROOT / "gallery" / "everyday")
    own = translate(everyday, sentence)
    assert everyday.tokenizer.encode(own.text).ids != own.target_ids
    shown = open_view("steps", sentence=sentence, model="everyday")[1]
    assert f"part at step {len(own.target_ids)}, where the reference ends" in shown.seen


def test_the_stepper_opens_on_the_word_that_the_pronoun_becomes(open_view, run):
    at, shown = open_view("steps", sentence=TIRED)
    step = stepper(at).start
    shares = free_of(run, TIRED)[step].probabilities
    first, second = shares.argsort(descending=True)[:2]
    assert word(run, first) == "il"
    assert f"writes **il**: **{percent(float(shares[first]))}**" in shown.seen
    assert f"The next most probable is {word(run, second)}:" in shown.seen


def test_without_a_pronoun_it_opens_on_the_step_at_which_the_model_is_least_sure(open_view, run):
    margins = [np.diff(step.probabilities.topk(2).values)[0] for step in free_of(run, PLAIN)]
    assert stepper(open_view("steps", sentence=PLAIN)[0]).start == int(np.argmax(margins))
    at, shown = open_view("steps", sentence=PLAIN, decoding_step="3")
    assert stepper(at).start == 3 and "At step 3 " in shown.seen
    at, _shown = open_view("steps", sentence=PLAIN, decoding_step="99")
    assert stepper(at).start == int(np.argmax(margins))


def test_where_both_sides_agree_a_mistake_is_offered_that_makes_them_part(open_view, run):
    at, _shown = open_view("steps", sentence=TIRED)
    at.button(key="insert_mistake").click().run()
    view = stepper(at)
    [step] = [i for i, each in enumerate(view.free.steps) if each.overridden]
    assert view.forced is not None
    own = [word(run, each.chosen) for each in free_of(run, TIRED)]
    now = texts([each.chosen for each in view.free.steps])
    changed = [i for i in range(step + 1, min(len(own), len(now))) if own[i] != now[i]]
    # It opens where the mistake changes something.
    assert view.start == (changed[0] if changed else step)
    [text] = [each.value for each in at.markdown if "What you see" in each.value]
    assert f"Fed “{now[step]}” instead of “{own[step]}”, the model goes on " in text
    assert not [each for each in at.button if each.key == "insert_mistake"]


def test_the_chances_before_and_after_are_said_of_a_later_step(open_view):
    everyday = load_run(ROOT / "gallery" / "everyday")
    free = free_of(everyday, TIRED)
    at = next(i for i, each in enumerate(free) if word(everyday, each.chosen) == "il")
    elle = next(i for i in free[at].most_probable(9) if word(everyday, i) == "elle")
    source = model_input(everyday, TIRED).source_ids
    with_it = decode(everyday.model, source, Greedy(), {at: elle})
    query = {"model": "everyday", "sentence": TIRED, "overrides": f"{at}:{elle}"}
    for step in (at + 1, at + 3):
        text = line(open_view("steps", **query, decoding_step=str(step))[1])
        one, other = with_it[step].most_probable(2)
        before, after = free[step].probabilities, with_it[step].probabilities
        parts = [
            f"{name} from {percent(float(before[token]))} to **{percent(float(after[token]))}**"
            for token, name in (
                (one, f"**{word(everyday, one)}** goes"),
                (other, f"**{word(everyday, other)}**"),
            )
        ]
        assert f"With it {parts[0]}, {parts[1]}.".replace("\xa0", " ") in text
        assert "Fed “elle” instead of “il”, the model " in text
    # At the step itself nothing has come after it.
    assert "With it" not in open_view("steps", **query, decoding_step=str(at))[1].seen
    # Where another word differs before it, too, this one alone is not why.
    query["overrides"] = f"0:{free[0].most_probable(2)[1]} {query['overrides']}"
    shown = open_view("steps", **query, decoding_step=str(at + 3))[1]
    assert ("With it" in shown.seen) == (free[at].prefix[2:] == with_it[at].prefix[2:])


@pytest.mark.parametrize("query", [{"method": "sampling", "seed": "3", "temperature": "3"}, {}])
def test_only_a_word_that_somebody_put_in_is_called_inserted(open_view, run, query):
    method = Sampling(temperature=3.0, seed=3) if query else Greedy()
    steps = decode(run.model, model_input(run, PLAIN).source_ids, method)
    own = next((i for i, each in enumerate(steps) if each.rank(each.chosen)), 1)
    at, shown = open_view("steps", sentence=PLAIN, decoding_step=str(own), **query)
    assert "inserted" not in shown.seen
    assert ("is the most probable" in shown.seen) == bool(query)
    other = next(i for i in steps[own].most_probable(9)[1:] if i != steps[own].chosen)
    query |= {"overrides": f"{own}:{other}"}
    shown = open_view("steps", sentence=PLAIN, decoding_step=str(own), **query)[1]
    assert "though" not in shown.seen


def test_the_loss_of_a_step_is_added_up_to_that_of_the_whole_reference(open_view, run):
    at, _shown = open_view("steps", sentence=PLAIN, decoding_step="2")
    ids = [*run.tokenizer.encode(at.text_input(key="reference").value).ids, EOS]
    source_BS = torch.tensor([[*run.tokenizer.encode(PLAIN).ids, EOS]])
    with torch.no_grad():
        logits_TV = run.model(source_BS, torch.tensor([[BOS, *ids[:-1]]]))[0].double()
    logits_TV[:, [PAD, BOS]] = -torch.inf
    losses = -logits_TV.log_softmax(dim=-1)[range(len(ids)), ids].numpy()
    [text] = [each.value for each in at.caption if each.value.startswith("Loss of step 2:")]
    found = [float(each) for each in re.findall(r"-?\d+\.\d{3}", text)]
    assert found == pytest.approx(
        [losses[2], sum(losses[:3]), sum(losses), np.mean(losses)], abs=6e-4
    )


@pytest.mark.parametrize(
    ("method", "key", "value", "complaint"),
    [("sampling", "top_p", 0.0, "top_p is 0.0"), ("beam", "beam", 99, "beam is 99")],
)
def test_settings_that_cannot_be_are_named(open_view, method, key, value, complaint):
    at, _shown = open_view("steps")
    at.segmented_control(key="method").set_value(method).run()
    assert stepper(at).free.steps
    at.number_input(key=key).set_value(value).run()
    errors = "".join(error.value for error in at.error)
    assert complaint in errors.replace("&#95;", "_").replace("&#46;", ".")


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
    total = f"of the whole reference **{sum(losses):.3f}**, per token {np.mean(losses):.3f}"
    assert total in said(at)
    assert "The two sides part at step" in shown.seen


def test_without_a_text_of_the_user_it_is_forced_on_what_it_writes_itself(open_view, decoders):
    decoders("gpt2")
    at, shown = open_view("steps", model="runs/gpt2", sentence=FACT)
    assert stepper(at).forced is None and "teacher forcing" not in shown.seen
    assert "The reference is what the model writes itself. Type how your text goes on." in said(at)


def test_a_text_that_ends_before_the_model_does_is_no_difference(open_view, decoders):
    run = decoders("gpt2")
    ids = reference_ids(run, model_input(run, FACT), "Paris")
    chosen = " ".join(f"{step}:{token}" for step, token in enumerate(ids))
    query = {"model": "runs/gpt2", "sentence": FACT, "reference": "Paris", "overrides": chosen}
    at, shown = open_view("steps", **query)
    assert len(stepper(at).free.steps) > len(stepper(at).forced.steps) == len(ids)
    assert "Fed the reference, it predicts **the same at every step**" in shown.seen


def test_another_word_of_a_decoder_alone_is_followed(open_view, decoders):
    run = decoders("gpt2")
    at, shown = open_view("steps", model="runs/gpt2", sentence=FACT, overrides="2:5")
    view, n_prompt = stepper(at), len(inspect_sentence(run, FACT).translation.fed_ids) - 24
    ids = [*translate(run, FACT).fed_ids[: n_prompt + 2], 5]
    while len(ids) < len(view.free.fed):
        ids.append(int(fed_to(run, ids)[0][-1].argmax()))
    assert texts(view.free.fed) == [token.text for token in run.target_tokenizer.describe(ids)]
    assert [step.overridden for step in view.free.steps[:4]] == [False, False, True, False]
    assert "instead of" in shown.seen


def test_a_search_stands_below_with_its_tree(open_view):
    _at, shown = open_view("steps", method="beam search", beam="2")
    assert [picture.chart is not None for picture in shown.pictures] == [False, True]


def test_the_output_layer_below_follows_the_stepper(open_view, taken):
    at, _shown = open_view("steps", part="output", sentence=PLAIN)
    for step in (0, 3):
        send(at, "step", {"step": step})
        assert taken[-1].name == f"output-layer.{step}"


def test_what_each_step_is_fed_and_how_far_the_sides_part_is_folded_below(open_view):
    at, shown = open_view("steps", sentence=TIRED, reference=OTHER)
    view = stepper(at)
    for name in ("inputs", "apart"):
        unfold(at, name)
    table = at.dataframe[0].value
    read = " ".join(token.text for token in view.forced.fed[:3])
    assert table["fed when forced"][2] == read
    assert table["true next"][2] == view.forced.fed[3].text
    parted = {row["x"]: row["y"] for row in chart_rows(at)}
    columns = shown.columns()
    numbers = zip(columns["number"], columns["step"], columns["value"], strict=True)
    assert parted == pytest.approx({x: y for name, x, y in numbers if name == "divergence"})
    chances = [row["y"] for row in chart_rows(at, 1) if row["series"] == "teacher forcing"]
    assert chances == pytest.approx([step.true_probability for step in view.forced.steps])
