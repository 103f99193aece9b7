import pickle
import random
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from core.config import ModelConfig
from core.config.training import TrainConfig
from core.model import build
from core.runs.checkpoint import (
    CheckpointError,
    load_model,
    load_state,
    newest_checkpoint,
    save_rounded,
    save_state,
    save_weights,
    weights_at,
)
from core.runs.run import load_run
from core.training.loop import make_optimizer

CONFIG = ModelConfig(20, n_encoder_layers=1, n_decoder_layers=1, d_model=8, d_ff=8, n_heads=2)


class Bomb:
    """Unpickling it would make a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


@pytest.fixture
def weights(tmp_path):
    path = tmp_path / "step-00000001.safetensors"
    save_weights(build(CONFIG, seed=3), path)
    return path


def trained(seed=0):
    """A model and an optimizer that has taken a step."""
    model = build(CONFIG, seed)
    optimizer = make_optimizer(model, TrainConfig())
    ids = torch.tensor([[5, 6, 2]])
    model(ids, ids).square().mean().backward()
    optimizer.step()
    return model, optimizer


@pytest.mark.parametrize("kind", ["weights", "rounded", "state"])
def test_every_flipped_bit_and_zeroed_part_is_found(tmp_path, kind):
    model, optimizer = trained()
    file, rng = tmp_path / "file.safetensors", random.Random(0)
    write = {"weights": save_weights, "rounded": save_rounded}.get(kind)
    write(model, file) if write else save_state(optimizer, file)
    content = file.read_bytes()
    n_header = 8 + int.from_bytes(content[:8], "little")

    def read():
        if kind == "state":
            load_state(trained(seed=1)[1], file)
        else:
            load_model(file, CONFIG)

    read()
    for number in range(48):
        damaged, at = bytearray(content), rng.randrange(n_header, len(content))
        if number % 2:
            damaged[at] ^= 1 << rng.randrange(8)
        else:
            damaged[at - 64 : at] = bytes(64)
        if damaged == content:
            continue
        file.write_bytes(damaged)
        with pytest.raises(CheckpointError, match=file.name):
            read()


def test_a_file_without_a_checksum_is_read(tmp_path):
    model, _ = trained()
    save_file({name: each.detach() for name, each in model.saved().items()}, tmp_path / "old")
    assert load_model(tmp_path / "old", CONFIG).config == CONFIG


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_weights_of_a_training_that_diverged_are_refused(tmp_path, value):
    model = build(CONFIG, seed=3)
    name, parameter = next(iter(model.named_parameters()))
    with torch.no_grad():
        parameter[0, 0] = value
    save_weights(model, tmp_path / "weights.safetensors")
    with pytest.raises(CheckpointError, match=f"{name} holds NaN or infinity"):
        load_model(tmp_path / "weights.safetensors", CONFIG)


@pytest.mark.parametrize(
    "write", [lambda content, path: path.write_bytes(pickle.dumps(content)), torch.save]
)
def test_pickle_is_refused_and_nothing_in_it_is_run(weights, tmp_path, write):
    made = tmp_path / "made"
    write(Bomb(made), weights)
    for load in (lambda: load_model(weights, CONFIG), lambda: load_state(trained()[1], weights)):
        with pytest.raises(CheckpointError, match=weights.name):
            load()
    assert not made.exists()
    # The bomb itself works.
    pickle.loads(pickle.dumps(Bomb(made)))
    assert made.exists()


def test_rounded_weights_are_close_and_small(tmp_path, copy_run):
    save_rounded(copy_run.model, tmp_path / "rounded.safetensors")
    save_weights(copy_run.model, tmp_path / "whole.safetensors")
    rounded = load_model(tmp_path / "rounded.safetensors", copy_run.settings.model)
    for name, exact in copy_run.model.named_parameters():
        found = dict(rounded.named_parameters())[name]
        largest = exact.abs().amax(dim=-1, keepdim=True)
        slack = 1.001 / 254 if exact.dim() > 1 else 0
        assert ((found - exact).abs() <= largest * slack).all(), name
    sizes = [(tmp_path / f"{name}.safetensors").stat().st_size for name in ("rounded", "whole")]
    assert sizes[0] < 0.75 * sizes[1]


@pytest.fixture
def folder(copy_folder, tmp_path):
    return shutil.copytree(copy_folder, tmp_path / "run")


def test_step_0_is_the_model_as_its_seed_makes_it(folder):
    run = load_run(folder, 0)
    fresh = build(run.settings.model, run.settings.training.seed)
    for name, weights in fresh.named_parameters():
        assert torch.equal(weights, dict(run.model.named_parameters())[name])


def test_the_exact_weights_of_a_step_come_before_the_rounded_ones(folder):
    checkpoint = newest_checkpoint(folder)
    rounded = folder / "snapshots" / checkpoint.name
    save_rounded(load_run(folder).model, rounded)
    assert weights_at(folder, 30) == checkpoint
    checkpoint.unlink()
    assert weights_at(folder, 30).parent.name in ("best", "snapshots")
