from dataclasses import dataclass
from enum import StrEnum

from hypothesis import given
from hypothesis import strategies as st

from core.heads import Head
from core.inspection import inspect_sentence, merged
from core.studies.heads.maps import maps_of_heads
from pages.frame.recipe import Recipe
from tests.pages.conftest import ROOT

EVERYDAY = ROOT / "gallery" / "copy"


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Size:
    width: int
    height: int = 2


@dataclass(frozen=True)
class Given:
    value: object

    def table(self):
        return {"value": [self.value]}


def given_value(value):
    return Given(value)


def doubled(one):
    return Given(one.value * 2)


def again(recipe):
    """Return the numbers that the printed Python computes."""
    found = {}
    exec(recipe.python(), found)
    return found["numbers"]


texts = st.text(st.characters(exclude_categories=["Cs"]))
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
arguments = st.recursive(
    plain | st.just(Colour.RED) | st.builds(Size, st.integers(), st.integers()),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.frozensets(plain),
    max_leaves=20,
)


@given(arguments)
def test_the_printed_python_computes_the_same_from_any_arguments(argument):
    recipe = Recipe(given_value, argument)
    assert again(recipe) == recipe.function(argument).table()


def test_a_recipe_among_the_arguments_stands_for_its_result():
    recipe = Recipe(doubled, Recipe(given_value, 3))
    assert again(recipe) == recipe.result().table() == {"value": [6]}
    assert recipe.functions == (doubled, given_value)


def test_a_path_stands_for_the_run_and_the_table_is_computed_again_exactly():
    head = Head.parse("encoder.1.self:0")
    inspecting = Recipe(merged, Recipe(inspect_sentence, EVERYDAY, "a b c"))
    recipe = Recipe(maps_of_heads, inspecting, (head,))
    assert again(recipe) == recipe.result().table()
    assert "result = maps_of_heads(\n    merged(inspect_sentence(run, " in recipe.python()


def test_results_are_shared_and_computed_anew_for_other_arguments():
    assert Recipe(given_value, 1).result() is Recipe(given_value, 1).result()
    assert Recipe(given_value, 1).result() is not Recipe(given_value, 1.0).result()
