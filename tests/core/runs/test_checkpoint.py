import pickle
import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

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
    stops,
    weights_at,
)
from core.runs.run import load_run, read_settings
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


@pytest.mark.parametrize("tied", [True, False])
def test_weights_come_back_as_they_were(tmp_path, tied):
    model = build(replace(CONFIG, tied=tied), seed=3)
    save_weights(model, tmp_path / "weights.safetensors")
    again = load_model(tmp_path / "weights.safetensors", model.config)
    assert not again.training
    for name, parameter in model.named_parameters():
        assert torch.equal(again.get_parameter(name), parameter)
    ids = torch.tensor([[5, 6, 2]])
    assert torch.equal(again(ids, ids), model.eval()(ids, ids))


class Counted(torch.nn.Module):
    """A norm with numbers that nobody learns: means, and how often they were taken."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean_D", torch.zeros(8))
        self.register_buffer("n_seen", torch.tensor(0))
        self.register_buffer("scratch", torch.zeros(3), persistent=False)

    def forward(self, x_BKD):
        return x_BKD - self.mean_D


@pytest.fixture
def with_buffers(monkeypatch):
    """Models have such a norm above their decoder."""

    def built(config, seed=0):
        model = build(config, seed)
        model.decoder_norm = Counted()
        return model

    for name in ("unfilled", "outline"):
        monkeypatch.setattr(f"core.runs.checkpoint.{name}", built)
    model = built(CONFIG, seed=3)
    model.decoder_norm.mean_D += torch.linspace(0.1, 0.7, 8)
    model.decoder_norm.n_seen += 2**40 + 1
    return model


@pytest.mark.parametrize("save", [save_weights, save_rounded])
def test_persistent_buffers_are_kept_exactly_and_others_are_not(tmp_path, with_buffers, save):
    save(with_buffers, tmp_path / "weights.safetensors")
    kept = load_file(tmp_path / "weights.safetensors")
    assert {"decoder_norm.mean_D", "decoder_norm.n_seen"} <= set(kept)
    assert "decoder_norm.scratch" not in kept
    again = load_model(tmp_path / "weights.safetensors", CONFIG)
    assert torch.equal(again.decoder_norm.mean_D, with_buffers.decoder_norm.mean_D)
    assert again.decoder_norm.n_seen == 2**40 + 1


def test_an_optimizer_comes_back_as_it_was(tmp_path):
    _, optimizer = trained()
    save_state(optimizer, tmp_path / "state.safetensors")
    _, other = trained(seed=1)
    load_state(other, tmp_path / "state.safetensors")
    stored, restored = optimizer.state_dict()["state"], other.state_dict()["state"]
    assert stored.keys() == restored.keys()
    for parameter, values in stored.items():
        for name, value in values.items():
            assert torch.equal(restored[parameter][name], value)


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


def test_missing_file_is_named(tmp_path):
    with pytest.raises(CheckpointError, match=r"none\.safetensors is missing"):
        load_model(tmp_path / "none.safetensors", CONFIG)
    with pytest.raises(CheckpointError, match=r"none\.safetensors is missing"):
        load_state(trained()[1], tmp_path / "none.safetensors")


@pytest.mark.parametrize(
    "other",
    [{"d_model": 16}, {"n_encoder_layers": 2}, {"tied": False}],
)
def test_weights_of_another_configuration_are_refused(weights, other):
    with pytest.raises(CheckpointError, match=f"{weights.name} holds other weights"):
        load_model(weights, replace(CONFIG, **other))


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


def test_a_run_can_be_loaded_at_every_stop(folder):
    snapshots = {1, 2, 5, 10, 20}
    assert {0, *snapshots, 30} <= set(stops(folder))
    for step in stops(folder):
        assert load_run(folder, step).step == step


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


def test_a_run_with_patience_opens_with_its_best_weights(prepare, tmp_path):
    for patience, opened in ((0, 20), (2, 10)):
        path = prepare(tmp_path / str(patience), patience=patience)
        model = build(read_settings(path).model)
        for folder, step in (("checkpoints", 20), ("best", 10)):
            (path / folder).mkdir()
            save_weights(model, path / folder / f"step-{step:08d}.safetensors")
        (path / "words.txt").write_text("a")
        assert load_run(path).step == opened
