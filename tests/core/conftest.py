import itertools
import random
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from core.batch import encode_samples
from core.config import ModelConfig
from core.config.training import TrainConfig
from core.evaluate.evaluation import evaluate
from core.jobs import job as jobs
from core.runs.run import load_run
from core.tasks import PREDICTS, TASKS, task_named
from core.tokenizer.byte_level import ByteLevelTokenizer
from core.training import prepare, trainer
from core.training.presets import Preset, with_settings

GALLERY = Path(__file__).parents[2] / "gallery"
MINIATURE = Preset(
    ModelConfig(
        vocab_size=290,
        n_encoder_layers=2,
        n_decoder_layers=1,
        d_model=16,
        d_ff=32,
        n_heads=2,
        dropout=0.1,
        norm="pre",
        max_positions=112,
    ),
    TrainConfig(steps=30, batch_size=8, warmup=10, evaluate_every=15, checkpoint_every=15),
    vocab_size=290,
)


def until(condition):
    """Wait until something holds; the limit only ends a test that would never end."""
    deadline = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def draw_few(patch):
    """Let trainings draw few samples beside their batches, so that they are soon done."""
    patch.setattr(prepare, "TOKENIZER_SAMPLES", 300)
    patch.setattr(trainer, "EVALUATION_SAMPLES", 10)
    # What is hardly trained writes long sentences.
    patch.setattr(trainer, "evaluate", partial(evaluate, n=100))


def prepared(path, task="copy", **training):
    config = replace(MINIATURE.training, **training)
    preset = replace(MINIATURE, training=config)
    found = task_named(task) if isinstance(task, str) else task
    prepare.prepare_run(path, found, "miniature", preset, "python -m core train …")
    return path


def trained(path, task="copy", **training):
    with pytest.MonkeyPatch.context() as patch:
        draw_few(patch)
        for _ in trainer.train_run(prepared(path, task, **training)):
            pass
    return path


@pytest.fixture
def few_samples(monkeypatch):
    draw_few(monkeypatch)


@pytest.fixture(scope="session")
def miniature():
    """The sizes and settings of the smallest trainings."""
    return MINIATURE


@pytest.fixture(name="prepare")
def prepare_fixture(few_samples):
    """Return a function that makes a run folder of a miniature, with some settings changed."""
    return prepared


@pytest.fixture(scope="session")
def copy_folder(tmp_path_factory):
    """A finished run of the copy task; nobody may change it."""
    return trained(tmp_path_factory.mktemp("runs") / "copy")


@pytest.fixture(scope="session")
def copy_run(copy_folder):
    return load_run(copy_folder)


@pytest.fixture(scope="session")
def parallel_folder(tmp_path_factory):
    """A finished run with a parallel decoder; nobody may change it."""
    path = tmp_path_factory.mktemp("runs") / "parallel"
    with pytest.MonkeyPatch.context() as patch:
        draw_few(patch)
        preset = replace(
            MINIATURE,
            model=replace(MINIATURE.model, decoder="parallel"),
            training=replace(MINIATURE.training, steps=6),
        )
        prepare.prepare_run(path, TASKS["either"], "miniature", preset, "python -m core train …")
        for _ in trainer.train_run(path):
            pass
    return path


@pytest.fixture(scope="session")
def parallel_run(parallel_folder):
    return load_run(parallel_folder)


@pytest.fixture(scope="session", params=["tag", "classify"])
def labelling_folder(request, tmp_path_factory):
    """A measured run of an encoder alone that predicts labels; nobody may change it."""
    path = tmp_path_factory.mktemp("runs") / request.param
    with pytest.MonkeyPatch.context() as patch:
        draw_few(patch)
        preset = with_settings(MINIATURE, {"predicts": PREDICTS[request.param], "steps": 3})
        task = TASKS[request.param]
        prepare.prepare_run(path, task, "miniature", preset, "python -m core train …")
        for _ in trainer.complete_run(path):
            pass
    return path


@pytest.fixture(scope="session")
def translation_folder(tmp_path_factory):
    """A finished run of the translation task, guided; nobody may change it."""
    path = tmp_path_factory.mktemp("runs") / "translation"
    return trained(path, "translate", steps=6, guide="encoder.1.self:0")


@pytest.fixture(scope="session")
def translation_run(translation_folder):
    return load_run(translation_folder)


@pytest.fixture(scope="session")
def guided():
    """The gallery's translator with a guided head; nobody may change it."""
    return load_run(GALLERY / "translate-guided")


@pytest.fixture(scope="session")
def everyday():
    return load_run(GALLERY / "everyday")


@pytest.fixture(scope="session")
def tokenizer():
    """A tokenizer with some hundred merges, learned from translations."""
    samples = itertools.islice(TASKS["translate"].training_samples(random.Random(5)), 1500)
    texts = [text for sample in samples for text in (sample.source, sample.target)]
    return ByteLevelTokenizer.train(texts, 600)


@pytest.fixture(scope="session")
def translations():
    """Translation samples, about half of them with pronouns."""
    return TASKS["translate"].held_out_samples(300, seed=3)


@pytest.fixture(scope="session")
def translation_pairs(tokenizer, translations):
    return encode_samples(tokenizer, translations)


@pytest.fixture
def folder(tmp_path):
    """An empty folder; processes that were started to work on it are ended after the test."""
    path = tmp_path / "folder"
    path.mkdir()
    yield path
    for at, job in list(jobs._started):
        if at.is_relative_to(tmp_path.resolve()):
            child = jobs._started.pop((at, job))
            child.kill()
            child.wait()
