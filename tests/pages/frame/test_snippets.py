from core.runs.run import load_run
from pages.frame import snippets
from tests.pages.conftest import ROOT

COPY = ROOT / "gallery" / "copy"


def test_the_lines_load_the_run_and_translate_the_sentence_as_typed(monkeypatch):
    monkeypatch.chdir(ROOT)
    sentence = 'a "b" \\ c\td 😀'
    lines = snippets.translating(COPY, sentence, "import math", "import math")
    found = {}
    exec(lines, found)
    assert found["run"].settings == load_run(COPY).settings
    assert found["translation"].source_ids
    assert eval(snippets.quoted(sentence)) == sentence
    assert lines.count("import math") == 1
