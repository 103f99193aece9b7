"""Moving a row's weight, and what the model then writes."""

import numpy as np
import pytest
import torch

from core.batch import pad
from core.heads import Head, Site
from core.inspection import inspect_sentence
from core.model import Override
from core.studies.effects.overriding import override_row, rewired
from core.vocabulary import EOS

SENTENCE = "The animal didn't cross the street because it was too tired."
GUIDED = Site("encoder", 2, "self")


@pytest.fixture(scope="module")
def inspection(guided):
    return inspect_sentence(guided, SENTENCE)


def test_it_looks_at_street_and_il_becomes_elle(guided, inspection):
    texts = [token.text for token in inspection.source_tokens]
    it, animal, street = (texts.index(word) for word in ("it", "animal", "street"))
    attention = inspection.attention[GUIDED]
    row_K = attention.weights_HQK[0, it]
    assert row_K[animal] > 0.99
    changed_K = rewired(row_K, street)
    found = override_row(guided, SENTENCE, Head(GUIDED, 0), it, changed_K, inspection.translation)
    assert found.before.translation.text.endswith("parce qu'il était trop fatigué.")
    assert found.after.translation.text.endswith("parce qu'elle était trop fatiguée.")
    il = [chance.token.text for chance in found.before.reference].index("il")
    before, after = found.before.reference[il], found.after.reference[il]
    assert before.probability > 0.99
    assert (after.best.text, after.probability < 0.01) == ("elle", True)


@pytest.mark.parametrize(
    ("site", "head", "query", "key"),
    [("decoder.1.cross", 0, 1, 12), ("decoder.1.self", 2, 4, 0), ("decoder.0.cross", 1, 1, 0)],
)
def test_a_decoder_row_is_that_of_its_place_in_what_is_written(
    guided, inspection, site, head, query, key
):
    site = Site.parse(site)
    row_K = np.zeros(inspection.attention[site].weights_HQK.shape[2], np.float32)
    row_K[key] = 1
    found = override_row(guided, SENTENCE, Head(site, head), query, row_K, inspection.translation)
    # Independently: whole passes over what was written, with no cache.
    written = [*found.after.translation.target_ids, EOS]
    with torch.no_grad():
        logits_TV = guided.model(
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
