import pytest
import torch

from core.decoding.choosing import Greedy
from core.decoding.methods import Forced, decode
from core.decoding.sentence import given_text, translate
from pages.frame import cached
from pages.views.decoding.stepper import decode_both
from tests.pages.conftest import ROOT
from tests.pages.test_attention import TIRED
from tests.pages.views.decoding.conftest import stepper
from viz.component.payload import unframed


def test_the_numbers_are_those_of_the_stepper(open_view):
    at, shown = open_view("steps")
    columns = shown.columns()
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
    numbers = shown.columns()
    assert set(numbers["side"]) == {"free"}
    assert not {"true_rank", "divergence"} & set(numbers["number"])


def test_a_row_of_self_attention_ends_at_its_own_step(open_view):
    _at, shown = open_view("steps")
    numbers = shown.columns()
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


@pytest.fixture(scope="module")
def run():
    return cached.loaded(ROOT / "gallery" / "translate-guided")


def test_fed_what_it_writes_itself_both_sides_take_the_same_steps(run):
    own, given = translate(run, TIRED), given_text(run, TIRED)
    free, forced, figures, _ = decode_both(run, TIRED, Greedy(), (), own.target_ids, False)
    by_itself = decode(run.model, given.source_ids, Forced(own.target_ids))
    for one, other in zip(forced, by_itself, strict=True):
        assert (one.prefix, one.chosen) == (other.prefix, other.chosen)
        torch.testing.assert_close(one.logits_V, other.logits_V)
    assert free == forced
    assert set(figures.divergence) == {0.0}
    assert figures.first_difference is None


def test_what_was_cut_off_is_forced_to_its_end(run, monkeypatch):
    own, plain = translate(run, TIRED), cached.decoded

    def decoded(path, sentence, method, overrides):
        # As where the limit comes before EOS.
        found = plain(path, sentence, method, overrides)
        return found[:-1] if method == Greedy() else found

    monkeypatch.setattr(cached, "decoded", decoded)
    free, forced, figures, _ = decode_both(run, TIRED, Greedy(), (), own.target_ids, False)
    assert (len(free), len(forced)) == (len(own.target_ids), len(own.target_ids) + 1)
    assert figures.first_difference == len(free)
