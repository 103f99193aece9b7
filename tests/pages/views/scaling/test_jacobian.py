import math
import re

import numpy as np
import pytest

from tests.pages.conftest import said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.scaling.conftest import drawn, exact
from viz.plane.matrices import unpack


def jacobian_on(at):
    [component] = at.get("bidi_component")
    [panel] = unpack(component.proto.bytes).panels
    return panel


@pytest.mark.parametrize("factor", [0.0, 1.0, 5.66, 100.0])
def test_the_jacobian_is_that_of_the_typed_scores(open_scaling, factor):
    at = open_scaling(scaling="jacobian", scores="1, 2; -3 0.5", factor=str(factor))
    y = exact(factor * np.array([1, 2, -3, 0.5]))
    wanted = np.diag(y) - np.outer(y, y)
    panel = jacobian_on(at)
    assert panel.values == pytest.approx(wanted.astype(np.float32), abs=1e-7)
    assert (panel.scale, panel.limit) == ("signed", 0.25)
    assert drawn(at)[0]["y"] == pytest.approx(y.tolist(), abs=1e-15)
    written = said(at).replace("−", "-")
    norm = float(re.findall(r"\(norm of the Jacobian ([\d.e-]+),", written)[0])
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


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_scaling, handed_over):
    at = open_scaling(scaling="jacobian", scores="1, 2; −3 0.5", factor="1.3")
    [shown] = handed_over
    assert_takeable(at, shown)
    slopes = np.array(numbers_of(shown, "slope"), np.float32).reshape(4, 4)
    assert slopes.tolist() == jacobian_on(at).values.tolist()
    assert numbers_of(shown, "y") == drawn(at)[0]["y"]
    names = ("slope", "x", "factor · x", "y", "largest", "norm")
    assert computed(shown) == numbers_of(shown, *names)


def test_a_tie_of_two_lets_more_gradient_through_than_equal_scores(open_scaling):
    three = said(open_scaling(scaling="jacobian", scores="1, 1, 1"))
    assert "(norm of the Jacobian 0.471, at most 0.5)" in three
    assert "with equal scores 94.3" in three
    # ∂y/∂x of three equal scores: ⅓ of ⅔.
    assert "Move score 0 a little, and output 0 moves by **0.22** of that." in three
    assert "**94.3" in three
    assert "(norm of the Jacobian 0.500, " in said(
        open_scaling(scaling="jacobian", scores="0, 0, -100")
    )
    assert "nothing can move" in said(open_scaling(scaling="jacobian", scores="4"))
