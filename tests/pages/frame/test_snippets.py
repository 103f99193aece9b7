from pathlib import Path

from core.runs.run import load_run
from pages.frame import snippets
from tests.pages.conftest import ROOT

COPY = ROOT / "gallery" / "copy"


def run(lines, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = {}
    exec(compile(lines, "lines", "exec"), found)
    return found


def test_a_run_is_loaded_as_the_page_loads_it(monkeypatch):
    found = run(snippets.loading(COPY, "import math"), monkeypatch)
    assert found["run"].settings == load_run(COPY).settings
    assert found["math"]


def test_a_sentence_of_any_signs_is_translated_as_it_was_typed(monkeypatch):
    sentence = 'a "b" \\ c\td 😀'
    found = run(snippets.translating(COPY, sentence), monkeypatch)
    assert found["translation"].source_ids
    assert eval(snippets.quoted(sentence)) == sentence


def test_imports_stand_once_and_in_order():
    lines = snippets.loading(COPY, "import math", "import math").splitlines()
    assert lines.count("import math") == 1
    imports = [line for line in lines if line.startswith(("import core", "from core"))]
    assert imports == sorted(imports)


def test_a_folder_is_named_as_seen_from_the_projects():
    assert eval(snippets.folder(ROOT / "runs" / "my run")) == Path("runs/my run")
