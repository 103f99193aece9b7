import base64
import html
import json
import re

import numpy as np
import pytest

from core.__main__ import main
from core.runs.run import load_run
from pages.attention import VIEWS
from pages.frame import export
from pages.frame.files import as_csv, as_json
from tests.pages.conftest import ROOT, said, shown, unfold
from tests.pages.views.attention.conftest import from_csv, run_lines
from viz.plane.map_payload import unpack

TIRED = "The animal didn't cross the street because it was too tired."
KINDS = {"encoder self": "encoder.self", "decoder self": "decoder.self", "cross": "decoder.cross"}
NASTY = "</script><script>alert(1)</script> \"quoted\", 'single' <!-- =1+1 -2 @x"


@pytest.fixture
def inspected(capsys):
    """Return a function that asks the command line for every weight of a sentence."""

    def run(model, sentence):
        assert main(["inspect", str(ROOT / "gallery" / model), sentence, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


def payload(page):
    """Return the block of bytes that a page of one component holds."""
    [written] = re.findall(r'<script type="text/plain" id="payload">([^<]*)</script>', page)
    return base64.b64decode(written)


@pytest.mark.parametrize("kind", KINDS)
def test_csv_json_html_and_lines_hold_the_weights_of_the_command_line(open_view, inspected, kind):
    at, taken = open_view("maps", kind=kind, layer="1", head="2")
    found = inspected("translate-guided", TIRED)["attention"]
    stack, attention = KINDS[kind].split(".")
    expected = found[f"{stack}.1.{attention}"]["weights"][2]
    flat = [weight for row in expected for weight in row]
    columns = from_csv(as_csv(taken.numbers()))
    assert [float(weight) for weight in columns["weight"]] == flat
    assert json.loads(as_json({}, taken.numbers()))["columns"]["weight"] == flat
    assert run_lines(taken.lines) == flat
    maps = unpack(payload(export.page(taken, about())))
    assert maps.weights[1, 2].tolist() == expected
    assert np.array_equal(maps.visible, shown(at).visible)


def about(**changed):
    facts = {"model": "m", "step": 1, "sentence": "s", "translation": "t"}
    return facts | changed


def test_every_cell_names_its_query_its_key_and_whether_it_is_hidden(open_view):
    _, taken = open_view("maps", model="copy", sentence="a b", kind="decoder self")
    columns = from_csv(as_csv(taken.numbers()))
    cells = list(zip(*(columns[name] for name in list(columns)[1:-1]), strict=True))
    assert cells == [
        ("0", "BOS", "0", "BOS", "True"),
        ("0", "BOS", "1", "a", "False"),
        ("0", "BOS", "2", "b", "False"),
        ("1", "a", "0", "BOS", "True"),
        ("1", "a", "1", "a", "True"),
        ("1", "a", "2", "b", "False"),
        ("2", "b", "0", "BOS", "True"),
        ("2", "b", "1", "a", "True"),
        ("2", "b", "2", "b", "True"),
    ]


def opened_view(open_view, view, **query):
    at, taken = open_view(view, **query)
    if taken is None:
        pytest.skip(f"{view} has nothing to draw of this")
    return at, taken


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_can_be_taken_away_whole(open_view, view, kind):
    at, taken = opened_view(open_view, view, kind=kind, sentence=NASTY)
    columns = taken.numbers()
    assert len(set(map(len, columns.values()))) == 1
    read = from_csv(as_csv(columns))
    assert list(read) == list(columns)
    texts = {name: values for name, values in columns.items() if isinstance(values[0], str)}
    assert {name: read[name] for name in texts} == {n: list(v) for n, v in texts.items()}
    assert set(json.loads(as_json({}, columns))["columns"]) == set(columns)
    page = export.page(taken, about(sentence=NASTY))
    assert page.count("</script>") == (2 if taken.component else 0)
    assert html.escape(NASTY) in page
    assert f"<title>{html.escape(taken.title)}</title>" in page


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_offers_files_link_python_and_explanations(open_view, view):
    at, taken = opened_view(open_view, view)
    assert [button.label for button in at.get("download_button")] == ["CSV", "JSON", "HTML"]
    assert [folded.label for folded in at.expander][-4:] == [
        "As a table",
        "How to read this",
        "Formula",
        "Code that computes it",
    ]
    codes = [code.value for code in at.code]
    assert taken.lines.strip() in [code.strip() for code in codes]
    [link] = [code for code in codes if f"view={view}" in code or (view == "maps" and code == "")]
    assert "\n" not in link


@pytest.fixture
def files(monkeypatch):
    """What a click on each download button would write: ending → function."""
    found = {}

    def noted(label, ending, mime, taken, written):
        found[ending] = written

    monkeypatch.setattr(export, "_download", noted)
    return found


@pytest.mark.parametrize("view", ["maps", "heads"])
def test_files_say_of_what_their_numbers_are(open_view, files, view):
    _, taken = open_view(view, model="copy", sentence="a b c", kind="cross")
    read = json.loads(files["json"]())
    columns = read.pop("columns")
    assert read == {
        "title": taken.title,
        "model": "copy",
        "step": load_run(ROOT / "gallery" / "copy").step,
        "sentence": "a b c",
        "translation": "a b c",
        "view": taken.name,
        "link": read["link"],
        **taken.about,
    }
    assert "model=copy" in read["link"]
    assert columns == {name: list(values) for name, values in taken.numbers().items()}
    assert files["csv"]() == as_csv(taken.numbers())
    assert f"copy, step {read['step']}" in files["html"]()


def test_the_table_is_made_only_for_whoever_opens_it(open_view):
    at, taken = open_view("maps")
    assert not any("<table>" in each.proto.body for each in at.get("html"))
    assert not unfold(at, "table").exception
    [table] = [each.proto.body for each in at.get("html") if "<table>" in each.proto.body]
    assert table.count("<tr>") == 15


def test_the_sentence_stands_in_the_lines_as_it_was_typed(open_view):
    _, taken = open_view("maps", model="copy", sentence=NASTY)
    assert json.dumps(NASTY) in taken.lines
    assert run_lines(taken.lines) == taken.numbers()["weight"]


def test_lines_of_a_run_of_ones_own_name_its_folder(open_view, own_copy):
    _, taken = open_view("maps", model="runs/mine", sentence="a b", unit="whole words")
    assert 'Path("runs/mine")' in taken.lines.replace("'", '"')
    assert run_lines(taken.lines, own_copy.parents[1]) == taken.numbers()["weight"]


def test_five_hundred_tokens_can_be_taken_away(open_view):
    at, taken = open_view("maps", model="copy", sentence="a b c d " * 200)
    assert len(taken.numbers()["weight"]) == 512 * 512
    assert "512" in said(at) or "511" in said(at)
