"""Where weight may be moved, and what then changes."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.batch import pad
from core.decoding.sentence import translate
from core.heads import Head, Site
from core.inspection import inspect_sentence
from core.model import Override
from core.runs.run import load_run
from core.studies.effects import weight_shift
from core.studies.effects.weight_shift import (
    LEAST,
    StepChange,
    most_changed,
    rewired,
    step_changes,
    suggested_move,
)

GALLERY = Path(__file__).parents[4] / "gallery"
SENTENCE = "The animal didn't cross the street because it was too tired."
GUIDED = Site("encoder", 2, "self")


@pytest.fixture(scope="module")
def run():
    return load_run(GALLERY / "translate-guided")


@pytest.fixture(scope="module")
def inspection(run):
    return inspect_sentence(run, SENTENCE)


rows = st.integers(1, 8).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 20), min_size=n, max_size=n).filter(any),
        st.lists(st.booleans(), min_size=n, max_size=n).filter(any),
        st.integers(0, n - 1),
    )
)


def shares(counts):
    return (np.array(counts) / sum(counts)).astype(np.float32)


@given(rows, st.booleans())
def test_a_rewired_row_still_sums_to_1_and_looks_at_the_key_or_is_refused(case, everything):
    counts, visible, key = case
    row_K, visible_K = shares(counts), np.array(visible)
    if not visible_K[key]:
        with pytest.raises(ValueError, match="may not look"):
            rewired(row_K, key, visible_K, everything=everything)
        return
    found_K = rewired(row_K, key, visible_K, everything=everything)
    assert found_K.sum(dtype=np.float64) == pytest.approx(1, abs=1e-6)
    assert found_K[key] >= row_K.max()
    if everything:
        assert found_K[key] == 1
    else:
        kept = [at for at in range(len(row_K)) if at not in (key, int(row_K.argmax()))]
        assert np.array_equal(found_K[kept], row_K[kept])


@given(
    st.integers(1, 5).flatmap(
        lambda n: st.tuples(
            st.lists(st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=1, max_size=5),
            st.sets(st.integers(0, 4)),
            st.randoms(use_true_random=False),
        )
    )
)
def test_a_suggestion_is_a_visible_key_beside_the_largest(case):
    counts, preferred, random = case
    visible_QK = np.array([[random.random() < 0.6 for _ in row] for row in counts])
    weights_QK = np.where(visible_QK, np.array(counts, np.float32), 0)
    able = {row for row in range(len(counts)) if visible_QK[row].sum() > 1}
    found = suggested_move(weights_QK, visible_QK, preferred)
    if not able:
        assert found is None
        return
    row, key = found
    seen = sorted(weights_QK[row][visible_QK[row]].tolist())
    assert visible_QK[row, key]
    assert weights_QK[row, key] == seen[-2]
    assert row in (preferred & able or able)
    if preferred & able:
        assert row == min(preferred & able)
    else:
        assert weights_QK[row].max() == max(weights_QK[each].max() for each in able)


def test_the_suggestion_for_it_is_the_street(inspection):
    attention = inspection.attention[GUIDED]
    texts = [token.text for token in inspection.source_tokens]
    row, key = suggested_move(attention.weights_HQK[0], attention.visible_QK, [texts.index("it")])
    assert (texts[row], texts[key]) == ("it", "street")


def forced(run, inspection, probe):
    """Return probabilities in float64 of one whole pass over the unchanged translation."""
    translation = inspection.translation
    with torch.no_grad():
        logits_TV = run.model(pad([translation.source_ids]), pad([translation.fed_ids]), probe)[0]
    return logits_TV.double().softmax(dim=-1).numpy()


def test_changed_steps_are_those_of_two_whole_passes(run, inspection):
    texts = [token.text for token in inspection.source_tokens]
    row_K = np.eye(len(texts), dtype=np.float32)[texts.index("street")]
    probe = Override(Head(GUIDED, 0), texts.index("it"), torch.tensor(row_K))
    found = step_changes(run, SENTENCE, Head(GUIDED, 0), texts.index("it"), row_K)
    before_TV, after_TV = forced(run, inspection, None), forced(run, inspection, probe)
    written = [*inspection.translation.target_ids, 2]
    moved = [
        step
        for step, token in enumerate(written)
        if abs(after_TV[step, token] - before_TV[step, token]) >= LEAST
    ]
    assert [change.step for change in found] == moved
    [change] = [each for each in found if each.token.text == "il"]
    il, best = written[change.step], int(after_TV[change.step].argmax())
    assert change.before == pytest.approx(before_TV[change.step, il], abs=1e-5)
    assert change.after == pytest.approx(after_TV[change.step, il], abs=1e-5)
    assert change.other_before == pytest.approx(before_TV[change.step, best], abs=1e-5)
    assert change.other_after == pytest.approx(after_TV[change.step, best], abs=1e-5)
    assert (change.other is None) == (best == il)
    assert change.other.text == "elle"


def test_a_row_in_its_own_place_changes_no_step(run, inspection):
    row_K = inspection.attention[GUIDED].weights_HQK[0, 3]
    assert step_changes(run, SENTENCE, Head(GUIDED, 0), 3, row_K) == ()


def test_an_end_that_was_never_written_is_no_step(translation_run, monkeypatch):
    monkeypatch.setattr(weight_shift, "LEAST", 0.0)
    sentence, head = "The dog sleeps.", Head(Site("encoder", 0, "self"), 0)
    written = translate(translation_run, sentence)
    assert not written.finished
    row_K = inspect_sentence(translation_run, sentence).weights_of(head)[0]
    found = step_changes(translation_run, sentence, head, 0, row_K)
    assert [change.step for change in found] == list(range(len(written.target_ids)))


def test_the_step_that_changes_most_is_found_whichever_way_it_changes():
    changes = [
        StepChange(step, None, before, after, None, 0.0, 0.0)
        for step, (before, after) in enumerate([(0.5, 0.6), (0.9, 0.2), (0.1, 0.4)])
    ]
    assert most_changed(changes).step == 1


def test_what_the_unchanged_model_writes_may_be_known(run, inspection):
    head = Head(GUIDED, 0)
    weights_K = rewired(
        inspection.weights_of(head)[8],
        3,
        inspection.attention[GUIDED].visible_QK[8],
        everything=True,
    )
    found = step_changes(run, SENTENCE, head, 8, weights_K)
    assert step_changes(run, SENTENCE, head, 8, weights_K, inspection.translation) == found
