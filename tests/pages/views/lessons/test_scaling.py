import math

import numpy as np
import pytest
import torch

from core.decoding.sentence import translate
from core.heads import Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.heads.evenness import evenness
from core.studies.lessons.scaling import Rescaled, sampled_widths
from pages.frame.language import percent
from pages.views.lessons import scaling
from tests.pages.conftest import ROOT
from tests.pages.views.lessons.conftest import charts, exact, panels


@pytest.mark.parametrize("d_k", [1, 64, 1024])
def test_a_softmax_of_wide_vectors_saturates_unless_scores_are_divided(open_lesson, d_k):
    at, shown = open_lesson("scaling", scores="1, 2; -3 0.5", d_k=str(d_k))
    x = np.array([1, 2, -3, 0.5])
    outputs = {
        "q·k": exact(math.sqrt(d_k) * x),
        "q·k / √d_k": exact(x),
    }
    drawn, norms = charts(at)[0], []
    for panel, (name, y) in zip(panels(at), outputs.items(), strict=True):
        jacobian = np.diag(y) - np.outer(y, y)
        assert drawn[name] == pytest.approx(y.tolist(), abs=1e-12)
        assert panel.values == pytest.approx(jacobian.astype(np.float32), abs=1e-7)
        assert (panel.scale, panel.limit) == ("signed", 0.25)
        norms.append(np.linalg.norm(jacobian))
    one, other = outputs.values()
    # Half is the largest norm that there is: two scores share all the weight.
    said = [percent(each) for each in (one.max(), norms[0] / 0.5, other.max(), norms[1] / 0.5)]
    for each in said:
        assert each in shown.seen


def test_what_is_sampled_at_every_width_is_drawn(open_lesson):
    at, _shown = open_lesson("scaling", sample_seed="3")
    sampled = sampled_widths(1000, 3)
    _outputs, variance, gradient = charts(at)
    assert variance["q·k"] == [each.variance_unscaled for each in sampled]
    assert variance["theory: d_k"] == [each.d_k for each in sampled]
    assert gradient["q·k / √d_k"] == [each.gradient_scaled for each in sampled]
    # Of 30,000 queries it is 8.5 times as much.
    times = gradient["q·k / √d_k"][-1] / gradient["q·k"][-1]
    assert times == pytest.approx(8.5, rel=0.2)
    at.number_input(key="sample_seed").set_value(1).run()
    assert charts(at)[1] != variance


def test_it_opens_on_the_width_of_the_model(open_lesson):
    for model, d_k in (("copy", 16), ("translate", 32)):
        at, shown = open_lesson("scaling", model=model)
        assert at.selectbox(key="d_k").value == d_k
        assert f"At d_k = {d_k} scores are √d_k = {math.sqrt(d_k):.3g} times as large" in shown.seen


@pytest.mark.parametrize(
    ("scores", "complaint"),
    [("1, two", "is not a number"), ("", "no scores"), ("1 " * 17, "There are 17 scores")],
)
def test_scores_that_cannot_be_are_named_and_kept(open_lesson, scores, complaint):
    at, _shown = open_lesson("scaling", sample_seed="7")
    at.text_input(key="scores").set_value(scores).run()
    assert not at.exception
    [error] = at.error
    assert complaint in error.value
    assert at.text_input(key="scores").value == scores
    at.text_input(key="scores").set_value("1 2").run()
    assert not at.error
    assert at.number_input(key="sample_seed").value == 7


def test_heads_are_those_of_the_attention_page_before_the_change(open_lesson):
    query = {"scaling_shown": "model", "model": "copy", "sentence": "a b c"}
    at, shown = open_lesson("scaling", **query)
    evennesses, variances = charts(at)
    before, after = evennesses.values()
    run = load_run(ROOT / "gallery" / "copy")
    wanted = [
        evenness(head, attention.even_QK)
        for attention in inspect_sentence(run, "a b c").attention.values()
        for head in attention.weights_HQK
    ]
    assert before == pytest.approx(wanted, abs=1e-6)
    assert f"mean entropy **{percent(np.mean(before))}** → **{percent(np.mean(after))}**" in (
        shown.seen
    )
    # Layer 0 of the pre-norm encoder by hand.
    source = translate(run, "a b c").source_ids
    with torch.inference_mode():
        layer = run.model.encoder[0]
        attention = layer.self_attention
        x = layer.residuals[0].norm(run.model.source_embedding(torch.tensor([source])))
        query, key = (
            part(x)[0].double().view(len(source), 4, -1).transpose(0, 1)
            for part in (attention.query, attention.key)
        )
    products = (query @ key.transpose(1, 2)).flatten(1).var(dim=1, correction=0)
    assert variances["q·k"][:4] == pytest.approx(products.tolist(), rel=1e-4)
    assert variances["q·k / √d_k"][:4] == pytest.approx((products / 16).tolist(), rel=1e-4)


@pytest.mark.parametrize(("after", "said_so"), [(0.1, "**less**"), (0.9, "**more**")])
def test_the_heads_are_said_to_spread_as_they_do(after, said_so):
    site = Site("encoder", 0, "self")
    found = Rescaled({site: (0.5,)}, {site: (after,)}, 4, 3, 0.1, 0.2, {}, {})
    text = scaling._without(found)
    assert said_so in text
    assert "**3** of 4 tokens stay" in text


def test_a_model_without_attention_has_nothing_to_take_away(open_lesson):
    at, shown = open_lesson("scaling", model="bottleneck-fixed", scaling_shown="model")
    assert shown.name == "scaling"
    assert not [each for each in at.segmented_control if each.key == "scaling_shown"]
