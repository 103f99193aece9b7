import json
import shutil

import pytest

from core.decoding.sentence import translate

SENTENCE = "  a  b c "


def test_json_holds_the_sentence_as_read_and_its_translation(command, copy_folder, copy_run):
    status, out, _ = command("translate", copy_folder, SENTENCE, "--json")
    assert status == 0
    translation = translate(copy_run, SENTENCE).text
    assert json.loads(out) == {"source": "a b c", "translation": translation}


def test_translation_alone_is_printed(command, copy_folder, copy_run):
    status, out, _ = command("translate", copy_folder, SENTENCE)
    assert (status, out) == (0, translate(copy_run, SENTENCE).text + "\n")


def test_a_sentence_that_is_cut_is_said_on_standard_error(command, copy_folder):
    status, out, error = command("translate", copy_folder, "a " * 200)
    assert status == 0
    assert "warning: cut after 111 tokens" in error
    assert "warning" not in out


@pytest.mark.parametrize("sentence", ["", "   "])
def test_empty_sentence_is_refused(refused, copy_folder, sentence):
    assert "no text" in refused("translate", copy_folder, sentence)


def test_missing_run_is_named(refused, tmp_path):
    assert str(tmp_path / "none") in refused("translate", tmp_path / "none", "a")


def test_folder_without_a_run_is_named(refused, tmp_path):
    assert "run.json" in refused("translate", tmp_path, "a")


def test_damaged_weights_are_named(refused, copy_folder, tmp_path):
    path = shutil.copytree(copy_folder, tmp_path / "run")
    (path / "checkpoints" / "step-00000030.safetensors").write_bytes(b"half")
    assert "step-00000030.safetensors" in refused("translate", path, "a")
