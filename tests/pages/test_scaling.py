import math
import re

import numpy as np
import pyarrow
import pytest
import torch

from core.analysis.heads.evenness import evenness
from core.decoding.sentence import translate
from core.inspection import inspect_sentence
from core.runs.run import load_run
from tests.pages.conftest import ROOT, said
from viz.plane.matrices import unpack

VIEWS = ["softmax", "variance", "jacobian", "gradient", "heads"]
WIDTHS = [2**power for power in range(11)]


@pytest.fixture
def open_scaling(open_page):
    return lambda **query_params: open_page("scaling", **query_params)


def drawn(at, chart=0):
    """Return the lines or dots of a chart: series → its values of y or value, in order."""
    proto = at.get("vega_lite_chart")[chart].proto
    frames = [pyarrow.ipc.open_stream(data.data.data).read_pandas() for data in proto.datasets]
    frame = next(frame for frame in frames if "series" in frame)
    value = "y" if "y" in frame else "value"
    return {name: rows[value].tolist() for name, rows in frame.groupby("series", sort=False)}, frame


def jacobian_on(at):
    [component] = at.get("bidi_component")
    [panel] = unpack(component.proto.bytes).panels
    return panel


def exact(scores):
    exponentials = np.exp(np.array(scores, float) - max(scores))
    return exponentials / exponentials.sum()


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_by_link_with_formula_and_code(open_scaling, view):
    at = open_scaling(scaling=view)
    assert at.segmented_control(key="scaling").value == view
    assert len(at.get("vega_lite_chart")) >= 1
    assert len(at.get("download_button")) >= 1
    assert [folded.label for folded in at.expander] == [
        "Formula",
        "What to try",
        "Code that computes it",
    ]
    assert not at.error


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_can_be_chosen(open_scaling, view):
    at = open_scaling()
    at.segmented_control(key="scaling").set_value(view).run()
    assert not at.exception
    assert at.get("vega_lite_chart")


@pytest.mark.parametrize(
    ("size", "third"), [("1", 0.5761168847658291), ("10", 0.9999092083843412), ("100", 1.0)]
)
def test_the_outputs_of_a_a_2a_are_the_known_ones(open_scaling, size, third):
    written = re.findall(r"`(.*?)`", said(open_scaling(a=size)))
    assert float(written[2]) == pytest.approx(third, rel=0, abs=1e-15)
    assert [float(each) for each in written] == pytest.approx(
        exact([float(size), float(size), 2 * float(size)]).tolist(), abs=1e-15
    )


def test_the_curve_is_the_closed_form_and_the_slopes_are_its_own(open_scaling):
    at = open_scaling(a="2")
    series, frame = drawn(at)
    sizes = frame["x"].to_numpy()[: len(frame) // 2]
    third, others = series.values()
    assert (sizes[0], sizes[-1]) == (0, 12)
    assert third == pytest.approx(1 / (1 + 2 * np.exp(-sizes)), abs=1e-12)
    assert others == pytest.approx((1 - np.array(third)) / 2, abs=1e-12)
    rows = re.findall(r"\| (2?a) = (.*?) \| `(.*?)` \| (.*?) \|", said(at))
    step = 1e-5
    below, above = (exact([a, a, 2 * a]) for a in (2 - step, 2 + step))
    assert [row[:2] for row in rows] == [("a", "2"), ("a", "2"), ("2a", "4")]
    assert [float(row[3]) for row in rows] == pytest.approx(
        ((above - below) / (2 * step)).tolist(), rel=0.05
    )
    assert "slope dy/da" in said(at)


@pytest.mark.parametrize("size", [-1e6, -3, 0, 30, 1e6])
def test_any_size_of_a_is_drawn(open_scaling, size):
    at = open_scaling()
    at.number_input(key="a").set_value(float(size)).run()
    assert not at.exception
    written = [float(each) for each in re.findall(r"`(.*?)`", said(at))]
    assert written == pytest.approx(exact([size, size, 2 * size]).tolist(), abs=1e-15)


@pytest.mark.parametrize("components", ["normal", "uniform", "±1"])
def test_sampled_variances_stand_beside_theory(open_scaling, components):
    at = open_scaling(scaling="variance", components=components, samples="1000", sample_seed="4")
    unscaled, scaled, theory, one = drawn(at)[0].values()
    assert theory == WIDTHS
    assert one == [1] * len(WIDTHS)
    assert unscaled == pytest.approx(theory, rel=0.35)
    assert scaled == pytest.approx(np.divide(unscaled, WIDTHS), rel=1e-12)
    assert "n = 1000" in said(at)
    assert "seed 4" in said(at)


def test_signs_are_sampled_as_said(open_scaling):
    at = open_scaling(scaling="variance", components="±1", samples="30", sample_seed="7")
    random = np.random.default_rng(7)
    wanted = []
    for width in WIDTHS:
        query = random.integers(0, 2, (30, width)) * 2 - 1
        key = random.integers(0, 2, (30, width)) * 2 - 1
        wanted.append(float((query * key).sum(axis=1).var()))
    assert next(iter(drawn(at)[0].values())) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(("key", "value"), [("samples", "30"), ("components", "uniform")])
def test_every_choice_of_samples_changes_the_picture(open_scaling, key, value):
    at = open_scaling(scaling="variance")
    before = drawn(at)[0]
    at.segmented_control(key=key).set_value(value).run()
    assert drawn(at)[0] != before


def test_the_models_own_variances_are_its_queries_and_keys(open_scaling):
    at = open_scaling(scaling="variance", model="copy", sentence="a b c")
    products, divided = drawn(at, chart=1)[0].values()
    run = load_run(ROOT / "gallery" / "copy")
    assert len(products) == 4 * len(run.model.sites())
    assert products == pytest.approx([each * run.settings.model.d_k for each in divided], rel=1e-9)
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
    wanted = (query @ key.transpose(1, 2)).flatten(1).var(dim=1, correction=0)
    assert products[:4] == pytest.approx(wanted.tolist(), rel=1e-4)


@pytest.mark.parametrize("factor", [0.0, 1.0, 5.66, 100.0])
def test_the_jacobian_is_that_of_the_typed_scores(open_scaling, factor):
    at = open_scaling(scaling="jacobian", scores="1, 2; -3 0.5", factor=str(factor))
    y = exact(factor * np.array([1, 2, -3, 0.5]))
    wanted = np.diag(y) - np.outer(y, y)
    panel = jacobian_on(at)
    assert panel.values == pytest.approx(wanted.astype(np.float32), abs=1e-7)
    assert (panel.scale, panel.limit) == ("signed", 0.25)
    assert drawn(at)[0]["y"] == pytest.approx(y.tolist(), abs=1e-15)
    assert f"**{np.abs(wanted).max():.3g}**" in said(at)
    norm = float(re.findall(r"norm \*\*(.*?)\*\*", said(at))[0])
    assert norm == pytest.approx(np.linalg.norm(wanted), rel=5e-3, abs=1e-15)


def test_the_factor_of_the_model_is_one_click_away(open_scaling):
    at = open_scaling(scaling="jacobian", model="translate")
    next(button for button in at.button if "√d_k" in button.label).click().run()
    assert at.number_input(key="factor").value == pytest.approx(math.sqrt(32))
    y = exact(math.sqrt(32) * np.array([1, 2, 3]))
    assert drawn(at)[0]["y"] == pytest.approx(y.tolist(), abs=1e-12)


@pytest.mark.parametrize(
    ("scores", "complaint"),
    [
        ("1, two", "is not a number"),
        ("", "There are no scores"),
        ("1 " * 17, "There are 17 scores"),
        ("1, inf", "is not a finite number"),
        ("nan", "is not a finite number"),
        ("1e300", "is too large"),
        ("<img src=x>, **b**", "is not a number"),
    ],
)
def test_scores_that_cannot_be_are_named_and_kept(open_scaling, scores, complaint):
    at = open_scaling(scaling="jacobian", factor="7")
    at.text_input(key="scores").set_value(scores).run()
    assert not at.exception
    [error] = at.error
    assert complaint in error.value
    assert "<img" not in error.value
    assert at.text_input(key="scores").value == scores
    assert at.number_input(key="factor").value == 7
    at.text_input(key="scores").set_value("1 2").run()
    assert not at.error


def test_one_score_and_sixteen_are_drawn(open_scaling):
    assert jacobian_on(open_scaling(scaling="jacobian", scores="5")).values.tolist() == [[0]]
    many = open_scaling(scaling="jacobian", scores=",".join(["0"] * 16))
    assert jacobian_on(many).values.shape == (16, 16)


@pytest.mark.parametrize("average", ["mean", "median"])
def test_gradients_are_those_of_sampled_queries_and_keys(open_scaling, average):
    at = open_scaling(scaling="gradient", keys="4", queries="10", average=average, sample_seed="3")
    unscaled, scaled = drawn(at)[0].values()
    random = np.random.default_rng(3)
    for width, without, divided in zip(WIDTHS, unscaled, scaled, strict=True):
        query = random.standard_normal((10, width), dtype=np.float32).astype(float)
        key = random.standard_normal((10, 4, width), dtype=np.float32).astype(float)
        products = np.einsum("ne,nke->nk", query, key)
        for found, divisor in ((without, 1), (divided, math.sqrt(width))):
            outputs = [exact(row / divisor) for row in products]
            norms = [np.linalg.norm(np.diag(y) - np.outer(y, y)) for y in outputs]
            assert found == pytest.approx(getattr(np, average)(norms), rel=1e-3, abs=1e-12)
    assert "n = 10 queries at each d_k, each with 4 keys" in said(at)
    assert "seed 3" in said(at)


@pytest.mark.parametrize(
    ("key", "value"), [("keys", "2"), ("queries", "30"), ("average", "median")]
)
def test_every_choice_of_gradients_changes_the_picture(open_scaling, key, value):
    at = open_scaling(scaling="gradient")
    before = drawn(at)[0]
    at.segmented_control(key=key).set_value(value).run()
    assert drawn(at)[0] != before


def test_another_seed_is_another_sample(open_scaling):
    at = open_scaling(scaling="gradient")
    before = drawn(at)[0]
    at.number_input(key="sample_seed").set_value(1).run()
    assert drawn(at)[0] != before


@pytest.mark.parametrize("model", ["copy", "translate"])
@pytest.mark.parametrize("view", ["variance", "gradient"])
def test_the_width_of_the_model_is_marked(open_scaling, model, view):
    at = open_scaling(scaling=view, model=model)
    proto = at.get("vega_lite_chart")[0].proto
    frames = [pyarrow.ipc.open_stream(data.data.data).read_pandas() for data in proto.datasets]
    [rule] = [frame for frame in frames if "text" in frame]
    assert rule["x"].tolist() == [{"copy": 16, "translate": 32}[model]]


def test_heads_are_those_of_the_attention_page_before_the_change(open_scaling):
    at = open_scaling(scaling="heads", model="translate", sentence="The cat slept.")
    before, after = drawn(at)[0].values()
    inspection = inspect_sentence(load_run(ROOT / "gallery" / "translate"), "The cat slept.")
    wanted = [
        evenness(head, attention.visible_QK)
        for attention in inspection.attention.values()
        for head in attention.weights_HQK
    ]
    assert before == pytest.approx(wanted, abs=1e-6)
    assert 0 <= min(after) <= max(after) <= 1
    means = re.findall(r"\*\*([\d.]+)\xa0%\*\*", said(at))
    assert [float(each) for each in means] == pytest.approx(
        [100 * np.mean(before), 100 * np.mean(after)], abs=0.051
    )


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("sentence", ["a", "😀 <b> $x$", "a b c d e " * 60])
def test_every_view_takes_any_sentence(open_scaling, view, sentence):
    at = open_scaling(scaling=view, model="copy", sentence=sentence)
    assert at.get("vega_lite_chart")


@pytest.mark.parametrize("view", VIEWS)
def test_without_a_sentence_the_page_says_so(open_scaling, view):
    at = open_scaling(scaling=view)
    at.text_input(key="sentence").set_value("").run()
    assert not at.exception
    assert "Type a sentence" in said(at)


def test_values_that_cannot_be_in_a_link_give_the_defaults(open_scaling):
    at = open_scaling(scaling="gradient", keys="5", queries="x", average="mode", sample_seed="-1")
    assert at.segmented_control(key="keys").value == "8"
    assert at.segmented_control(key="average").value == "mean"
    assert at.number_input(key="sample_seed").value == 0
