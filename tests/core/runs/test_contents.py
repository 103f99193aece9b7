"""Which files of a run are given away, and what of them."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.runs.contents import belongs, is_weights, told_status, whole_lines
from core.runs.weights import weights_file


@given(st.integers(0, 10**12 - 1), st.sampled_from(["checkpoints", "snapshots", "best"]))
def test_weights_of_every_step_belong_to_a_run_under_the_name_that_they_are_written_under(
    step, folder
):
    name = f"{folder}/{weights_file(step)}"
    assert is_weights(name) and belongs(name)
    state = name.replace(".safetensors", ".state.safetensors")
    assert belongs(state) == (folder == "checkpoints")
    assert not is_weights(state)


@pytest.mark.parametrize(
    "name",
    [
        *(".lock", "log.txt", "request.json", "other.json", "", "run.json/", "./run.json"),
        *("../run.json", "checkpoints/run.json", "step-00000001.safetensors"),
        *("checkpoints/step-1.safetensors", "checkpoints/step-000000001.safetensors"),
        *("checkpoints/step-00000001.safetensors.tmp", "other/step-00000001.safetensors"),
        *("checkpoints/../step-00000001.safetensors", "checkpoints/step-00000001.safetensors\n"),
    ],
)
def test_any_other_file_stays_behind(name):
    assert not belongs(name)


def test_a_status_that_is_given_away_names_no_process(tmp_path):
    stored = {"state": "running", "step": 7, "message": "é", "pid": os.getpid(), "host": "here"}
    told = json.loads(told_status(json.dumps(stored).encode()))
    assert told == {"state": "running", "step": 7, "message": "é"}


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"3", b"\xff", b"[" * 100_000, b'{"step": true, "state": 1}']
)
def test_a_status_that_says_nothing_becomes_an_empty_one(content):
    assert json.loads(told_status(content)) == {}


@given(st.binary().map(lambda content: content.replace(b"x", b"\n")))
def test_of_lines_only_the_last_can_be_left_out_and_only_where_it_does_not_end(content):
    whole = whole_lines(content)
    assert content.startswith(whole)
    assert b"\n" not in content[len(whole) :]
    assert whole == b"" or whole.endswith(b"\n")
