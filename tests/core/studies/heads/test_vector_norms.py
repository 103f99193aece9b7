import copy

import numpy as np
import pytest
import torch

from core.batch import one_row
from core.heads import Head, Kind
from core.inspection import inspect_sentence
from core.model import Record, Step
from core.studies.heads.maps import vector_norms
from tests.core.studies.heads.conftest import SENTENCE


@pytest.mark.parametrize("kind", Kind)
def test_norms_are_those_of_the_vectors_that_a_pass_in_float64_adds_up(run, kind):
    sites = [site for site in run.model.sites() if site.attention == kind]
    head = Head(sites[-1], run.settings.model.n_heads - 1)
    inspection = inspect_sentence(run, SENTENCE)
    found = vector_norms(run, SENTENCE, head, inspection)
    model, record = copy.deepcopy(run.model).double(), Record(frozenset(Step))
    ids = inspection.translation.source_ids, inspection.translation.fed_ids
    with torch.inference_mode():
        model(*map(one_row, ids), record)
    attention, _ = model.block(head.site)
    weights_QK, value_KE, mixed_QE = (
        record.tensors[head.site, step][0, head.index].numpy()
        for step in (Step.WEIGHTS, Step.VALUE, Step.MIXED)
    )
    own = slice(head.index * attention.d_v, (head.index + 1) * attention.d_v)
    output_ED = attention.output.weight.detach().numpy()[:, own].T
    vectors_QKD = weights_QK[:, :, None] * (value_KE @ output_ED)
    # What is measured is what the head adds.
    assert vectors_QKD.sum(axis=1) == pytest.approx(mixed_QE @ output_ED, abs=1e-12)
    norms_QK = np.sqrt((vectors_QKD**2).sum(axis=-1))
    assert found.norms_QK == pytest.approx(norms_QK, rel=1e-3, abs=1e-5)
    assert found.shares_QK == pytest.approx(norms_QK / norms_QK.sum(1, keepdims=True), abs=1e-4)
    columns = found.table()
    assert columns["norm"] == found.norms_QK.flatten().tolist()
    assert {len(column) for column in columns.values()} == {found.norms_QK.size}
