import json
from dataclasses import replace

import pytest

from core.model import build
from core.runs.checkpoint import save_weights
from core.runs.run import read_settings
from pages.frame import view
from pages.frame.files import as_csv, as_json
from tests.pages.conftest import ROOT
from tests.pages.views.attention.conftest import flat, run_lines


@pytest.fixture
def own_random(own_runs):
    """Return a function that makes a run of one's own with random weights, of any size.

    `own_random(n_encoder_layers=12, n_decoder_layers=12, n_heads=16)` makes `runs/random`; it reads
    letters as the gallery's copy run does, and has 512 positions.
    """

    def maker(name="random", **sizes):
        copy, path = ROOT / "gallery" / "copy", own_runs / name
        (path / "checkpoints").mkdir(parents=True)
        for file in ("tokenizer.json", "words.txt"):
            (path / file).write_bytes((copy / file).read_bytes())
        settings = read_settings(copy)
        config = replace(settings.model, d_k=0, d_v=0, **sizes)
        written = replace(settings, model=config).to_dict()
        (path / "run.json").write_text(json.dumps(written))
        step = settings.training.steps
        save_weights(build(config), path / "checkpoints" / f"step-{step:08}.safetensors")
        return path

    return maker


@pytest.fixture
def handed_over():
    """What the page hands over while it is drawn: one `Shown` for each time, the newest last."""
    found = []
    offer = view.offer

    def noted(shown, *others):
        found.append(shown)
        offer(shown, *others)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(view, "offer", noted)
        yield found


def numbers_of(shown, *names):
    """Return what stands in some columns, one after another, without what is empty."""
    columns = shown.numbers()
    assert len({len(values) for values in columns.values()}) == 1
    return [value for name in names for value in columns[name] if value is not None]


def computed(shown, root=None):
    """Return the numbers that a view's Python computes, one after another."""
    return flat(run_lines(shown.python, *([root] if root else [])))


def assert_takeable(at, shown):
    """Make sure that everything is offered, and that every file of it can be written."""
    labels = {each.proto.label for each in at.get("download_button")}
    assert labels >= {"CSV", "JSON", "HTML"}
    assert shown.title and shown.name and shown.pictures
    page = view.page(shown, {"title": shown.title, **shown.about})
    assert page.startswith("<!doctype html>")
    assert as_csv(shown.numbers()) and as_json(shown.about, shown.numbers())
