import pytest
import torch
from safetensors.torch import load_file

from core.families import FamilyError
from core.studies.opening import survey as module
from core.studies.opening.survey import survey
from tests.core.families.folders import write_folder
from tests.core.families.random_models import drawn
from tests.core.families.test_gguf_file import SIZES, write

NAMES = ["bert", "gpt2", "llama3", "marian", "t5"]


@pytest.mark.parametrize("name", NAMES)
def test_weights_are_counted_without_being_read(tmp_path, name):
    write_folder(tmp_path, name)
    found = survey(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    assert found.n_weights == sum(tensor.numel() for tensor in tensors.values())
    assert found.n_bytes == 4 * found.n_weights
    assert found.family.lower().replace("-", "") == name.rstrip("3")
    assert found.seconds > 1


def test_files_that_torch_wrote_and_gguf_are_counted_too(tmp_path):
    model = write_folder(tmp_path / "folder", "gpt2")
    (tmp_path / "folder" / "model.safetensors").unlink()
    state = model.state_dict()
    torch.save(state, tmp_path / "folder" / "pytorch_model.bin")
    assert survey(tmp_path / "folder").n_weights == sum(each.numel() for each in state.values())
    llama = drawn("llama", **SIZES)
    file = write(tmp_path / "m.gguf", llama)
    found = survey(file)
    assert (found.family, found.n_weights) == ("LLaMA", sum(p.numel() for p in llama.parameters()))


def test_what_is_too_large_is_refused_with_its_size(tmp_path, monkeypatch):
    write_folder(tmp_path, "gpt2")
    monkeypatch.setattr(module, "LARGEST_MODEL", 1000)
    with pytest.raises(FamilyError, match=r"billion weights, which take .* GB of memory; at most"):
        survey(tmp_path)
