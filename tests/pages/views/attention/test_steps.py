import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from core.heads import Head, Kind, Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.heads.cells import cell_at
from core.studies.heads.largest_weights import pairs_of_words, telling_query
from core.studies.heads.stages import Stage, bias, matrices, panels
from core.studies.heads.steps import head_steps
from core.studies.heads.terms import terms
from pages.frame import view
from pages.views.attention.stages import FORMULAS
from pages.views.attention.steps import STEPS
from tests.core.studies.heads.conftest import PLAIN
from tests.pages.conftest import MODEL, ROOT, said, send_from, unfold
from tests.pages.views.attention.conftest import run_lines, seen
from viz.plane.matrices import unpack

TIRED = "The animal didn't cross the street because it was too tired."
GUIDED = Site("encoder", 2, "self")
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


def test_next_and_back_go_through_all_stages_in_order(open_steps):
    at, _ = open_steps(stage="queries")
    order = names(at)
    assert order == ["q", "k", "v", "q·k", "÷ √d_k", "mask", "softmax", "· v", "concatenate", "W^O"]
    assert at.button(key="steps_back").disabled
    for stage in PLAIN[1:]:
        at.button(key="steps_next").click().run()
        assert at.segmented_control(key="stage").value is stage
    assert at.button(key="steps_next").disabled
    at.button(key="steps_back").click().run()
    assert at.segmented_control(key="stage").value is PLAIN[-2]


@pytest.mark.parametrize("stage", [each for each in FORMULAS if each in PLAIN])
def test_older_links_call_stages_by_their_formulas(open_steps, stage):
    at, _ = open_steps(stage=FORMULAS[stage])
    assert at.segmented_control(key="stage").value is stage
    # A link of today calls them by a name.
    assert at.query_params.get("stage", Stage.SOFTMAX) == stage.value


def test_the_stage_stays_when_another_head_is_chosen(open_steps, run):
    at, _ = open_steps(kind="cross", stage="softmax")
    at.selectbox(key="head").set_value(3).run()
    assert at.segmented_control(key="stage").value == "softmax"
    steps = head_steps(run, TIRED, Head(KINDS["cross"], 3))
    np.testing.assert_array_equal(shown(at).panels[0].values, steps.weights_QK)


@pytest.mark.parametrize("stage", PLAIN)
def test_it_marks_what_the_telling_word_s_largest_weight_is_about(open_steps, run, stage):
    at, _ = open_steps(kind="cross", stage=stage.value)
    inspection = inspect_sentence(run, TIRED)
    steps = head_steps(run, TIRED, Head(KINDS["cross"], 2))
    pairs = pairs_of_words(inspection.fed_tokens, inspection.source_tokens, Kind.CROSS)
    query = telling_query(steps.weights_QK, steps.visible_QK, pairs)
    cell = cell_at(steps, stage, query, int(steps.weights_QK[query].argmax()))
    assert shown(at).selected == (0, *cell)


def test_it_opens_on_the_softmax_of_the_pronoun(open_view):
    at, _ = open_view("steps")
    assert at.segmented_control(key="stage").value == "softmax"
    steps = head_steps(load_run(ROOT / "gallery" / MODEL), TIRED, Head(GUIDED, 0))
    words = texts(shown(at).panels[0].rows)
    panel, row, column = shown(at).selected
    assert (panel, words[row], words[column]) == (0, "it", "animal")
    scores = steps.masked_QK[row].astype(np.float64)
    share = 1 / np.exp(scores - scores[column]).sum()
    second = np.sort(scores)[-2]
    found = seen(at)
    assert found.startswith("**it** gives **animal** **")
    assert f"its score, {scores[column]:.2f}, is the largest; the next, of " in found
    assert found.endswith(f", is {second:.2f}.".replace("-", "−"))
    assert float(re.search(r"([\d.]+) %", found)[1]) == pytest.approx(100 * share, abs=0.051)


def test_a_clicked_cell_is_marked_and_explained(open_steps, run):
    at, _ = open_steps(kind="cross", stage="q·k")
    click(at, 0, 3, 5)
    assert shown(at).selected == (0, 3, 5)
    steps = head_steps(run, TIRED, Head(KINDS["cross"], 2))
    assert equation(at).startswith("q·k (n' → the) = q of n' · kᵀ of the = **")
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
    for stage in ("scale", "mask", "softmax"):
        at.button(key="steps_next").click().run()
        assert (at.segmented_control(key="stage").value, shown(at).selected) == (stage, (0, 3, 5))
    at.button(key="steps_next").click().run()
    assert shown(at).selected[:2] == (0, 3)
    at.segmented_control(key="stage").set_value(Stage.KEYS).run()
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
    assert len(shown(at).panels) == 2
    assert at.segmented_control(key="stage").value == "softmax"


def test_a_link_reopens_stage_and_cell(open_steps):
    at, _ = open_steps(kind="decoder self", stage="W^O", cell="0,2,9", terms_order="in order")
    assert shown(at).selected == (0, 2, 9)
    assert at.segmented_control(key="terms_order").value == "order"


def test_words_cannot_be_chosen_where_all_is_between_tokens(open_steps):
    at, _ = open_steps(unit="whole words", stage="softmax")
    assert "unit" not in [each.key for each in at.segmented_control]
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


def test_every_number_of_a_stage_is_taken_and_computed_again_by_the_lines(open_steps, run):
    for kind, stage in (("encoder self", "queries"), ("decoder self", "mask"), ("cross", "output")):
        _at, taken = open_steps(kind=kind, stage=stage)
        columns = taken.columns()
        assert len(set(map(len, columns.values()))) == 1
        assert run_lines(taken.snippet()) == columns["value"]
        steps = head_steps(run, TIRED, Head(KINDS[kind], 2))
        wanted = matrices(steps, Stage(stage))
        at = 0
        for name, values in wanted.items():
            for row, column in np.ndindex(values.shape):
                line = [columns[key][at] for key in ("matrix", "row", "column", "value")]
                assert line == [name, row, column, values[row, column]]
                at += 1
        cell = tuple(map(int, re.findall(r"\d+", columns["matrix"][at])[-2:]))
        found = terms(steps, Stage(stage), *cell)
        made = np.concatenate([found.left_N, found.right_N, found.terms_N])
        assert columns["value"][at:] == made.tolist()
        assert (bias(steps, Stage(stage)) is not None) == ("b^" in "".join(wanted))


def test_the_result_comes_first_and_says_so_and_tokens_stand_beside_their_numbers(open_steps, run):
    at, taken = open_steps(kind="cross", stage="softmax")
    assert shown(at).panels[0].title == "Result: w = softmax(masked): the weights"
    columns = taken.columns()
    assert columns["matrix"][0] == "w"
    steps = head_steps(run, TIRED, Head(KINDS["cross"], 2))
    n = steps.weights_QK.size
    keys = texts(shown(at).panels[0].columns)
    assert columns["column_token"][:n] == keys * (n // len(keys))
    assert columns["row_token"][:2] == ["BOS", "BOS"]
    _, taken = open_steps(kind="cross", stage="q")
    columns = taken.columns()
    assert columns["row_token"][0] == "BOS"
    assert columns["column_token"][0] == ""


def test_the_table_has_every_matrix_and_the_terms_the_result_first(open_steps):
    _, taken = open_steps(kind="decoder self", stage="mask")
    found = re.findall(
        r"· matrix ([^<]*) · value",
        view.page(
            replace(taken, pictures=()),
            {name: "" for name in ("model", "step", "sentence", "translation")},
        ),
    )
    assert found == ["masked", "s", found[-1]]
    assert found[-1].startswith("terms:masked[")


def test_a_file_says_which_head_and_which_number(open_steps):
    _, taken = open_steps(kind="cross", stage="q·k", cell="0,3,5")
    assert taken.about["head"] == "Decoder layer 1, cross-attention head 2"
    assert taken.about["happens"].startswith("Compare. Every query meets every key")
    assert taken.about["number"].startswith("q·k (n' → the) = q of n' · kᵀ of the = ")


def test_a_sentence_of_any_signs_is_computed_again(open_steps):
    odd = 'The "old" goat\'s \\ {bridge}.'
    _, taken = open_steps(kind="cross", stage="softmax", sentence=odd)
    assert json.dumps(odd) in taken.snippet()
    assert run_lines(taken.snippet()) == taken.columns()["value"]


@pytest.mark.parametrize(
    ("kind", "stage", "told"),
    [
        ("llama", "turned_queries", "by an angle that grows with the position"),
        ("llama", "keys", "k = x W^K"),
        ("t5", "position_bias", "their distance adds"),
        ("t5", "products", "Every query meets every key"),
    ],
)
def test_the_steps_of_another_kind_of_head_are_shown(
    open_page, elsewhere, opened_path, kind, stage, told
):
    elsewhere("OWN", opened_path(kind).parent)
    query = {"view": "steps", "model": f"runs/{kind}", "kind": "decoder.self", "stage": stage}
    at = open_page("attention", sentence="The animal did not cross the street.", **query)
    assert not at.error
    text = said(at) + " ".join(panel.title for panel in shown(at).panels)
    assert told in text
    assert "b^" not in text
