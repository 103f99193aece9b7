"""Roles in lines of one's own: against loops over rows and keys in float64."""

import shutil

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.model import Record
from core.runs.own_text import give_text
from core.runs.run import load_run
from core.studies.heads.own_lines import roles_on_lines, row_in_lines, wanted_keys
from core.studies.heads.repeated_tokens import TextRole

LINES = ["the animal and the street", "the animal", "did not cross the street, did not cross"]


@pytest.fixture(scope="module", params=["bert", "gpt2", "llama"])
def run(request, opened_path, tmp_path_factory):
    path = tmp_path_factory.mktemp("lines") / request.param
    shutil.copytree(opened_path(request.param), path)
    give_text(path, "\n".join(LINES).encode(), "lines")
    return load_run(path)


def asked(ids, query, role, causal):
    """Return the keys that a role wants of a row, one after the other."""
    visible = [key for key in range(len(ids)) if not causal or key <= query]
    if len(visible) < 2:
        return []
    return [
        key
        for key in visible
        if {
            TextRole.PREVIOUS: key == query - 1,
            TextRole.FIRST: key == 0 and query > 0,
            TextRole.ITSELF: key == query,
            TextRole.DUPLICATE: key != query and ids[key] == ids[query],
            TextRole.INDUCTION: key > 0 and key - 1 != query and ids[key - 1] == ids[query],
        }[role]
    ]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=9), st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_keys_of_a_role_are_those_of_its_definition(ids, causal):
    for role, wanted_QK in wanted_keys(ids, causal=causal).items():
        for query in range(len(ids)):
            assert np.flatnonzero(wanted_QK[query]).tolist() == asked(ids, query, role, causal)


def slowly(run):
    """Return role → head → (share, even, lines), and how many rows, by loops."""
    sums, even, rows, lines = {}, {}, {}, {}
    tokenizer, config = run.tokenizer, run.model.config
    for number, line in enumerate(LINES):
        ends = tokenizer.ends if config.n_encoder_layers else ()
        ids = [*tokenizer.begins, *tokenizer.encode(line).ids, *ends]
        record = Record()
        with torch.inference_mode():
            if config.n_encoder_layers:
                run.model.encode(torch.tensor([ids]), record)
            else:
                run.model(None, torch.tensor([ids]), record)
        for site in run.model.sites():
            causal = site.attention.causal
            for head in site.heads(config.n_heads):
                weights_QK = record.weights(site)[0, head.index].double().numpy()
                for query in range(len(tokenizer.begins), len(ids) - len(ends)):
                    for role in TextRole:
                        if not (keys := asked(ids, query, role, causal)):
                            continue
                        key = (role, head)
                        n_visible = query + 1 if causal else len(ids)
                        sums[key] = sums.get(key, 0.0) + sum(weights_QK[query, k] for k in keys)
                        even[key] = even.get(key, 0.0) + len(keys) / n_visible
                        rows[key] = rows.get(key, 0) + 1
                        lines.setdefault(key, set()).add(number)
    return {
        key: (sums[key] / rows[key], even[key] / rows[key], rows[key], len(lines[key]))
        for key in sums
    }


def test_shares_and_baselines_are_those_of_a_slow_computation(run):
    assert run.settings.has_lines
    found, expected = roles_on_lines(run), slowly(run)
    assert {(role, head) for role, of in found.scores.items() for head in of} == set(expected)
    for (role, head), (share, even, n_rows, n_lines) in expected.items():
        score = found.scores[role][head]
        assert score.share == pytest.approx(share, abs=1e-6)
        assert score.baseline == pytest.approx(even)
        assert (score.n_rows, score.n_sequences) == (n_rows, n_lines)
        assert score.interval[0] <= score.share <= score.interval[1]


def test_the_row_that_is_shown_is_asked_and_stands_in_the_middle(run):
    found = roles_on_lines(run)
    for role in found.scores:
        [head] = found.best(role)
        row = row_in_lines(run, role, head)
        assert row.key in asked(row.ids, row.query, role, head.kind.causal)
        assert row.weights_K.sum() == pytest.approx(1, abs=1e-5)


def test_a_model_without_lines_says_so(opened_path):
    loaded = load_run(opened_path("bert"))
    assert not loaded.settings.has_lines
    with pytest.raises(ValueError, match="No line has two tokens"):
        roles_on_lines(loaded)
