"""No page says where on the server anything is: neither what it shows, nor what it hands over."""

import json
import shutil

import pytest

from classroom.service import ClassService
from pages.frame import cached
from pages.frame.service import Service, Visitor
from tests.pages.conftest import ROOT
from tests.pages.drawing import draw
from tests.pages.sent import read

RUN = "runs/Ann/mine"
TEXTS = {"CSV", "JSON", "HTML"}
PAGES = [
    ("attention", {}),
    ("heads", {"trial": "silence", "silenced": "one_by_one"}),
    ("decoding", {}),
    ("training", {"training": "runs", "runs": [RUN, "copy"]}),
    *(("training", {"training": name}) for name in ("set_up", "watch", "look_back")),
]


def cut(run):
    for file in run.rglob("*.safetensors"):
        file.write_bytes(file.read_bytes()[:100])


def without_weights(run):
    for file in run.rglob("*.safetensors"):
        file.unlink()


def died(run):
    """Leave what a process leaves that was killed by an error."""
    (run / "status.json").write_text(json.dumps({"state": "running", "step": 3}))
    words = f"  File \"{ROOT}/core/x.py\", line 3\nOSError: no such file: '{run.resolve()}/x'\n"
    (run / "train.log").write_text(words)


def failed(run):
    told = {"state": "failed", "step": 3, "message": f"{run}: no room in {ROOT}/runs"}
    (run / "status.json").write_text(json.dumps(told))
    (run / "heads.progress").write_text(json.dumps(told | {"done": 1, "of": 3}))


def of_lost_pairs(run):
    said = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(said | {"task": "pairs"}))


def damaged(name):
    def damage(run):
        (run / name).write_bytes(b"[3\xff")

    return damage


DAMAGE = {
    "whole": lambda run: None,
    "weights that are cut": cut,
    "no weights": without_weights,
    "no run.json": lambda run: (run / "run.json").unlink(),
    "a process that died": died,
    "work that failed": failed,
    "pairs that are lost": of_lost_pairs,
    **{
        name: damaged(name)
        for name in ("run.json", "metrics.jsonl", "evaluation.json", "tokenizer.json", "words.txt")
    },
}


def each_damage():
    """Return each damage; those to single files take long."""
    at_once = ("whole",)
    return [
        pytest.param(damage, id=name, marks=() if name in at_once else pytest.mark.slow)
        for name, damage in DAMAGE.items()
    ]


@pytest.fixture
def hers(tmp_path, monkeypatch):
    """A run of Ann's, who looks at the app, in a folder that is reached by a link."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "all").symlink_to(tmp_path / "disk")
    monkeypatch.setattr(cached, "OWN", tmp_path / "all")
    run = Visitor("Ann").folder(cached.OWN) / "mine"
    shutil.copytree(ROOT / "gallery" / "copy", run)
    monkeypatch.setattr(Service, "visitor", lambda _: Visitor("Ann"))
    monkeypatch.setattr(Service, "is_shared", ClassService.is_shared)
    return run


@pytest.mark.parametrize("damage", each_damage())
def test_no_page_and_none_of_its_files_says_where_a_run_is(hers, tmp_path, damage):
    damage(hers)
    for page, query in PAGES:
        drawing = draw(page, {"model": RUN} | query)
        texts = [read(drawing.at), *(drawing.files[name]() for name in TEXTS & set(drawing.files))]
        for place in (str(tmp_path), str(ROOT)):
            assert place not in "\n".join(texts), (page, query)
