"""What there is to see in each stage, said of the number that is marked."""

import re

import numpy as np
import pytest

from core.heads import Head, Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.heads.steps import head_steps
from pages.views.attention import terms
from tests.pages.conftest import MODEL, ROOT
from tests.pages.views.attention.conftest import seen

TIRED = "The animal didn't cross the street because it was too tired."
IT, ANIMAL, STREET = 8, 1, 6


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / MODEL)


@pytest.fixture(scope="module")
def steps(run):
    return head_steps(run, TIRED, Head(Site("encoder", 2, "self"), 0))


@pytest.fixture
def said(open_view):
    """Return a function that opens a stage and gives the line of what is seen."""
    return lambda stage, **query: seen(open_view("steps", stage=stage, **query)[0])


def two(value):
    return f"{value:.2f}".replace("-", "−")


def test_of_a_product_it_is_said_whether_it_is_the_best_match(said, steps):
    row = steps.query.made_KE[IT].astype(np.float64) @ steps.key.made_KE.astype(np.float64).T
    best = int(row.argmax())
    assert best == ANIMAL
    value, mean, other = (terms.digits(each) for each in (row[best], row.mean(), row[STREET]))
    assert said("products", cell=f"0,{IT},{ANIMAL}") == (
        f"**it** matches **animal** best: **{value}**; the mean of its row is {mean}."
    )
    assert said("products", cell=f"0,{IT},{STREET}") == (
        f"**it** matches **street** with **{other}**; its best match is animal: {value}."
    )


def test_it_is_said_how_many_scores_the_mask_hides(said, run):
    n = len(inspect_sentence(run, TIRED).fed_tokens)
    hidden = n * (n - 1) // 2
    assert said("mask", kind="decoder.self") == (
        f"The mask hides **{hidden}** of {n * n} scores: {100 * hidden / n**2:.1f} %."
    )
    assert said("mask") == "The mask hides **nothing** here: all 196 scores stay."


def test_a_share_is_compared_with_the_largest(said, steps):
    scores = steps.masked_QK[IT].astype(np.float64)
    animal, street = two(scores[ANIMAL]), two(scores[STREET])
    assert said("softmax") == (
        f"**it** gives **animal** a weight of **1.00**: its score, {animal}, is the largest; "
        f"street comes next with {street}."
    )
    assert said("softmax", cell=f"0,{IT},{STREET}").endswith(
        f"the score of animal, {animal}, is larger than its own, {street}."
    )


def test_a_hidden_key_has_no_weight_and_one_key_alone_has_all(said):
    found = said("softmax", kind="decoder.self", cell="0,2,5")
    assert found.endswith("may not look at **pas**: the weight is exactly **0**.")
    found = said("softmax", kind="decoder.self", cell="0,0,0")
    assert found.endswith("may look at **itself** alone, so its weight is 1.00.")


@pytest.mark.parametrize("stage", ["queries", "mix", "output"])
@pytest.mark.parametrize("kind", ["encoder.self", "decoder.cross"])
def test_of_a_sum_it_is_said_which_product_weighs_most(open_view, stage, kind):
    at, taken = open_view("steps", stage=stage, kind=kind, layer="1", head="2")
    columns = taken.columns()
    products = [
        (abs(value), value, token or f"dimension {column}")
        for name, row, column, token, value in zip(
            columns["matrix"],
            columns["row"],
            columns["column"],
            columns["column_token"],
            columns["value"],
            strict=True,
        )
        if name.startswith("terms:") and row == 2
    ]
    _size, value, label = max(products)
    found = seen(at)
    assert f"Of its {len(products)} products, that of {label} weighs most: {two(value)}." in found
    made, row, column = re.fullmatch(r"terms:(.+)\[(\d+), (\d+)\]", columns["matrix"][-1]).groups()
    at = [*zip(columns["matrix"], columns["row"], columns["column"], strict=True)].index(
        (made, int(row), int(column))
    )
    assert f" is **{two(columns['value'][at])}**." in found


def test_a_head_that_spreads_evenly_offers_another_sentence_where_one_says_more(open_view):
    _, taken = open_view("steps", kind="decoder.self", cell="0,0,0")
    assert taken.instead.startswith("The animal")
    assert taken.instead != TIRED
    _, taken = open_view("steps")
    assert taken.instead == ""
