import gc
import json
import os
import sys
import weakref
from pathlib import Path

import pytest

from core.runs.checkpoint import newest_checkpoint
from core.runs.run import RunError
from core.training.process import situation
from pages.frame import cached
from pages.frame.bounded_cache import bytes_of
from pages.frame.selection import inspecting
from tests.pages.conftest import ROOT

OPENED = []
"""The files of runs that were opened to be read."""


def _note(event, arguments):
    if event != "open" or not isinstance(arguments[0], str | os.PathLike):
        return
    path, flags = Path(arguments[0]), arguments[2]
    # Locks are opened to be written.
    if {"gallery", "runs"} & set(path.parts) and not flags & (os.O_WRONLY | os.O_RDWR):
        OPENED.append(path.name)


@pytest.fixture(scope="module", autouse=True)
def _opened_files_are_noted():
    sys.addaudithook(_note)


PAGES = [
    ("attention", {}),
    ("training", {"training": "set_up"}),
    ("training", {"training": "watch", "model": "runs/mine"}),
    ("training", {"training": "look_back", "model": "runs/mine"}),
    ("training", {"training": "runs", "runs": ["runs/mine", "copy", "runs/broken"]}),
]


@pytest.mark.parametrize(("page", "query_params"), PAGES)
def test_nothing_is_read_at_a_rerun_where_nothing_changed(open_page, own_copy, page, query_params):
    (own_copy.parent / "broken").mkdir()
    (own_copy.parent / "broken" / "run.json").write_text("{")
    at = open_page(page, **query_params)
    OPENED.clear()
    at.run()
    assert not at.exception
    assert not OPENED


def test_a_file_that_changed_is_read_again(own_copy):
    assert cached.settings(own_copy).preset == "tiny"
    changed = json.loads((own_copy / "run.json").read_text()) | {"preset": "small"}
    (own_copy / "run.json").write_text(json.dumps(changed))
    OPENED.clear()
    assert cached.settings(own_copy).preset == "small"
    assert OPENED.count("run.json") >= 1


def test_what_is_wrong_with_a_run_is_said_until_it_is_mended(own_copy):
    whole = (own_copy / "run.json").read_text()
    (own_copy / "run.json").write_text("{")
    for _again in range(2):
        assert "run.json is damaged" in cached.complaint(own_copy)
        with pytest.raises(RunError, match="damaged"):
            cached.settings(own_copy)
    (own_copy / "run.json").write_text(whole)
    assert cached.complaint(own_copy) == ""


def test_how_a_training_stands_follows_its_files(own_copy):
    assert cached.situation(own_copy) == situation(own_copy)
    (own_copy / "status.json").write_text('{"state": "paused", "step": 850}')
    assert cached.situation(own_copy).state == "paused"
    (own_copy / "status.json").write_text('{"state": "running", "step": 850}')
    # Nobody holds the run.
    assert cached.situation(own_copy).state == "interrupted"


@pytest.mark.slow
def test_models_stay_within_their_bytes_and_the_least_used_goes(opened_path, monkeypatch):
    runs = [opened_path(kind) for kind in ("bert", "gpt2", "t5", "marian")]
    # Their files are a little larger, which is known before they are opened.
    most = sum(newest_checkpoint(path).stat().st_size for path in runs[-2:])
    monkeypatch.setattr(cached, "_most", lambda _share: most)
    models = []
    for path in runs:
        inspecting(path, "the animal").result()
        models.append(weakref.ref(cached.loaded(path).model))
        assert cached.models().bytes <= most
    gc.collect()
    # What was computed with the others does not keep them.
    assert [model() is not None for model in models] == [False] * 2 + [True] * 2


@pytest.mark.slow
def test_what_was_computed_stays_within_its_bytes(monkeypatch):
    path = ROOT / "gallery" / "copy"
    one = bytes_of(inspecting(path, "a b c d e f g h").result())
    monkeypatch.setattr(cached, "_most", lambda _share: 5 * one)
    cached.st.cache_resource.clear()
    for number in range(60):
        letters = [chr(97 + (number + at) % 26) for at in range(8)]
        inspecting(path, " ".join(letters)).result()
        assert cached.results().bytes <= 5 * one
    assert len(cached.results()) > 1
