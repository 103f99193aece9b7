"""Folders that are damaged, hostile or unknown: one sentence each, and nothing is left."""

import json
import pickle
import re
import shutil
import struct
import zipfile
from functools import partial

import numpy as np
import pytest
import torch
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from core.library.checkpoint import MOST_WEIGHTS
from core.messages import error_text
from core.runs.files import about
from core.runs.folder import INCOMING
from core.runs.run import RunError
from core.studies.opening.opening import open_model
from tests.core.library.folders import write_folder

KINDS = ("bert", "gpt2", "llama", "t5", "marian")
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


def taller(found):
    name = next(each for each, values in found.items() if values.ndim == 2)
    found[name] = np.concatenate([found[name], found[name]])


def not_numbers(found):
    name = next(each for each, values in found.items() if values.ndim == 2)
    found[name] = np.full_like(found[name], np.nan)


def huge(found):
    name = next(each for each, values in found.items() if values.ndim == 2)
    found[name] = np.full_like(found[name], 3e38)


class Evil:
    """What a pickle may do."""

    def __reduce__(self):
        return (exec, ("raise SystemExit(7)",))


def complex_numbers(found):
    found["extra"] = np.zeros(2, np.complex64)


def eight_bits(folder):
    """Write weights of eight bits, whose scales stand in weights of their own."""
    config(folder, quantization_config={"quant_method": "bitsandbytes", "load_in_8bit": True})
    weights(folder, lambda found: found.update({n: x.astype(np.int8) for n, x in found.items()}))


def many(found):
    found.update({str(number): np.zeros(0) for number in range(MOST_WEIGHTS)})


def repacked(folder, change):
    """Write weights as torch does, with other bytes in its archive."""
    tensors = {name: torch.from_numpy(x) for name, x in load_file(folder / WEIGHTS).items()}
    pickled(folder, tensors)
    file = folder / "pytorch_model.bin"
    with zipfile.ZipFile(file) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, change(name.rpartition("/")[2], content))


def other_byte_order(name, content):
    return b"big" if name == "byteorder" else content


def bytes_without_end(name, content):
    """Return a pickle that asks for 2 GB; those who read weights only know bytearray, too."""
    asks = b"\x80\x02cbuiltins\nbytearray\nJ\xff\xff\xff\x7f\x85R."
    return asks if name == "data.pkl" else content


def pickled(folder, content):
    (folder / WEIGHTS).unlink()
    if content is Evil:
        (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"a": Evil()}))
    else:
        torch.save(content, folder / "pytorch_model.bin")


def header(folder, length):
    """Say that the header of the weights is as long as no file."""
    content = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(struct.pack("<Q", length) + content[8:])


def as_link(folder, target, file=WEIGHTS):
    (folder / file).unlink()
    (folder / file).symlink_to(target)


# One of each kind of fault.
DAMAGES = {
    "no config": ("gpt2", partial(gone, file="config.json"), "no config.json"),
    "a config that is a list": ("gpt2", partial(text, file="config.json", content="[]"), "list"),
    "an unknown kind": ("bert", partial(config, model_type="nonesuch"), "'nonesuch', which"),
    "heads that do not divide": ("gpt2", partial(config, n_head=7), "divisible by num_heads"),
    "more layers than the weights": (
        "gpt2",
        partial(config, n_layer=9),
        "h.2.* is missing",
    ),
    "rotation that nobody knows": (
        "llama",
        partial(config, rope_parameters={"rope_type": "nonesuch", "factor": 4.0}),
        "cannot make this model: 'nonesuch'",
    ),
    "padding beyond the vocabulary": (
        "marian",
        partial(config, pad_token_id=10**6),
        "Padding_idx",
    ),
    "no weights": ("gpt2", partial(gone, file=WEIGHTS), "there are no weights"),
    "weights that are cut": ("bert", partial(cut, file=WEIGHTS), "safetensors"),
    "weights with a long header": ("gpt2", partial(header, length=2**62), "safetensors"),
    "a weight of another shape": ("llama", partial(weights, change=taller), "has another shape"),
    "weights that are no numbers": (
        "gpt2",
        partial(weights, change=not_numbers),
        "NaN or infinity",
    ),
    "weights that are too large": ("gpt2", partial(weights, change=huge), "make NaN"),
    "a pickle that does something": (
        "gpt2",
        partial(pickled, content=Evil),
        "no file of torch 1.6 or later",
    ),
    "a packed pickle that does something": (
        "gpt2",
        partial(pickled, content={"a": Evil()}),
        "holds something else than weights",
    ),
    "weights that lead elsewhere": ("gpt2", partial(as_link, target="/etc/hostname"), "leads out"),
    "a model in another": ("bert", partial(config, decoder="x"), "cannot be read by it"),
    "a size that is a word": ("gpt2", partial(config, n_embd="x"), "'n_embd'.* expected int"),
    "complex weights": ("gpt2", partial(weights, change=complex_numbers), "of type complex64"),
    "weights without their scales": ("gpt2", eight_bits, "of type int8"),
    "weights of many names": ("gpt2", partial(weights, change=many), "more than 32,768"),
    "bytes in another order": ("gpt2", partial(repacked, change=other_byte_order), "make NaN"),
    "a pickle of 2 GB": ("gpt2", partial(repacked, change=bytes_without_end), "MemoryError"),
    "more words than the model has": (
        "bert",
        partial(text, file="vocab.txt", content="word\n" * (1 << 20)),
        "is larger than 4 MiB",
    ),
    "a link to itself": (
        "gpt2",
        partial(as_link, target="config.json", file="config.json"),
        "symbolic links",
    ),
    "no words": ("bert", partial(gone, file="vocab.txt"), "there is no tokenizer"),
    "no merges": ("gpt2", partial(gone, file="merges.txt"), "`vocab` and `merges`"),
    "a tokenizer that is cut": (
        "llama",
        partial(text, file="tokenizer.json", content='{"model"'),
        "the tokenizer in .* cannot be read",
    ),
    "pieces of bytes": ("t5", partial(noise, file="spiece.model"), "no SentencePiece model"),
}
"""Damage → the kind of model, what does the damage, and a part of the message."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Kind → a whole folder of it."""
    path = tmp_path_factory.mktemp("whole")
    for kind in KINDS:
        write_folder(path / kind, kind)
    return path


# Each is read in a process of its own.
SLOW = (
    *("a pickle that does something", "a packed pickle that does something"),
    *("bytes in another order", "a pickle of 2 GB"),
)


@pytest.mark.parametrize(
    "damage",
    [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in DAMAGES],
)
def test_a_damaged_folder_is_refused_in_one_sentence_and_leaves_nothing(folders, tmp_path, damage):
    kind, break_it, sentence = DAMAGES[damage]
    shutil.copytree(folders / kind, tmp_path / "model")
    break_it(tmp_path / "model")
    with pytest.raises(RunError, match=f"model cannot be opened: .*({sentence})") as refused:
        list(open_model(str(tmp_path / "model"), tmp_path / "runs" / "x"))
    text = str(refused.value)
    assert "Traceback" not in text
    assert text.isprintable()
    assert not [*(tmp_path / "runs").glob("*")]


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


def test_a_refusal_names_what_the_user_knows_and_no_folder_that_is_soon_gone(
    folders, tmp_path, monkeypatch
):
    def damaged(path):
        raise about(path, "it is damaged")

    run = tmp_path / "run"
    monkeypatch.setattr("core.studies.opening.opening.load_run", damaged)
    with pytest.raises(RunError, match=f"^{re.escape(str(run))}: it is damaged$"):
        list(open_model(str(folders / "gpt2"), run))
    shutil.copytree(folders / "gpt2", tmp_path / "m", ignore=shutil.ignore_patterns(WEIGHTS))
    file = shutil.make_archive(str(tmp_path / "model"), "zip", tmp_path / "m")
    with pytest.raises(RunError, match=f"no weights in {re.escape(file)};") as refused:
        list(open_model(file, run))
    assert INCOMING not in str(refused.value)
