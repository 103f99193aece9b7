"""Folders that are damaged, hostile or unknown: one sentence each, and nothing is left."""

import json
import pickle
import shutil
import struct
from functools import partial

import numpy as np
import pytest
import torch
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from core.messages import error_text
from core.runs.run import RunError
from core.studies.opening.opening import open_model
from tests.core.families.folders import write_folder
from tests.core.families.random_models import LLAMA3

KINDS = ("bert", "gpt2", "llama", "llama3", "t5", "marian")
WEIGHTS = "model.safetensors"


def config(folder, **values):
    """Write other settings; None takes one away."""
    found = json.loads((folder / "config.json").read_text()) | values
    kept = {name: value for name, value in found.items() if value is not None}
    (folder / "config.json").write_text(json.dumps(kept))


def text(folder, file, content):
    (folder / file).write_text(content)


def gone(folder, file):
    (folder / file).unlink()


def cut(folder, file, share=0.5):
    content = (folder / file).read_bytes()
    (folder / file).write_bytes(content[: int(len(content) * share)])


def noise(folder, file):
    (folder / file).write_bytes(np.random.default_rng(0).bytes(2000))


def weights(folder, change):
    found = load_file(folder / WEIGHTS)
    change(found)
    save_file(found, folder / WEIGHTS)


def renamed(found):
    name = max(found)
    found["nobody.knows.it"] = found.pop(name)


def taller(found):
    name = next(each for each, values in found.items() if values.ndim == 2)
    found[name] = np.concatenate([found[name], found[name]])


def not_numbers(found):
    name = next(each for each, values in found.items() if values.ndim == 2)
    found[name] = np.full_like(found[name], np.nan)


def one_more(found):
    found["one.more"] = np.zeros((2, 2), np.float32)


def a_text(found):
    name = next(iter(found))
    found[name] = np.zeros(found[name].shape, np.int64)


class Evil:
    """What a pickle may do."""

    def __reduce__(self):
        return (exec, ("raise SystemExit(7)",))


def pickled(folder, content):
    (folder / WEIGHTS).unlink()
    if content is Evil:
        (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"a": Evil()}))
    else:
        torch.save(content, folder / "pytorch_model.bin")


def zipped_evil(folder):
    """As torch has packed its pickles since version 1.6."""
    pickled(folder, {"a": Evil()})


def header(folder, length):
    """Say that the header of the weights is as long as no file."""
    content = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(struct.pack("<Q", length) + content[8:])


def index(folder, files):
    text(folder, f"{WEIGHTS}.index.json", json.dumps({"weight_map": files}))
    (folder / WEIGHTS).unlink()


def as_link(folder, target):
    (folder / WEIGHTS).unlink()
    (folder / WEIGHTS).symlink_to(target)


def words_alike(folder):
    found = json.loads((folder / "vocab.json").read_text())
    first, second = list(found)[5:7]
    text(folder, "vocab.json", json.dumps(found | {first: found[second]}))


DAMAGES = {
    "no config": ("gpt2", partial(gone, file="config.json")),
    "an empty config": ("gpt2", partial(text, file="config.json", content="")),
    "a config that is a list": ("gpt2", partial(text, file="config.json", content="[]")),
    "a config that is no JSON": ("gpt2", partial(text, file="config.json", content="{'a': 1}")),
    "a config that is cut": ("bert", partial(cut, file="config.json")),
    "a config of bytes": ("bert", partial(noise, file="config.json")),
    "a config that nests deeply": (
        "gpt2",
        partial(text, file="config.json", content="[" * 100_000),
    ),
    "no kind": ("bert", partial(config, model_type=None)),
    "an unknown kind": ("bert", partial(config, model_type="roberta")),
    "a kind that is a number": ("bert", partial(config, model_type=7)),
    "heads that do not divide": ("gpt2", partial(config, n_head=7)),
    "no heads": ("gpt2", partial(config, n_head=0)),
    "heads that are a text": ("gpt2", partial(config, n_head="four")),
    "layers below 0": ("gpt2", partial(config, n_layer=-2)),
    "more layers than the weights": ("gpt2", partial(config, n_layer=9)),
    "fewer layers than the weights": ("gpt2", partial(config, n_layer=1)),
    "a width without end": ("gpt2", partial(config, n_embd=10**12)),
    "a width that is a fraction": ("bert", partial(config, hidden_size=24.5)),
    "no width": ("bert", partial(config, hidden_size=None)),
    "an activation that nobody knows": ("bert", partial(config, hidden_act="snake")),
    "no number as eps": ("bert", partial(config, layer_norm_eps="tiny")),
    "an eps below 0": ("llama", partial(config, rms_norm_eps=-1.0)),
    "rotation that nobody knows": (
        "llama",
        partial(config, rope_parameters={"rope_type": "yarn", "factor": 4.0}),
    ),
    "rotation that is a list": ("llama", partial(config, rope_parameters=[1])),
    "rotation that is a text": ("llama", partial(config, rope_parameters=None, rope_scaling="x")),
    "rotation by a text": ("llama", partial(config, rope_parameters={"rope_theta": "fast"})),
    "rotation without end": ("llama", partial(config, rope_parameters={"rope_theta": 10**400})),
    "rotation that says half": ("llama", partial(config, rope_parameters={"rope_type": "llama3"})),
    "rotation that blends nothing": (
        "llama3",
        partial(config, rope_parameters=LLAMA3 | {"high_freq_factor": 1.0}),
    ),
    "no heads that rotate": ("llama", partial(config, num_attention_heads=0)),
    "positions without end": ("bert", partial(config, max_position_embeddings=10**9)),
    "positions that are too many": ("marian", partial(config, max_position_embeddings=10**9)),
    "a width beyond 64 bits": ("t5", partial(config, d_model=2**63)),
    "a vocabulary beyond 64 bits": ("bert", partial(config, type_vocab_size=2**64)),
    "buckets that leave nothing": ("t5", partial(config, relative_attention_max_distance=16)),
    "key/value heads that do not divide": ("llama", partial(config, num_key_value_heads=3)),
    "gates that nobody knows": ("t5", partial(config, feed_forward_proj="gated-snake")),
    "no buckets": ("t5", partial(config, relative_attention_num_buckets=0)),
    "layers without end": ("bert", partial(config, num_hidden_layers=10**9)),
    "padding beyond the vocabulary": ("marian", partial(config, pad_token_id=10**6)),
    "a beginning beyond the vocabulary": (
        "marian",
        partial(config, decoder_start_token_id=10**6),
    ),
    "an encoder wider than the decoder": ("marian", partial(config, encoder_ffn_dim=4)),
    "no weights": ("gpt2", partial(gone, file=WEIGHTS)),
    "empty weights": ("gpt2", partial(text, file=WEIGHTS, content="")),
    "weights that are cut": ("bert", partial(cut, file=WEIGHTS)),
    "weights of bytes": ("bert", partial(noise, file=WEIGHTS)),
    "weights with a long header": ("gpt2", partial(header, length=2**62)),
    "weights with no header": ("gpt2", partial(header, length=0)),
    "a weight under another name": ("gpt2", partial(weights, change=renamed)),
    "a weight of another shape": ("llama", partial(weights, change=taller)),
    "a weight too many": ("t5", partial(weights, change=one_more)),
    "a weight of whole numbers": ("bert", partial(weights, change=a_text)),
    "weights that are no numbers": ("gpt2", partial(weights, change=not_numbers)),
    "a pickle that does something": ("gpt2", partial(pickled, content=Evil)),
    "a packed pickle that does something": ("gpt2", zipped_evil),
    "a pickle of a list": ("gpt2", partial(pickled, content=[1, 2])),
    "a pickle without weights": ("gpt2", partial(pickled, content={})),
    "shards that are not there": ("gpt2", partial(index, files={"a": "gone.safetensors"})),
    "shards elsewhere": ("gpt2", partial(index, files={"a": "../../etc/passwd"})),
    "an index that is a list": ("gpt2", partial(index, files=[1])),
    "weights that lead elsewhere": ("gpt2", partial(as_link, target="/etc/hostname")),
    "weights that lead nowhere": ("gpt2", partial(as_link, target="nowhere")),
    "no words": ("gpt2", partial(gone, file="vocab.json")),
    "no merges": ("gpt2", partial(gone, file="merges.txt")),
    "words that are a list": ("gpt2", partial(text, file="vocab.json", content="[]")),
    "words that are cut": ("gpt2", partial(cut, file="vocab.json")),
    "words with one number": ("gpt2", words_alike),
    "words of bytes": ("bert", partial(noise, file="vocab.txt")),
    "an empty list of words": ("bert", partial(text, file="vocab.txt", content="")),
    "no pieces": ("t5", partial(gone, file="spiece.model")),
    "pieces of bytes": ("t5", partial(noise, file="spiece.model")),
    "pieces that are cut": ("llama", partial(cut, file="tokenizer.model")),
    "no pieces of the source": ("marian", partial(gone, file="source.spm")),
    "pieces of the target of bytes": ("marian", partial(noise, file="target.spm")),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Kind → a whole folder of it."""
    path = tmp_path_factory.mktemp("whole")
    for kind in KINDS:
        write_folder(path / kind, kind)
    return path


def test_there_are_more_than_fifty_kinds():
    assert len(DAMAGES) > 50


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_is_refused_in_one_sentence_and_leaves_nothing(folders, tmp_path, damage):
    kind, break_it = DAMAGES[damage]
    shutil.copytree(folders / kind, tmp_path / "model")
    break_it(tmp_path / "model")
    with pytest.raises(RunError) as refused:
        list(open_model(str(tmp_path / "model"), tmp_path / "runs" / "x"))
    text = str(refused.value)
    assert len(text) > 20
    assert "Traceback" not in text
    assert text.isprintable()
    assert not [*(tmp_path / "runs").glob("*")]


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        ("a packed pickle that does something", "holds something else than weights"),
        ("a pickle that does something", "no file of torch 1.6 or later"),
        ("a pickle without weights", "there is no weight wte.weight"),
        ("positions without end", "max_position_embeddings|max_positions is 1,000,000,000, more"),
        ("words with one number", "same number|do not go together"),
    ],
)
def test_what_is_wrong_is_said_in_words_for_people(folders, tmp_path, damage, says):
    kind, break_it = DAMAGES[damage]
    shutil.copytree(folders / kind, tmp_path / "model")
    break_it(tmp_path / "model")
    with pytest.raises(RunError, match=says):
        list(open_model(str(tmp_path / "model"), tmp_path / "run"))


def test_weights_for_which_the_disk_has_no_room_are_said_to_have_none(
    folders, tmp_path, monkeypatch
):
    def full(*_):
        raise SafetensorError("Error while serializing: I/O error: No space left (os error 28)")

    monkeypatch.setattr("core.studies.opening.opening.save_file", full)
    monkeypatch.setattr("core.studies.opening.opening.LARGEST_READ", 0)
    with pytest.raises(OSError, match="No space left") as refused:
        list(open_model(str(folders / "gpt2"), tmp_path / "run"))
    assert error_text(refused.value).startswith("No space left on the disk: ")


def test_nothing_of_a_folder_was_executed(folders, tmp_path):
    shutil.copytree(folders / "gpt2", tmp_path / "model")
    pickled(tmp_path / "model", Evil)
    (tmp_path / "model" / "modeling_evil.py").write_text("raise SystemExit(7)")
    config(tmp_path / "model", auto_map={"AutoModel": "modeling_evil.Evil"})
    with pytest.raises(RunError):
        list(open_model(str(tmp_path / "model"), tmp_path / "run"))
