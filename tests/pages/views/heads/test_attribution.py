import numpy as np
import pytest
import torch

from core.heads import Head, Kind
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.attribution.logit_terms import logit_terms
from core.studies.attribution.methods import LEAVE_ONE_OUT_FIRST, Method, attribution_study
from core.vocabulary import BOS, PAD
from pages.frame.language import number, percent
from pages.views.heads import attribution, attribution_methods
from tests.pages.conftest import ROOT, component, said
from tests.pages.drawing import assert_computes, assert_files, draw
from tests.viz.unpacked import unpack_matrices as unpack

SENTENCE = "d a f q"
WIDE = "The animal didn't cross the street because it was too wide."


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "copy")


@pytest.fixture(scope="module")
def found(run):
    """What all methods say of the second letter."""
    return attribution_study(run, inspect_sentence(run, SENTENCE), 1, list(Method))


@pytest.fixture
def open_attribution(open_page):
    opened = {"model": "copy", "sentence": SENTENCE, "all_methods": "true"}
    return lambda **asked: open_page("heads", trial="attribution", **opened | asked)


def panel(at):
    [found] = unpack(component(at, "matrices").bytes).panels
    return found


def seen(at):
    [line] = [each.value for each in at.markdown if "**What you see:**" in each.value]
    return line


def without(run, sentence, step, at):
    """Return how probable the word of a step is with a source token hidden, in float64."""
    inspection = inspect_sentence(run, sentence)
    fed = torch.tensor([[BOS, *inspection.translation.target_ids[:step]]])
    source = torch.tensor([inspection.translation.source_ids])
    source[0, at] = PAD
    logits = run.model(source, fed)[0, -1].double()
    logits[[PAD, BOS]] = -torch.inf
    return logits.softmax(-1)[inspection.translation.target_ids[step]].item()


def test_it_opens_on_the_pronoun_and_one_method(open_attribution):
    run, sentence = load_run(ROOT / "gallery" / "everyday"), WIDE
    at = open_attribution(model="everyday", sentence=sentence, all_methods="")
    inspection = inspect_sentence(run, sentence)
    tokens = [token.text for token in inspection.source_tokens]
    step = at.selectbox(key=attribution.STEP).value
    written = run.tokenizer.describe(inspection.translation.target_ids)[step].text
    assert written == "elle"
    hidden = [without(run, sentence, step, each) for each in range(len(tokens))]
    least, second = sorted(range(len(tokens)), key=lambda each: hidden[each])[:2]
    assert f"“{written}” depends most on “{tokens[least]}”" in seen(at)
    assert f"to **{percent(hidden[least])}**; when “{tokens[second]}” is hidden" in seen(at)
    assert f"is hidden, to {percent(hidden[second])}." in seen(at)
    assert f"parce qu’**{written}** était" in said(at)
    assert panel(at).texts == [[attribution_methods.short_share(each) for each in hidden]]
    assert not at.table


def test_each_method_is_a_row_that_is_scaled_to_its_largest_magnitude(open_attribution, found):
    shown = panel(open_attribution(attributed_word="1"))
    assert LEAVE_ONE_OUT_FIRST[0] is Method.LEAVE_ONE_OUT
    assert set(LEAVE_ONE_OUT_FIRST) == set(Method)
    for row, method in enumerate(LEAVE_ONE_OUT_FIRST):
        scores = found.attribution.scores[method]
        assert shown.values[row] == pytest.approx(scores / np.abs(scores).max(), abs=1e-6)
        assert shown.details[row] == [number(float(each)) for each in scores]


def test_methods_are_held_to_leaving_one_out(open_attribution, found):
    at = open_attribution(attributed_word="1")
    [table] = at.table
    shown = dict(
        zip(
            table.value["method"],
            table.value["same order of words as leaving one out (Spearman’s ρ, n = 5)"],
            strict=True,
        )
    )
    for method, rho in found.attribution.agreement.items():
        written = "–" if rho is None else number(rho, 2)
        assert shown[attribution_methods.NAMES[method]] == written
    assert shown["leave one out (hide one word)"] == "the measure"
    scores = found.attribution.scores
    wanted = int(scores[Method.LEAVE_ONE_OUT].argmax())
    ordered = [sorted(np.abs(scores[each])) for each in LEAVE_ONE_OUT_FIRST[1:]]
    same = [
        abs(scores[each][wanted]) == sizes[-1] > sizes[-2]
        for each, sizes in zip(LEAVE_ONE_OUT_FIRST[1:], ordered, strict=True)
    ]
    alike = f"{sum(same)} of 4 other methods also put" if any(same) else "No other method puts"
    assert f"{alike} “{found.parts[wanted].text}” first." in seen(at)
    assert "The model is sure" in said(at)


def test_another_word_is_asked_about_and_does_not_outlive_its_sentence(open_attribution):
    at = open_attribution(attributed_word="0")
    at.selectbox(key=attribution.STEP).set_value(4).run()
    assert at.query_params["attributed_word"] in ("4", ["4"])
    assert panel(at).title.endswith("“EOS”")
    at.text_input(key="sentence").set_value("d a f").run()
    fresh = open_attribution(sentence="d a f")
    assert at.selectbox(key=attribution.STEP).value == fresh.selectbox(key=attribution.STEP).value


@pytest.mark.parametrize("lead", [False, True])
def test_a_word_is_attributed_to_the_parts_of_the_model(run, lead):
    asked = {"trial": "attribution", "model": "copy", "sentence": SENTENCE, "attributed_word": "1"}
    drawing = draw("heads", asked | {"attributed_to": "parts", "logit_lead": str(lead).lower()})
    inspection = inspect_sentence(run, SENTENCE)
    study = logit_terms(run, inspection, 1)
    effects = study.effects(difference=lead)
    heads = {part: each for part, each in effects.items() if isinstance(part, Head)}
    for panel, kind in zip(
        unpack(component(drawing.at, "matrices").bytes).panels,
        (Kind.DECODER_SELF, Kind.CROSS),
        strict=True,
    ):
        own = [each for head, each in heads.items() if head.kind is kind]
        assert panel.values[:, :-1].ravel() == pytest.approx(own, abs=1e-5)
        assert panel.values[0, -1] == pytest.approx(effects[kind.site(0)], abs=1e-5)
    fed = torch.tensor([[BOS, *inspection.translation.target_ids[:1]]])
    logits_V = run.model(torch.tensor([inspection.translation.source_ids]), fed)[0, -1].tolist()
    # Neither PAD nor BOS can be written.
    first, second = sorted(logits_V[2:], reverse=True)[:2]
    whole = first - second if lead else first
    bars = [each for part, each in effects.items() if part not in heads]
    assert sum(bars) == pytest.approx(whole, abs=1e-4)
    than = f" above that of “{study.runner_up.text}”, the runner-up:" if lead else ","
    assert f"The logit of “a” is {number(whole, 1)}{than} the sum of all bars." in drawing.seen[0]
    assert_files(drawing)
    assert_computes(drawing.python, drawing.about["columns"])
