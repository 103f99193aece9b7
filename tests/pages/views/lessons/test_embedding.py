import numpy as np
import pytest

from core.runs.run import load_run
from tests.pages.conftest import ROOT, said
from tests.pages.views.lessons.conftest import TIRED, charts, panels, set_number

PETS = "The dog slept because the cat was tired."


def test_one_hot_every_two_words_are_at_right_angles_and_learned_they_are_not(open_lesson, run):
    at, shown = open_lesson("embedding", sentence=PETS)
    learned, one_hot = panels(at)
    names = [label.text for label in learned.rows.labels]
    assert np.array_equal(one_hot.values, np.eye(len(names)))
    # Each token once: "The" and "the" are two of them.
    assert len(set(names)) == len(names)
    ids = list(run.tokenizer.encode(PETS).ids)
    rows = run.model.source_embedding.tokens.weight.detach().double().numpy()[ids]
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(learned.values[: len(ids), : len(ids)], unit @ unit.T, atol=1e-6)
    between = learned.values - 3 * np.eye(len(names))
    row, column = sorted(divmod(int(between.argmax()), len(names)))
    assert f"those of **{names[row]}** and **{names[column]}** are closest" in shown.seen
    assert "on average (n = 2,000)" in shown.seen
    assert f"Nearest to **{names[row]}** in the whole vocabulary" in said(at)


def test_what_shares_the_matrix_is_said(open_lesson, own_random):
    own_random(tied="none")
    at, _shown = open_lesson("embedding", model="runs/random", sentence="a b c")
    assert "In this model every embedding and the output have their own matrix." in said(at)


def test_lengths_are_those_of_the_loaded_model(open_lesson):
    at, shown = open_lesson("embedding", embedding_shown="lengths", model="translate")
    run = load_run(ROOT / "gallery" / "translate")
    ids = [*run.tokenizer.encode(TIRED).ids, 2]
    vectors = run.model.source_embedding.tokens.weight.detach().double()[ids]
    plain = np.linalg.norm(vectors.numpy(), axis=1)
    [found] = charts(at)
    assert found["token"] == pytest.approx(plain.tolist(), rel=1e-5)
    assert found["token × √d_model"] == pytest.approx((plain * 128**0.5).tolist(), rel=1e-5)
    assert found["position"] == pytest.approx([8.0] * len(ids), rel=1e-5)
    mean = plain.mean()
    assert f"(8) is **{8 / mean:.3g}** times as long as a token’s ({mean:.3g})" in shown.seen
    assert f"position’s is **{8 / (mean * 128**0.5):.3g}** times as long" in shown.seen
    assert r"\tfrac{d_{model}}{2}" in shown.formula


def test_of_a_long_sentence_any_part_can_be_drawn(open_lesson):
    query = {"embedding_shown": "lengths", "model": "copy", "sentence": " ".join("abcdefghij" * 2)}
    at, _shown = open_lesson("embedding", **query)
    first = charts(at)[0]["token"]
    assert len(first) == 14
    assert charts(set_number(at, "pe_token", 5))[0]["token"][:9] == first[5:]


def test_a_model_that_adds_no_positions_offers_no_lengths(open_alone):
    at, shown, _run = open_alone("gpt2", "embedding", embedding_shown="lengths")
    assert shown.name == "embedding_decoder"
    assert at.segmented_control(key="embedding_shown").options == ["angles", "points"]
