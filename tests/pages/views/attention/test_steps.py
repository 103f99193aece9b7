import numpy as np
import pytest

from core.heads import Head, Site
from core.runs.run import load_run
from core.studies.heads.stages import panels
from core.studies.heads.steps import head_steps
from pages.frame.language import plain
from pages.views.attention.steps import STEPS
from pages.views.attention.terms import SHOWN, TERMS, digits
from tests.core.studies.heads.conftest import PLAIN
from tests.pages.conftest import ROOT, TIRED, said, send_from, texts
from tests.pages.views.attention.conftest import seen
from tests.viz.unpacked import unpack_matrices as unpack

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


def equation(at):
    """Return the line that says how the marked number came about."""
    return seen(at).removesuffix(".")


def click(at, panel, row, column):
    send_from(at, element(at, STEPS), "pick", {"panel": panel, "row": row, "column": column})


@pytest.mark.parametrize(("older", "stage"), [("q", "queries"), ("÷ √d_k", "scale")])
def test_older_links_call_stages_by_their_formulas(open_steps, older, stage):
    at, _ = open_steps(stage=older)
    assert at.segmented_control(key="stage").value == at.query_params["stage"] == stage


def test_it_opens_on_the_softmax_of_the_pronoun(open_view):
    at, _ = open_view("steps")
    assert at.segmented_control(key="stage").value == "softmax"
    assert "Step 7 of 10." in said(at)
    words = texts(shown(at).panels[0].rows)
    panel, row, column = shown(at).selected
    assert (panel, words[row], words[column]) == (0, "it", "animal")


def test_a_brief_view_shows_results_alone_and_its_button_shows_all_steps(open_steps):
    at, _ = open_steps(stage="products", brief="true", cell="0,8,8")
    assert at.segmented_control(key="stage").options == ["q·k", "softmax"]
    products = shown(at)
    at.segmented_control(key="stage").set_value("softmax").run()
    weights = shown(at)
    # The same words stand in the same places of both, and the same pair has the frame.
    assert [len(each.panels) for each in (products, weights)] == [1, 1]
    assert products.selected == weights.selected == (0, 8, 8)
    assert texts(products.panels[0].rows) == texts(weights.panels[0].rows)
    at.button(key="all_steps").click().run()
    assert len(at.segmented_control(key="stage").options) == 10
    assert len(shown(at).panels) == 2


def test_a_clicked_cell_is_marked_and_explained(open_steps):
    at, _ = open_steps(kind="cross", stage="q·k")
    click(at, 0, 3, 5)
    assert shown(at).selected == (0, 3, 5)
    assert equation(at).startswith("q·k (n' → the) = q of n' · kᵀ of the = **")
    # A click on what goes in chooses a row of what comes out.
    click(at, 1, 4, 7)
    assert shown(at).selected[:2] == (0, 4)


@pytest.mark.parametrize(("kind", "stage"), zip([*KINDS] * len(PLAIN), PLAIN, strict=False))
def test_every_matrix_is_the_heads_own(open_steps, run, kind, stage):
    at, _ = open_steps(kind=kind, stage=stage.value)
    steps = head_steps(run, TIRED, Head(KINDS[kind], 2))
    for matrix, panel in zip(shown(at).panels, panels(steps, stage), strict=True):
        finite = np.isfinite(panel.values)
        np.testing.assert_array_equal(matrix.values[finite], panel.values[finite])
        if panel.name in ("masked", "w") and not steps.visible_QK.all():
            np.testing.assert_array_equal(matrix.visible, steps.visible_QK)
        else:
            assert matrix.visible is None
        assert matrix.scale == ("weight" if panel.name == "w" else "signed")
        assert matrix.limit >= abs(matrix.values[finite]).max()


def test_of_a_weight_the_picture_has_scores_and_weights(open_steps, run):
    at, _ = open_steps(kind="cross", stage="softmax")
    _panel, row, column = shown(at).selected
    steps = head_steps(run, TIRED, Head(KINDS["cross"], 2))
    scores_QK = steps.masked_QK
    scores = scores_QK[row].astype(np.float64)
    shares = np.exp(scores) / np.exp(scores).sum()
    of_scores, of_weights = shown(at, TERMS).panels
    panels = of_scores, of_weights
    assert [each.columns.labels[0].text for each in panels] == ["score", "weight"]
    assert [each.scale for each in panels] == ["signed", "weight"]
    assert of_weights.limit == 1.0
    np.testing.assert_allclose(of_weights.values[:, 0], -np.sort(-shares)[:SHOWN], rtol=1e-5)
    written = [[f"{each:.2f}"] for each in of_weights.values[:, 0]]
    assert [list(row) for row in of_weights.texts] == written
    first, second = np.argsort(-scores)[:2]
    assert column == first
    keys = [token.text for token in steps.keys]
    two = [f"{digits(scores[each])} (“{keys[each]}”)" for each in (first, second)]
    weights = " and ".join(f"**{shares[each]:.2f}**" for each in (first, second))
    assert f"the scores {' and '.join(two)} into the weights {weights}." in seen(at)
    product, score = (digits(float(each[row, column])) for each in (steps.products_QK, scores_QK))
    assert f"q·k / √d_k = {product} / {digits(steps.divisor)} = {score}." in seen(at)


@pytest.mark.parametrize("stage", ["softmax", "mix"])
def test_a_look_up_names_the_keys_with_the_largest_weights_of_the_row(open_steps, run, stage):
    at, _ = open_steps(stage=stage, cell="0,8,3")
    row, steps = 8, head_steps(run, TIRED, Head(KINDS["encoder self"], 2))
    weights = steps.weights_QK[row]
    first = np.argsort(-weights)[:3]
    mean = " + ".join(f"{weights[key]:.2f} × “{plain(steps.keys[key].text)}”" for key in first)
    mean += f" + {1 - weights[first].sum():.2f} in all for the others"
    assert f"the query of “{steps.queries[row].text}” with every key" in said(at)
    assert f"**{mean}**" in said(at)
