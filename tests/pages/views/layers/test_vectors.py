import numpy as np

from tests.pages.conftest import said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.layers.conftest import panels

PETS = "The dog slept because the cat was tired."


def test_one_hot_every_two_words_are_at_right_angles_and_learned_they_are_not(open_layers, run):
    one_hot, learned = panels(open_layers(layers="vectors", sentence=PETS))
    n = len(one_hot.rows.labels)
    assert np.array_equal(one_hot.values, np.eye(n))
    # Each token once: "The" and "the" are two of them.
    names = [label.text for label in learned.rows.labels]
    assert len(set(names)) == n
    ids = [run.tokenizer.encode(PETS).ids[0], *run.tokenizer.encode(PETS).ids[1:]]
    rows = run.model.source_embedding.tokens.weight.detach().double().numpy()[list(ids)]
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(learned.values[: len(ids), : len(ids)], unit @ unit.T, atol=1e-6)


def test_the_closest_pair_and_what_is_usual_are_said(open_layers):
    at = open_layers(layers="vectors", sentence=PETS)
    _one_hot, learned = panels(at)
    between = learned.values - 3 * np.eye(len(learned.values))
    row, column = sorted(divmod(int(between.argmax()), len(between)))
    one, other = (learned.rows.labels[place].text for place in (row, column))
    assert f"Learned, **{one}** and **{other}** are closest" in said(at)
    assert "on average (n = 2,000)" in said(at)
    assert f"Nearest to **{one}** in the whole vocabulary" in said(at)


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_layers, handed_over):
    at = open_layers(layers="vectors", sentence=PETS, vectors_stack="decoder")
    shown = handed_over[-1]
    assert_takeable(at, shown)
    _one_hot, learned = panels(at)
    np.testing.assert_allclose(numbers_of(shown, "cosine"), learned.values.reshape(-1), atol=1e-6)
    assert computed(shown) == numbers_of(shown, "angle", "cosine", "dot")
