import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.config import ModelConfig
from core.model import build
from core.model.positional import sinusoids
from core.runs.checkpoint import save_weights
from core.runs.run import load_run, read_settings
from core.studies.lessons.positions import Sinusoids, learned, norms, rotation, shuffled
from tests.core.conftest import GALLERY

TIRED = "The animal didn't cross the street because it was too tired."


def formula(position, d_model, base=10000.0):
    """The paper's formula, number by number."""
    found = np.empty(d_model)
    for pair in range(d_model // 2):
        angle = position / base ** (2 * pair / d_model)
        found[2 * pair : 2 * pair + 2] = np.sin(angle), np.cos(angle)
    return found


@pytest.mark.parametrize("base", [1, 10, 10_000, 100_000])
def test_the_table_is_the_formula_to_the_last_digits(base):
    table_PD = Sinusoids(64, 512, base).encodings()
    assert table_PD.dtype == np.float64
    expected = np.stack([formula(position, 64, base) for position in range(512)])
    assert np.abs(table_PD - expected).max() < 1e-12
    assert sinusoids(512, 64, base).numpy() == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("shift", [0, 1, 5, -5, 49, 60, -300, 100_000])
def test_one_matrix_takes_every_position_k_places_on(shift):
    found = rotation(Sinusoids(64, 50), 20, shift)
    assert found.error < 1e-9
    assert found.before_D == pytest.approx(formula(20, 64), abs=1e-12)
    assert found.wanted_D == pytest.approx(formula(20 + shift, 64), abs=1e-9)
    assert found.after_D == pytest.approx(found.matrix_DD @ found.before_D, abs=1e-12)
    assert np.abs(found.matrix_DD @ found.matrix_DD.T - np.eye(64)).max() < 1e-12


def with_learned_positions(path, trained, dtype=torch.float32, **settings):
    """A run whose training changed the first of its learned positions, and nothing else."""
    shutil.copytree(GALLERY / "copy", path)
    stored = json.loads((path / "run.json").read_text())
    stored["model"] |= {"positions": "learned", **settings}
    (path / "run.json").write_text(json.dumps(stored))
    # It may speak of heads that this model does not have.
    (path / "evaluation.json").unlink()
    read = read_settings(path)
    model = build(read.model, read.training.seed)
    with torch.no_grad():
        model.source_embedding.positions_PD[:trained] += 1.0
    [weights] = (path / "checkpoints").glob("*.safetensors")
    save_weights(model, weights, dtype)
    return path


@pytest.fixture(scope="module")
def run():
    return load_run(GALLERY / "translate")


def test_norms_are_those_of_the_two_summands(run):
    found = norms(run, TIRED)
    ids = [*run.tokenizer.encode(TIRED).ids, 2]
    vectors_SD = run.model.source_embedding.tokens.weight.detach().double().numpy()[ids]
    plain_S = np.sqrt((vectors_SD**2).sum(axis=1))
    assert found.plain_S == pytest.approx(plain_S, rel=1e-6)
    assert found.scaled_S == pytest.approx(plain_S * np.sqrt(128), rel=1e-6)
    assert found.positions_S == pytest.approx(np.full(len(ids), 8.0), rel=1e-6)
    assert [token.text for token in found.tokens][-1] == "EOS"
    means = plain_S.mean(), plain_S.mean() * np.sqrt(128), 8.0
    assert found.means == pytest.approx(means, rel=1e-6)


BLIND = {"attention", "average", "none"}
"""What may mix an encoder's words and says the same of them in whatever order they stand."""


@pytest.mark.parametrize("mixing", ModelConfig.choices()["encoder_mixing"])
def test_without_positions_an_encoder_notices_the_order_where_it_reads_in_order(mixing):
    run = load_run(GALLERY / "copy")
    for positions in ModelConfig.choices()["positions"]:
        if positions == "buckets" and mixing != "attention":
            continue
        config = replace(run.settings.model, positions=positions, encoder_mixing=mixing)
        model = build(config, seed=1).eval()
        with torch.no_grad():
            # Embeddings of distances, and fixed weights, begin with 0.
            for name, each in model.named_parameters():
                if "relative" in name or "scores_HPP" in name:
                    each.normal_(std=2.0)
        found = shuffled(replace(run, model=model), "a b c d e f", seed=0)
        assert found.notices_without == (mixing not in BLIND), positions
        # Rotary positions turn queries and keys: without attention there are none.
        has_none = positions == "none" or (positions == "rotary" and mixing != "attention")
        assert found.notices_with == (found.notices_without or not has_none), positions


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_positions_that_training_never_reached_are_found(tmp_path, dtype):
    run = load_run(with_learned_positions(tmp_path / "run", 17, dtype))
    found = learned(run, 30)
    assert found.trained == 17
    table_PD = run.model.source_embedding.positions_PD.detach().double().numpy()
    assert np.array_equal(found.table_PD, table_PD[:30])
