import json
from dataclasses import replace

import pytest

from core.runs.run import RunError, read_settings


def test_settings_come_back_from_json_as_they_were(copy_folder, tmp_path):
    settings = read_settings(copy_folder)
    opened = replace(settings, task="", origin="owner/name", family="BERT")
    for each in (settings, opened):
        (tmp_path / "run.json").write_text(json.dumps(each.to_dict()))
        assert read_settings(tmp_path) == each
    assert (settings.is_opened, opened.is_opened) == (False, True)
    assert "origin" not in settings.to_dict()


@pytest.mark.parametrize("name", ["task", "model", "training", "versions", "command", "preset"])
def test_what_is_missing_is_named(copy_folder, tmp_path, name):
    stored = json.loads((copy_folder / "run.json").read_text())
    del stored[name]
    (tmp_path / "run.json").write_text(json.dumps(stored))
    with pytest.raises(RunError, match=f"run.json does not say '{name}'"):
        read_settings(tmp_path)
