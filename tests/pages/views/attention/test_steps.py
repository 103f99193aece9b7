import math
import re

import numpy as np
import pytest

from core.analysis.heads.cells import cell_at, telling_pair
from core.analysis.heads.stages import Stage, panels
from core.analysis.heads.steps import head_steps
from core.analysis.heads.terms import terms
from core.heads import Head, Site
from core.runs.run import load_run
from pages.views.attention.steps import STEPS
from pages.views.attention.steps_terms import SHOWN, TERMS
from tests.pages.conftest import ROOT, send_from, unfold
from viz.plane.matrices import unpack

TIRED = "The animal didn't cross the street because it was too tired."
LOOKED = {"model": "translate", "layer": "1", "head": "2"}
KINDS = {
    "encoder self": Site("encoder", 1, "self"),
    "decoder self": Site("decoder", 1, "self"),
    "cross": Site("decoder", 1, "cross"),
}


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate")


@pytest.fixture
def open_steps(open_view):
    """Return a function that opens the view, by default on one head of a run without guidance."""
    return lambda **query_params: open_view("steps", **(LOOKED | query_params))


def element(at, key):
    """Return the component with a key, or None where it is not on the page."""
    found = [each.proto for each in at.get("bidi_component") if each.proto.id.endswith(f"-{key}")]
    return found[0] if found else None


def shown(at, key=STEPS):
    return unpack(element(at, key).bytes)


def texts(axis):
    return [label.text for label in axis.labels]


def equation(at):
    """Return the line that says how the marked number came about."""
    lines = [each.value for each in at.markdown if each.value.endswith("**")]
    return re.sub(r"&#(\d+);", lambda sign: chr(int(sign[1])), lines[-1])


def click(at, panel, row, column):
    send_from(at, element(at, STEPS), "pick", {"panel": panel, "row": row, "column": column})


def names(at):
    return at.segmented_control(key="stage").options


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stage", Stage)
def test_every_matrix_is_the_heads_own(open_steps, run, kind, stage):
    at, _ = open_steps(kind=kind, stage=stage.value)
    steps = head_steps(run, TIRED, Head(KINDS[kind], 2))
    for matrix, panel in zip(shown(at).panels, panels(steps, stage), strict=True):
        seen = np.isfinite(panel.values)
        np.testing.assert_array_equal(matrix.values[seen], panel.values[seen])
        if panel.name in ("masked", "w") and not steps.visible_QK.all():
            np.testing.assert_array_equal(matrix.visible, steps.visible_QK)
        else:
            assert matrix.visible is None
        assert matrix.scale == ("weight" if panel.name == "w" else "signed")
        assert matrix.limit >= abs(matrix.values[seen]).max()


def test_what_is_compared_has_one_scale_and_weights_go_from_0_to_1(open_steps):
    at, _ = open_steps(stage="÷ √d_k")
    scores, products = shown(at).panels
    assert products.limit == scores.limit == pytest.approx(abs(products.values).max())
    at.segmented_control(key="stage").set_value("W^O").run()
    added, *_, term = shown(at).panels
    most = max(abs(term.values).max(), abs(added.values).max())
    assert term.limit == added.limit == pytest.approx(most)
    at.segmented_control(key="stage").set_value("softmax").run()
    assert shown(at).panels[0].limit == 1.0


def test_rows_and_columns_are_the_words_that_look_and_are_looked_at(open_steps):
    at, _ = open_steps(kind="cross", stage="q·k")
    products, query, key = shown(at).panels
    assert texts(query.rows) == texts(products.rows)
    assert texts(products.rows)[:2] == ["BOS", "L'"]
    assert texts(key.columns) == texts(products.columns)
    assert texts(products.columns)[:2] == ["The", "animal"]
    assert (products.rows.side, products.columns.side) == ("target", "source")


def test_next_and_back_go_through_all_stages_in_order(open_steps):
    at, _ = open_steps()
    order = names(at)
    assert order == [stage.value for stage in Stage]
    assert at.button(key="steps_back").disabled
    for name in order[1:]:
        at.button(key="steps_next").click().run()
        assert at.segmented_control(key="stage").value == name
    assert at.button(key="steps_next").disabled
    at.button(key="steps_back").click().run()
    assert at.segmented_control(key="stage").value == order[-2]


def test_the_stage_stays_when_another_head_is_chosen(open_steps, run):
    at, _ = open_steps(kind="cross", stage="softmax")
    at.selectbox(key="head").set_value(3).run()
    assert at.segmented_control(key="stage").value == "softmax"
    steps = head_steps(run, TIRED, Head(KINDS["cross"], 3))
    np.testing.assert_array_equal(shown(at).panels[0].values, steps.weights_QK)


@pytest.mark.parametrize("stage", Stage)
def test_it_opens_on_the_head_s_largest_weight_between_two_words(open_steps, run, stage):
    at, _ = open_steps(kind="cross", stage=stage.value)
    steps = head_steps(run, TIRED, Head(KINDS["cross"], 2))
    cell = cell_at(steps, stage, *telling_pair(steps))
    assert shown(at).selected == (0, *cell)


def test_a_clicked_cell_is_marked_and_explained(open_steps, run):
    at, _ = open_steps(kind="cross", stage="q·k")
    click(at, 0, 3, 5)
    assert shown(at).selected == (0, 3, 5)
    steps = head_steps(run, TIRED, Head(KINDS["cross"], 2))
    assert equation(at).startswith("q·k[3, 5] = q[3] · kᵀ[:, 5] = **")
    assert (
        unfold(at, "terms")
        .code[0]
        .value.startswith(f"sum = {terms(steps, Stage.PRODUCTS, 3, 5).sum:.6g}"[:9])
    )


def test_a_click_on_what_goes_in_chooses_a_row_of_what_comes_out(open_steps):
    at, _ = open_steps(kind="cross", stage="q·k")
    click(at, 1, 4, 7)
    assert shown(at).selected[:2] == (0, 4)


def test_the_pair_that_was_clicked_stays_from_stage_to_stage(open_steps):
    at, _ = open_steps(kind="cross", stage="q·k")
    click(at, 0, 3, 5)
    for stage in ("÷ √d_k", "mask", "softmax"):
        at.button(key="steps_next").click().run()
        assert (at.segmented_control(key="stage").value, shown(at).selected) == (stage, (0, 3, 5))
    at.button(key="steps_next").click().run()
    assert shown(at).selected[:2] == (0, 3)
    at.segmented_control(key="stage").set_value("k").run()
    assert shown(at).selected[0] == 0


@pytest.mark.parametrize(
    "cell",
    ["9,9,9", "0,99,0", "0,-1,0", "0,1", "a,b,c", "", "²,1,1", "0,1,1,1", "9" * 5000 + ",1,1"],
)
def test_a_cell_in_the_link_that_cannot_be_falls_back(open_steps, cell):
    plain, _ = open_steps(kind="cross", stage="q·k")
    at, _ = open_steps(kind="cross", stage="q·k", cell=cell)
    assert shown(at).selected == shown(plain).selected


def test_a_stage_and_an_order_in_the_link_that_cannot_be_fall_back(open_steps):
    at, _ = open_steps(stage="nonsense", terms_order="nonsense")
    assert len(shown(at).panels) == 3
    assert at.segmented_control(key="stage").value == "q"


def test_a_link_reopens_stage_and_cell(open_steps):
    at, _ = open_steps(kind="decoder self", stage="W^O", cell="0,2,9", terms_order="in order")
    assert shown(at).selected == (0, 2, 9)
    assert at.segmented_control(key="terms_order").value == "in order"


@pytest.mark.parametrize("stage", [Stage.QUERIES, Stage.MIX, Stage.OUTPUT])
def test_the_picture_of_the_terms_has_the_largest_and_the_text_all(open_steps, run, stage):
    at, _ = open_steps(kind="decoder self", stage=stage.value)
    steps = head_steps(run, TIRED, Head(KINDS["decoder self"], 2))
    found = terms(steps, stage, *cell_at(steps, stage, *telling_pair(steps)))
    by_size = np.argsort(-np.abs(found.terms_N), kind="stable")
    [panel] = shown(at, TERMS).panels
    wanted = np.array([found.left_N, found.right_N, found.terms_N])[:, by_size[:SHOWN]]
    np.testing.assert_array_equal(panel.values, wanted.astype(np.float32))
    at.segmented_control(key="terms_order").set_value("in order").run()
    table = unfold(at, "terms").code[0].value.split("\n\n")[1].splitlines()[1:]
    assert len(table) == len(found.terms_N)
    read = np.array([[float(number) for number in line.split()[-3:]] for line in table])
    written = np.stack([found.left_N, found.right_N, found.terms_N], axis=1)
    np.testing.assert_array_equal(read[:, :2].astype(np.float32), written[:, :2])
    np.testing.assert_allclose(read[:, 2], written[:, 2], rtol=1e-7)


@pytest.mark.parametrize("stage", [Stage.SCALE, Stage.MASK, Stage.CONCATENATE])
def test_the_picture_of_one_term_has_what_there_is(open_steps, run, stage):
    at, _ = open_steps(kind="decoder self", stage=stage.value, cell="0,5,2")
    found = terms(head_steps(run, TIRED, Head(KINDS["decoder self"], 2)), stage, 5, 2)
    [panel] = shown(at, TERMS).panels
    sides = [found.left_N, found.right_N] if found.names[2] else [found.left_N]
    wanted = np.array([*sides, found.terms_N], np.float32)
    np.testing.assert_array_equal(panel.values, wanted)
    assert [label.text for label in panel.rows.labels][0] == found.names[1]
    # The key, or the dimension, of the cell that was chosen.
    [label] = panel.columns.labels
    assert label.text == ("2" if stage is Stage.CONCATENATE else "animal")
    assert "terms_order" not in [each.key for each in at.segmented_control]


def test_open_terms_stay_open_from_step_to_step(open_steps):
    at, _ = open_steps(stage="k")
    assert unfold(at, "terms").code[0].value.startswith("sum = ")
    at.button(key="steps_next").click().run()
    assert at.code[0].value.startswith("sum = ")


def test_the_line_with_the_numbers_adds_up(open_steps):
    at, _ = open_steps(stage="v")
    line = equation(at).replace("**", "").replace("−", "-")
    assert line.startswith("v[")
    *_, added, offset, total = (float(text) for text in re.findall(r"-?\d+\.\d+", line))
    assert added + offset == pytest.approx(total, abs=0.02)


def test_a_hidden_score_is_said_to_be_minus_infinity(open_steps):
    at, _ = open_steps(kind="decoder self", stage="mask", cell="0,2,5")
    assert equation(at) == "masked[2, 5]: hidden, so it is **−∞**"
    at.button(key="steps_next").click().run()
    assert equation(at).endswith("= **0**")
    assert "nan" not in at.code[0].value


def test_words_cannot_be_chosen_where_all_is_between_tokens(open_steps):
    at, _ = open_steps(unit="whole words", stage="softmax")
    assert at.segmented_control(key="unit").disabled
    assert len(texts(shown(at).panels[0].rows)) == 14


@pytest.mark.parametrize("size", [(1, 1), (12, 16)])
@pytest.mark.parametrize("kind", KINDS)
def test_models_of_any_size_and_one_word_are_shown(open_view, own_random, size, kind):
    layers, heads = size
    path = own_random(n_encoder_layers=layers, n_decoder_layers=layers, n_heads=heads)
    last = {"layer": str(layers - 1), "head": str(heads - 1), "kind": kind}
    site = Site(KINDS[kind].stack, layers - 1, KINDS[kind].sublayer)
    steps = head_steps(load_run(path), "a", Head(site, heads - 1))
    for stage in (Stage.QUERIES, Stage.CONCATENATE, Stage.OUTPUT):
        at, _ = open_view("steps", model="runs/random", sentence="a", stage=stage.value, **last)
        np.testing.assert_array_equal(shown(at).panels[0].values, panels(steps, stage)[0].values)


def test_a_stage_of_128_tokens_at_the_paper_s_width_has_at_most_a_megabyte(open_view, own_random):
    own_random(n_encoder_layers=1, n_decoder_layers=1, n_heads=8, d_model=512, max_positions=128)
    for stage in Stage:
        at, _ = open_view("steps", model="runs/random", sentence="a b " * 80, stage=stage.value)
        assert shown(at).panels[0].values.shape[0] == 128
        assert len(element(at, STEPS).bytes) <= 1e6


def test_five_hundred_tokens_are_shown(open_view, own_random):
    own_random(n_encoder_layers=1, n_decoder_layers=1)
    for stage in ("q", "mask", "W^O"):
        at, _ = open_view("steps", model="runs/random", sentence="a b " * 300, stage=stage)
        assert shown(at).panels[0].values.shape[0] == 512


def test_odd_tokens_are_shown_as_they_are(open_steps):
    odd = "*a* `b` $c$ שלום " + "x" * 60
    at, _ = open_steps(sentence=odd, stage="softmax")
    assert len(texts(shown(at).panels[0].rows)) > 5
    assert math.isfinite(shown(at).panels[0].values.sum())
