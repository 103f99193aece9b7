import numpy as np
import pytest

from core.runs.run import load_run
from tests.pages.conftest import ROOT, said, unfold
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.positions.conftest import TIRED, charted, set_number


@pytest.mark.parametrize(("name", "claimed"), [("copy", True), ("mine", False)])
def test_only_of_sinusoids_the_norm_is_claimed_by_a_formula(
    open_positions, only_learned, name, claimed
):
    only_learned()
    at = open_positions("norms", model=name)
    [formula] = unfold(at, "formula").expander[2].latex
    assert ("\\tfrac{d_{model}}{2}" in formula.value) == claimed
    assert ("P_p" in formula.value) != claimed


def test_norms_are_those_of_the_loaded_model(open_positions):
    at = open_positions("norms", model="translate")
    run = load_run(ROOT / "gallery" / "translate")
    ids = [*run.tokenizer.encode(TIRED).ids, 2]
    vectors = run.model.source_embedding.tokens.weight.detach().double()[ids]
    plain = np.linalg.norm(vectors.numpy(), axis=1)
    found = charted(at)
    assert found["token"] == pytest.approx(plain.tolist(), rel=1e-5)
    assert found["token × √d_model"] == pytest.approx((plain * 128**0.5).tolist(), rel=1e-5)
    assert found["position"] == pytest.approx([8.0] * len(ids), rel=1e-5)
    assert f"(8) is **{8 / plain.mean():.3g}** times as long as a token’s ({plain.mean():.3g})" in (
        said(at)
    )
    assert f"position’s is **{8 / (plain.mean() * 128**0.5):.3g}** times as long" in said(at)


def test_the_file_of_norms_holds_texts_and_numbers_as_they_are(open_positions, handed_over):
    found = charted(open_positions("norms", model="copy", sentence="a * b"))
    shown = handed_over[-1]
    columns = shown.columns()
    assert shown.name == "position_norms"
    tokens = load_run(ROOT / "gallery" / "copy").tokenizer
    texts = [token.text for token in tokens.describe([*tokens.encode("a * b").ids, 2])]
    assert list(columns["place"]) == list(range(len(texts)))
    assert list(columns["text"]) == texts
    assert columns["position"] == found["position"]


def test_of_a_long_sentence_any_part_can_be_drawn(open_positions):
    at = open_positions("norms", model="copy", sentence=" ".join("abcdefghij" * 2))
    assert len(charted(at)["token"]) == 14
    first = charted(at)["token"]
    assert charted(set_number(at, "pe_token", 5))["token"][:9] == first[5:]
    assert len(charted(set_number(at, "pe_token", 999))["token"]) == 14


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_positions, handed_over):
    at = open_positions("norms", model="copy", sentence="a b c d")
    shown = handed_over[-1]
    assert_takeable(at, shown)
    drawn = [value for values in charted(at).values() for value in values]
    assert computed(shown) == numbers_of(shown, "token", "token × √d_model", "position") == drawn
