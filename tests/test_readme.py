"""What README says of the project is true."""

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_prints_a_heads_weights(monkeypatch, capsys):
    [example] = re.findall(r"## In six lines\n```python\n(.*?)```", README, re.DOTALL)
    monkeypatch.chdir(ROOT)
    names = {}
    exec(example, names)
    inspection = names["inspection"]
    weights_QK = inspection.weights_of(names["Head"].parse("encoder.2.self:0"))
    assert capsys.readouterr().out.strip() == str(weights_QK.round(2))
    words = [token.text for token in inspection.source_tokens]
    assert words[weights_QK[words.index("it")].argmax()] == "cat"
    assert weights_QK[words.index("it"), words.index("cat")] > 0.995
    np.testing.assert_allclose(weights_QK.sum(axis=-1), 1, rtol=1e-5)


def test_the_map_names_what_is_there_and_every_file_to_read_exists():
    house = README.partition("## The house")[2].partition("## Licence")[0]
    for path in re.findall(r"`((?:core|pages|viz)/[\w/]+\.py)`", house):
        assert (ROOT / path).is_file(), path
    rooms = {path.name for path in (ROOT / "core").iterdir() if path.name[0] not in "_."}
    missing = [room for room in sorted(rooms) if room not in house and room not in SMALL]
    assert not missing, f"the map says nothing of core/{missing}"


@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_every_picture_that_is_shown_is_there(readme):
    shown = re.findall(r"!\[[^]]+\]\(([^)]+)\)", (ROOT / readme).read_text(encoding="utf-8"))
    assert len(shown) > 10
    assert [path for path in shown if not (ROOT / path).is_file()] == []


SMALL = ("config.py", "device.py", "files.py", "installed.py", "messages.py", "vocabulary.py")
"""Rooms of one file that the map leaves out."""
