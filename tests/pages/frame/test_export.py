import base64
import html
import json
import re

import numpy as np
import pytest

from core.__main__ import main
from core.runs.run import load_run
from pages.frame import export
from pages.frame.files import as_csv, as_json, stem
from pages.frame.language import plain
from tests.pages.conftest import ROOT, shown
from tests.pages.views.attention.conftest import from_csv
from tests.viz.unpacked import unpack_maps as unpack

TIRED = "The animal didn't cross the street because it was too tired."
KINDS = {"encoder self": "encoder.self", "decoder self": "decoder.self", "cross": "decoder.cross"}


@pytest.fixture
def inspected(capsys):
    """Return a function that asks the command line for every weight of a sentence."""

    def run(model, sentence):
        assert main(["inspect", str(ROOT / "gallery" / model), sentence, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


def payload(page):
    """Return the block of bytes that a page of one component holds."""
    [written] = re.findall(r'<script type="text/plain" id="payload-0">([^<]*)</script>', page)
    return base64.b64decode(written)


@pytest.mark.parametrize("kind", KINDS)
def test_csv_json_and_html_hold_the_weights_of_the_command_line(open_view, inspected, kind):
    at, taken = open_view("maps", kind=kind, layer="1", head="2")
    found = inspected("translate-guided", TIRED)["attention"]
    stack, attention = KINDS[kind].split(".")
    expected = found[f"{stack}.1.{attention}"]["weights"][2]
    flat = [weight for row in expected for weight in row]
    columns = from_csv(as_csv(taken.columns()))
    assert [float(weight) for weight in columns["weight"]] == flat
    assert json.loads(as_json({}, taken.columns()))["columns"]["weight"] == flat
    maps = unpack(payload(export.page(taken, about())))
    assert maps.weights[1, 2].tolist() == expected
    assert np.array_equal(maps.visible, shown(at).visible)


def about(**changed):
    facts = {"model": "m", "step": 1, "sentence": "s", "translation": "t"}
    return facts | changed


@pytest.fixture
def files(monkeypatch):
    """What a click on each download button would write: ending → function."""
    found = {}

    def noted(label, mime, file, written):
        found[file.rpartition(".")[2]] = written

    monkeypatch.setattr(export, "_download", noted)
    return found


@pytest.mark.parametrize("name", ["maps", "word"])
def test_files_say_of_what_their_numbers_are(open_view, files, name):
    _, taken = open_view(name, model="copy", sentence="a b c", kind="cross")
    read = json.loads(files["json"]())
    columns = read.pop("columns")
    assert read == {
        "title": taken.title,
        "model": "copy",
        "step": load_run(ROOT / "gallery" / "copy").step,
        "sentence": "a b c",
        "translation": "a b c",
        "view": name,
        "link": read["link"],
        **taken.about,
    }
    assert "model=copy" in read["link"]
    assert columns == {column: list(values) for column, values in taken.columns().items()}
    assert files["csv"]() == as_csv(taken.columns())
    page = files["html"]()
    for fact, value in (("Model", "copy"), ("Training step", read["step"])):
        assert f'<dt>{fact}</dt><dd dir="auto">{value}</dd>' in page


def test_names_of_files_say_model_sentence_and_head(open_view, monkeypatch):
    names = []
    monkeypatch.setattr(export, "_download", lambda label, mime, file, written: names.append(file))
    at, taken = open_view("maps", model="copy", sentence="a b c/d")
    begins = f"{stem({'model': 'copy', 'sentence': 'a b c/d'})}maps-"
    assert names == [f"{begins}{taken.name}.{ending}" for ending in ("csv", "json", "html")]
    assert taken.name.endswith(".cross.1")
    bodies = [each.proto.body for each in at.get("html")]
    assert f'<i hidden data-files-begin="{begins}"></i>' in bodies


def test_a_view_that_is_a_table_is_offered_as_a_picture_of_it(open_page, taken, files):
    open_page("heads", trial="roles", roles_on="sentence", model="copy", sentence="a b c")
    taken = taken[-1]
    drawn = re.findall(r">([^<>]+)</text>", files["svg"]())
    assert {taken.title, *taken.columns()} <= set(map(html.unescape, drawn))
    assert files["png"]().startswith(b"\x89PNG")


def test_what_must_be_said_of_a_run_is_said_on_the_page_and_in_its_files(
    open_view, own_copy, files
):
    (own_copy / "NOTICE").write_text("From *Tatoeba*, CC BY 2.0 FR.")
    at, _ = open_view("maps", model="runs/mine")
    assert at.caption[-1].value == plain("From *Tatoeba*, CC BY 2.0 FR.")
    assert json.loads(files["json"]())["notice"] == "From *Tatoeba*, CC BY 2.0 FR."
