"""Files in which something is another: a sentence says what, or all is well.

Never a traceback, and nothing takes for ever or gigabytes. The mutations are drawn from a seed.
"""

import json
import os
import random
import resource
import shutil
import signal

import pytest
import torch

from core.config import ConfigError
from core.library.checkpoint import OpeningError, read_checkpoint
from core.library.reading import load_library_model
from core.library.tokenizer import tokenizer_files
from core.runs.checkpoint import CheckpointError
from core.runs.metrics import read_record
from core.runs.run import RunError, load_run
from core.studies.opening.survey import survey
from core.tokenizer.bpe_json import TokenizerError
from core.tokenizer.fast_tokenizer import FILE, FastTokenizer
from core.tokenizer.opened import opened_tokenizers
from core.training.process import situation
from tests.core.library.folders import write_folder
from tests.core.library.random_models import drawn
from tests.core.library.test_gguf import SIZES, write
from tests.core.mutated_json import mutated

N = int(os.environ.get("MUTATIONS", "25"))
"""Of each file."""
SEED = int(os.environ.get("SEED", "34"))
TEXT = "The animal was tired."
SECONDS = 20
MOST_MEMORY = 500 << 20
"""Bytes by which the process may grow."""
SENTENCES = (RunError, CheckpointError, ConfigError, OpeningError, TokenizerError)


@pytest.fixture(autouse=True)
def _bounded():
    def hang(*_):
        raise TimeoutError("it hangs")

    before, memory = signal.signal(signal.SIGALRM, hang), peak()
    yield
    signal.signal(signal.SIGALRM, before)
    assert peak() - memory < MOST_MEMORY


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def what_is_wrong(read, *arguments):
    """Return what is wrong with how a reader answers; nothing where it is right."""
    signal.alarm(SECONDS)
    try:
        read(*arguments)
    except SENTENCES as error:
        said = str(error)
        return "" if 10 < len(said) < 1000 and "\n" not in said else f"no sentence: {said:.300}"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"{type(error).__name__}: {error!s:.200}"
    finally:
        signal.alarm(0)
    return ""


def judged(stored, *readers):
    """Return what is wrong with how readers take mutations of a JSON value."""
    rng, found = random.Random(SEED), []
    for _ in range(N):
        text, what = mutated(rng, stored)
        for read in readers:
            if why := what_is_wrong(read, text):
                found.append(f"{what}: {why}")
    return "\n".join(found)


def test_the_settings_of_a_run(copy_folder, tmp_path):
    path = shutil.copytree(copy_folder, tmp_path / "run")

    def written(read):
        def of(text):
            (path / "run.json").write_text(text)
            read(path)

        return of

    stored = json.loads((path / "run.json").read_text())
    readers = read_record, load_run, lambda path: load_run(path, 0)
    assert not judged(stored, *map(written, readers))


@pytest.mark.parametrize("name", ["evaluation.json", "metrics.jsonl", "status.json"])
def test_the_figures_of_a_run(copy_folder, tmp_path, name):
    path = shutil.copytree(copy_folder, tmp_path / "run")
    figures = {"exact_match": 0.5, "n": 9, "seed": 0, "step": 30, "loss": 1.0, "bleu": 9.0}
    stored = {
        "evaluation.json": {
            **figures,
            "own_pairs": figures,
            "pronoun": {"accuracy": 0.5, "n": 3, "baselines": {"first_noun": 0.5}},
            "heads": [
                {"head": "decoder.0.cross:0", "score": 1, "baseline": 0, "silenced_accuracy": 0.5}
            ],
        },
        "metrics.jsonl": {"step": 30, "seconds": 1.5, "held_out_loss": 1.0, "held_out_n": 3},
        "status.json": {"state": "finished", "step": 30, "message": "x", "pid": 1},
    }[name]

    def read(text):
        (path / name).write_text(text + "\n")
        read_record(path)
        load_run(path)
        situation(path)

    assert not judged(stored, read)


@pytest.mark.parametrize(
    "kind",
    [
        "gpt2",
        *(
            pytest.param(kind, marks=pytest.mark.slow)
            for kind in ("bert", "llama", "llama3", "t5", "marian")
        ),
    ],
)
def test_the_settings_of_a_model(tmp_path, kind):
    write_folder(tmp_path / kind, kind)
    whole = read_checkpoint(tmp_path / kind)

    def read(text):
        model = load_library_model(json.loads(text), whole.weights)
        ids = torch.tensor([[3]])
        with torch.no_grad():
            memory = model.encode(ids) if model.config.n_encoder_layers else None
            found = memory if model.config.is_encoder_only else model.decode(ids, memory, None)
        assert found.isfinite().all()

    assert not judged(json.loads((tmp_path / kind / "config.json").read_text()), read)


def used(tokenizer):
    """Use a tokenizer as the app does."""
    assert len(tokenizer.encode(TEXT).ids) < 100
    assert len(tokenizer.normalise(TEXT)) < 100
    assert len(tokenizer.decode(range(tokenizer.vocab_size))) < 100_000
    tokenizer.files()


@pytest.mark.parametrize("kind", ["bert", "gpt2", "llama3"])
def test_the_tokenizer_of_a_model(tmp_path, kind):
    config = write_folder(tmp_path / kind, kind).config
    files = tokenizer_files(tmp_path / kind, config.to_dict(), config.vocab_size)
    stored = json.loads(files[FILE])
    assert not judged(stored, lambda text: used(FastTokenizer(text, config.vocab_size)))


@pytest.mark.parametrize("kind", ["gpt2", "marian"])
def test_the_vocabulary_of_a_model(tmp_path, kind):
    n = write_folder(tmp_path / kind, kind).config.vocab_size
    told = json.loads((tmp_path / kind / "config.json").read_text())
    file = tmp_path / kind / "vocab.json"

    def read(text):
        file.write_text(text)
        files = tokenizer_files(tmp_path / kind, told, n)
        for tokenizer in opened_tokenizers(files, n, n, -1):
            used(tokenizer)

    assert not judged(json.loads(file.read_text()), read)


def test_the_head_of_a_gguf_file(tmp_path):
    file = write(tmp_path / "small.gguf", drawn("llama", **SIZES))
    whole, rng, found = file.read_bytes(), random.Random(SEED), []
    numbers = [(0).to_bytes(8), (1 << 60).to_bytes(8, "little"), b"\xff" * 8, b"\x09\0\0\0" * 2]
    for _ in range(N):
        content, at = bytearray(whole), rng.randrange(800)
        change = rng.choice([*numbers, rng.randbytes(4), rng.randbytes(1)])
        content[at : at + len(change)] = change
        file.write_bytes(content)
        for read in (survey, read_checkpoint):
            if why := what_is_wrong(read, file):
                found.append(f"{change.hex()} at {at}: {why}")
    assert not found, "\n".join(found)
