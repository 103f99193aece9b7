import contextlib
import csv
import html
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from core.model import build
from core.runs.checkpoint import save_weights
from core.runs.run import read_settings
from pages.frame import view as frame_view
from tests.pages.conftest import MODEL, ROOT


def run_lines(lines, root=ROOT):
    """Run Python as a reader does in the repository root; return its `numbers` one after another.

    Args:
        lines: The `python` of a `Shown`.
        root: Of the repository; for runs of one's own the folder in which `runs/` is.
    """
    found = {}
    with contextlib.chdir(root):
        exec(compile(lines, "lines", "exec"), found)
    return flat(found["numbers"])


def flat(numbers):
    """Return the numbers of arrays, or of a dict or list of arrays, as one list."""
    if isinstance(numbers, dict):
        numbers = list(numbers.values())
    if isinstance(numbers, list | tuple):
        return [number for part in numbers for number in flat(part)]
    return np.asarray(numbers).reshape(-1).tolist()


def seen(at):
    """Return the line that says what there is to see, as people read it."""
    mark = "**What you see**]"
    [line] = [each.value for each in at.markdown if mark in each.value]
    return html.unescape(line.partition(mark)[2].strip()).replace("\u00a0", " ")


def written(weight):
    """Return a weight as that line writes it."""
    return "less than 0.01" if 0 < weight < 0.005 else f"{weight:.2f}"


def from_csv(text):
    """Read a CSV file as a program does that knows of the apostrophes; every value is text."""
    names, *rows = csv.reader(io.StringIO(text, newline=""))
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return {
        name.removeprefix("'"): [value.removeprefix("'") for value in values]
        for name, values in zip(names, columns, strict=True)
    }


@pytest.fixture
def offered():
    """What the page hands over while it is drawn: one `Shown` for each time, the newest last."""
    found = []
    offer = frame_view.offer

    def noted(shown, view, facts):
        found.append(shown)
        offer(shown, view, facts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frame_view, "offer", noted)
        yield found


@pytest.fixture
def open_view(open_app, offered):
    """Return a function that opens a view as a link does, and gives the page and its `Shown`."""

    def opener(view, **query_params):
        at = open_app(view=view, **({"model": MODEL} | query_params))
        return at, offered[-1] if offered else None

    return opener


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
