"""Moving a row's weight, and what the model then writes."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.batch import pad
from core.heads import Head, Site
from core.inspection import inspect_sentence
from core.model import Override
from core.runs.run import load_run
from core.studies.effects.overriding import moved, override_outcome
from core.vocabulary import EOS

GALLERY = Path(__file__).parents[4] / "gallery"
SENTENCE = "The animal didn't cross the street because it was too tired."
GUIDED = Site("encoder", 2, "self")
SEEN = np.ones(4, np.bool_)


@pytest.fixture(scope="module")
def run():
    return load_run(GALLERY / "translate-guided")


@pytest.fixture(scope="module")
def inspection(run):
    return inspect_sentence(run, SENTENCE)


@given(
    st.lists(st.floats(0, 1, width=32), min_size=2, max_size=9).flatmap(
        lambda row: st.tuples(st.just(row), *[st.integers(0, len(row) - 1)] * 2)
    )
)
def test_moving_keeps_the_sum_and_all_other_keys(case):
    row, source, target = case
    weights_K = np.array(row, np.float32)
    found_K = moved(weights_K, source, target, np.ones(len(row), np.bool_))
    others = [key for key in range(len(row)) if key not in (source, target)]
    assert np.array_equal(found_K[others], weights_K[others])
    assert found_K.sum() == pytest.approx(weights_K.sum(), abs=1e-5)
    assert source == target or found_K[source] == 0
    assert weights_K.tolist() == np.array(row, np.float32).tolist()


def test_weight_moved_to_itself_stays():
    row_K = np.array([0.5, 0.25, 0.25, 0.0], np.float32)
    assert moved(row_K, 1, 1, SEEN).tolist() == row_K.tolist()


def test_weight_cannot_go_where_the_row_may_not_look():
    hidden = np.array([True, True, False, False])
    with pytest.raises(ValueError, match="may not look at key 2"):
        moved(np.ones(4, np.float32) / 4, 0, 2, hidden)


@pytest.mark.parametrize("keys", [(0, 4), (4, 0), (-1, 0)])
def test_keys_that_are_not_there_are_refused(keys):
    with pytest.raises(ValueError, match="row of 4 keys has no key"):
        moved(np.ones(4, np.float32) / 4, *keys, SEEN)


def test_it_looks_at_street_and_il_becomes_elle(run, inspection):
    texts = [token.text for token in inspection.source_tokens]
    it, animal, street = (texts.index(word) for word in ("it", "animal", "street"))
    attention = inspection.attention[GUIDED]
    row_K = attention.weights_HQK[0, it]
    assert row_K[animal] > 0.99
    changed_K = moved(row_K, animal, street, attention.visible_QK[it])
    found = override_outcome(run, SENTENCE, Head(GUIDED, 0), it, changed_K)
    assert found.before.translation.text.endswith("parce qu'il était trop fatigué.")
    assert found.after.translation.text.endswith("parce qu'elle était trop fatiguée.")
    il = [chance.token.text for chance in found.before.reference].index("il")
    before, after = found.before.reference[il], found.after.reference[il]
    assert before.probability > 0.99
    assert (after.best.text, after.probability < 0.01) == ("elle", True)


@pytest.mark.parametrize("site", ["encoder.1.self", "decoder.0.self", "decoder.1.cross"])
def test_a_row_overridden_with_itself_changes_nothing(run, inspection, site):
    site = Site.parse(site)
    for query in (0, 3):
        row_K = inspection.attention[site].weights_HQK[1, query]
        found = override_outcome(run, SENTENCE, Head(site, 1), query, row_K)
        assert found.same_text
        for one, other in zip(found.before.reference, found.after.reference, strict=True):
            assert other.probability == pytest.approx(one.probability, abs=1e-5)


@pytest.mark.parametrize(
    ("site", "head", "query", "key"),
    [("decoder.1.cross", 0, 1, 12), ("decoder.1.self", 2, 4, 0), ("decoder.0.cross", 1, 1, 0)],
)
def test_a_decoder_row_is_that_of_its_place_in_what_is_written(
    run, inspection, site, head, query, key
):
    site = Site.parse(site)
    row_K = np.zeros(inspection.attention[site].weights_HQK.shape[2], np.float32)
    row_K[key] = 1
    found = override_outcome(run, SENTENCE, Head(site, head), query, row_K)
    # Independently: whole passes over what was written, with no cache.
    written = [*found.after.translation.target_ids, EOS]
    with torch.no_grad():
        logits_TV = run.model(
            pad([found.after.translation.source_ids]),
            pad([[1, *written[:-1]]]),
            Override(Head(site, head), query, torch.tensor(row_K)),
        )[0]
    assert logits_TV.argmax(dim=-1).tolist() == written
    changed = [
        abs(one.probability - other.probability) > 1e-6
        for one, other in zip(found.before.reference, found.after.reference, strict=True)
    ]
    assert not any(changed[:query])
    assert changed[query]


REFUSED = {
    "no such site": (Site("encoder", 9, "self"), 0, 0, np.eye(14)[0], "no head"),
    "no such head": (GUIDED, 4, 0, np.eye(14)[0], "no head encoder.2.self:4"),
    "no such row": (GUIDED, 0, 14, np.eye(14)[0], "no row 14"),
    "no such decoder row": (Site("decoder", 0, "cross"), 0, 16, np.eye(14)[0], "no row 16"),
    "too few keys": (GUIDED, 0, 0, np.eye(13)[0], "14 keys"),
    "negative": (GUIDED, 0, 0, np.eye(14)[0] * 2 - np.eye(14)[1], "0 or more"),
    "not 1": (GUIDED, 0, 0, np.eye(14)[0] / 2, "sum to 1"),
    "no number": (GUIDED, 0, 0, np.full(14, np.nan), "0 or more"),
    "the future": (Site("decoder", 0, "self"), 0, 2, np.eye(16)[3], "later tokens"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_row_can_be_is_refused(run, case):
    site, head, query, weights_K, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        override_outcome(run, SENTENCE, Head(site, head), query, weights_K.astype(np.float32))
