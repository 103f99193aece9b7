"""Moving a row's weight, and what the model then writes."""

import numpy as np
import pytest
import torch

from core.batch import pad
from core.heads import Head, Site
from core.inspection import inspect_sentence
from core.model import Override
from core.studies.effects.ablation import unchanged
from core.studies.effects.overriding import override_row
from core.vocabulary import EOS

SENTENCE = "The animal didn't cross the street because it was too tired."


@pytest.fixture(scope="module")
def inspection(guided):
    return inspect_sentence(guided, SENTENCE)


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
    found = override_row(
        guided, unchanged(guided, SENTENCE, inspection), Head(site, head), query, row_K
    )
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
