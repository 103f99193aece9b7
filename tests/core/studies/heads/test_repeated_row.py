import numpy as np
import pytest
import torch

from core.heads import Head
from core.inspection import inspect_sentence
from core.model import Record
from core.runs.run import load_run
from core.studies.heads.repeated_row import repeated_row
from core.studies.heads.repeated_text import roles_on_text, roles_text
from core.studies.heads.repeated_tokens import TextRole

HEADS = {"bert": "encoder.1.self:1", "gpt2": "decoder.1.self:2", "t5": "decoder.0.self:1"}


@pytest.fixture(scope="module", params=HEADS)
def opened(request, opened_path):
    return load_run(opened_path(request.param)), Head.parse(HEADS[request.param])


@pytest.mark.parametrize("role", TextRole)
def test_the_row_is_one_that_the_role_asks_of_the_first_sequence(opened, role):
    run, head = opened
    row = repeated_row(run, role, head)
    text, config = roles_text(run), run.model.config
    assert row.ids == tuple(text.ids_NP(config, head.kind.query_side)[0].tolist())
    keys = text.keys(config, head.kind)[role]
    assert (row.query, row.key) in zip(keys.rows_R.tolist(), keys.keys_R.tolist(), strict=True)
    assert row.weights_K.sum() == pytest.approx(1, abs=1e-5)
    assert row.weights_K[~row.visible_K].sum() == 0


def test_its_weight_is_in_the_middle_of_those_of_its_sequence(opened):
    run, head = opened
    role, text, config = TextRole.PREVIOUS, roles_text(run), run.model.config
    ids = {side: text.ids_NP(config, side)[:1] for side in ("source", "target")}
    record = Record()
    with torch.inference_mode():
        if "decoder" in config.stacks:
            source = ids["source"] if "encoder" in config.stacks else None
            run.model(source, ids["target"], record)
        else:
            run.model.encode(ids["source"], record)
    weights_QK = record.weights(head.site)[0, head.index].numpy()
    keys = text.keys(config, head.kind)[role]
    found = np.sort(weights_QK[keys.rows_R, keys.keys_R])
    row = repeated_row(run, role, head)
    assert row.weights_K[row.key] == pytest.approx(found[(len(found) - 1) // 2], rel=1e-5)


def test_roles_are_measured_on_the_same_sequences(opened):
    run, _head = opened
    assert roles_on_text(run).text == roles_text(run)
    # The run is one that can be looked at like any other.
    assert inspect_sentence(run, "the animal").attention
