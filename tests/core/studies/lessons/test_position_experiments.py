import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from core.choices import CHOICES
from core.decoding.sentence import SentenceError
from core.model import build
from core.runs.checkpoint import save_weights
from core.runs.run import load_run, read_settings
from core.studies.lessons.position_experiments import (
    cosines,
    learned,
    norms,
    shuffled,
    shuffled_order,
)

GALLERY = Path(__file__).resolve().parents[4] / "gallery"
TIRED = "The animal didn't cross the street because it was too tired."


def untrained(path, trained=0, dtype=torch.float32, **settings):
    """A run whose training changed the first positions and nothing else.

    Args:
        path: Of its folder, which is made.
        trained: So many positions were changed.
        dtype: Of the weights in its file.
        settings: Of the model, where they are not those of the gallery's copy run.
    """
    shutil.copytree(GALLERY / "copy", path, ignore=shutil.ignore_patterns("checksums.json"))
    stored = json.loads((path / "run.json").read_text())
    stored["model"] |= settings
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


def with_learned_positions(path, trained, dtype=torch.float32, **settings):
    return untrained(path, trained, dtype, positions="learned", **settings)


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
    assert found.ratios == pytest.approx((8 / means[0], 8 / means[1]), rel=1e-6)


def test_without_positions_outputs_are_only_permuted(run):
    found = shuffled(run, TIRED, seed=0)
    assert found.difference_without < 1e-4
    assert found.difference_with > 0.1
    places = [found.order_S.index(place) for place in range(len(found.order_S))]
    assert found.cosines_without_SS[range(len(places)), places] == pytest.approx(1, abs=1e-6)
    assert np.abs(found.cosines_with_SS).max() <= 1 + 1e-12
    assert found.cosines_with_SS[range(len(places)), places].min() < 0.9


BLIND = {"attention", "average", "none"}
"""What may mix an encoder's words and says the same of them in whatever order they stand."""


@pytest.mark.parametrize("mixing", CHOICES["encoder_mixing"])
@pytest.mark.parametrize("positions", CHOICES["positions"])
def test_without_positions_an_encoder_notices_the_order_where_it_reads_in_order(mixing, positions):
    run = load_run(GALLERY / "copy")
    others = {"positions": positions, "encoder_mixing": mixing}
    if positions == "buckets" and mixing != "attention":
        return
    config = replace(run.settings.model, **others)
    model = build(config, seed=1).eval()
    with torch.no_grad():
        # Embeddings of distances begin with 0.
        for name, each in model.named_parameters():
            if "relative" in name:
                each.normal_(std=2.0)
    found = shuffled(replace(run, model=model), "a b c d e f", seed=0)
    assert found.notices_without == (mixing not in BLIND)
    assert (found.difference_without < 1e-4) == (mixing in BLIND)
    # Rotary positions turn queries and keys: without attention there are none.
    has_none = positions == "none" or (positions == "rotary" and mixing != "attention")
    assert found.notices_with == (found.notices_without or not has_none)


def test_the_same_seed_gives_the_same_order(run):
    assert shuffled(run, TIRED, 3).order_S == shuffled(run, TIRED, 3).order_S
    assert len({shuffled(run, TIRED, seed).order_S for seed in range(5)}) > 1


@pytest.mark.parametrize("seed", range(20))
def test_an_order_is_another_one_that_keeps_words_whole_and_eos_last(seed):
    words = [0, 0, 1, 2, 2, 2, 3]
    order = shuffled_order(words, seed)
    assert sorted(order) == list(range(7))
    assert order != tuple(range(7))
    assert order[-1] == 6
    assert [place for place in order if words[place] == 2] == [3, 4, 5]
    assert order.index(5) - order.index(3) == 2


def test_one_word_cannot_be_shuffled(run):
    assert shuffled_order([0, 0, 1], seed=0) is None
    assert shuffled(run, "animal", seed=0) is None
    with pytest.raises(SentenceError):
        shuffled(run, " ", seed=0)


def test_two_words_change_places():
    assert {shuffled_order([0, 1, 2], seed) for seed in range(9)} == {(1, 0, 2)}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_positions_that_training_never_reached_are_found(tmp_path, dtype):
    run = load_run(with_learned_positions(tmp_path / "run", 17, dtype))
    found = learned(run, 30)
    assert found.trained == 17
    table_PD = run.model.source_embedding.positions_PD.detach().double().numpy()
    assert np.array_equal(found.table_PD, table_PD[:30])
    norms_P = np.sqrt((table_PD**2).sum(axis=1))
    assert found.norms_P == pytest.approx(norms_P)
    assert found.mean_norm_trained == pytest.approx(norms_P[:17].mean())
    assert found.mean_norm_untouched == pytest.approx(norms_P[17:].mean())


def test_where_every_position_moved_nothing_is_claimed(tmp_path):
    assert learned(load_run(with_learned_positions(tmp_path / "run", 512)), 30).trained is None


def test_positions_that_nothing_was_learned_in_are_all_as_they_began(tmp_path):
    found = learned(load_run(with_learned_positions(tmp_path / "run", trained=0)), 30)
    assert found.trained == 0
    assert found.mean_norm_trained is None
    assert found.mean_norm_untouched == pytest.approx(found.norms_P.mean())


def test_sinusoids_are_no_learned_positions(run):
    with pytest.raises(ValueError, match="translate has sinusoidal positions"):
        learned(run, 10)


def test_cosines_are_dot_products_of_vectors_of_length_1():
    table_PD = np.array([[3.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    assert cosines(table_PD, 0) == pytest.approx([1, 0, np.sqrt(0.5)])
