import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from tests.core.library.folders import write_folder

TEXT = "The animal did not cross the street."


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    path = tmp_path_factory.mktemp("folders")
    for name in ("gpt2", "bert", "marian"):
        write_folder(path / name, name)
    return path


@pytest.fixture
def opened(command, folders, tmp_path):
    def run(name):
        status, out, error = command("import", folders / name, tmp_path / name)
        assert status == 0
        assert f"{tmp_path / name}: " in out
        assert "parameters" in out and "not counted" not in out
        return tmp_path / name

    return run


@pytest.mark.parametrize("name", ["gpt2", "bert", "marian"])
def test_an_opened_model_is_inspected_with_the_same_fields(command, opened, name):
    status, out, _ = command("inspect", opened(name), TEXT, "--json")
    assert status == 0
    found = json.loads(out)
    assert set(found) == {"source", "target", "attention"}
    assert bool(found["source"]["tokens"]) == (name != "gpt2")
    assert bool(found["target"]["fed"]) == (name != "bert")
    rows = found["target"]["fed"] or found["source"]["tokens"]
    assert len(found["target"]["predicted"]) == len(rows)
    for site in found["attention"].values():
        assert all(abs(sum(row) - 1) < 1e-5 for head in site["weights"] for row in head)


def test_weights_that_nothing_computes_with_are_counted(command, tmp_path):
    write_folder(tmp_path / "bert", "bert without a head")
    file = tmp_path / "bert" / "model.safetensors"
    save_file(load_file(file) | {"classifier.weight": np.zeros((5, 24))}, file)
    _, out, _ = command("import", tmp_path / "bert", tmp_path / "run")
    assert "(not counted: 120 weights of its files" in out


def test_what_does_not_go_together_is_said(refused, opened):
    assert "it writes nothing" in refused("translate", opened("bert"), TEXT)


def test_what_cannot_be_opened_is_said(refused, tmp_path, folders):
    assert "no such folder" in refused("import", tmp_path / "x", tmp_path / "run")
    (tmp_path / "config.json").write_text('{"model_type": "nonesuch"}')
    said = refused("import", tmp_path, tmp_path / "run")
    assert "model_type is 'nonesuch', which transformers" in said
    assert "exists already" in refused("import", folders / "gpt2", tmp_path)
