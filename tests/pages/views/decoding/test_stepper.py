import pytest

from tests.pages.views.decoding.conftest import stepper
from viz.component.payload import unframed


def test_the_numbers_are_those_of_the_stepper(open_view):
    at, shown = open_view("steps")
    columns = shown.numbers()
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    view = stepper(at)
    for name, side in (("free", view.free), ("forced", view.forced)):
        of_side = [row for row in rows if row["side"] == name]
        for index, step in enumerate(side.steps):
            here = [row for row in of_side if row["step"] == index]
            bars = [(r["token"], r["value"]) for r in here if r["number"] == "probability"]
            assert bars == [(each.label.text, each.probability) for each in step.top]
            [entropy] = [row["value"] for row in here if row["number"] == "entropy"]
            assert entropy == step.entropy
            weights = [
                row["value"] for row in here if (row["site"], row["head"]) == ("decoder.1.cross", 2)
            ]
            assert weights == pytest.approx(side.cross[1, 2, index].tolist(), abs=1 / 65535)


def test_without_a_reference_only_free_numbers_are_left(open_view):
    _at, shown = open_view("steps", reference="")
    numbers = shown.numbers()
    assert set(numbers["side"]) == {"free"}
    assert not {"true_rank", "divergence"} & set(numbers["number"])


def test_a_row_of_self_attention_ends_at_its_own_step(open_view):
    _at, shown = open_view("steps")
    numbers = shown.numbers()
    rows = zip(numbers["step"], numbers["site"], numbers["position"], strict=True)
    assert all(position <= step for step, site, position in rows if site and ".self" in site)


@pytest.mark.parametrize("model", ["everyday", "translate-guided"])
def test_what_is_chosen_and_what_is_true_are_bars_of_the_list(open_view, model):
    """Of tokens that read alike a list tells one by its space, which the sentence does not show."""
    at, _shown = open_view("steps", model=model)
    [component] = at.get("bidi_component")
    header, _ = unframed(component.proto.bytes)
    for side in header["sides"]:
        for step in side["steps"]:
            assert step["chosenAt"] >= 0
            assert step["true"] is None or step["trueAt"] >= 0
            assert sum(share for *_of, share in step["top"]) + step["others"] == pytest.approx(1)
