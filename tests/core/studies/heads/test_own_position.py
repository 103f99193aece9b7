import numpy as np
import pytest
import torch

from core.evaluate.evaluation import held_out_pairs
from core.heads import Kind
from core.model import Record, Step
from core.runs.run import load_run
from core.studies.heads.own_position import count_own, own_position
from tests.escaping_texts import ROOT

N = 12


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate-guided")


@torch.inference_mode()
def maps(run, pair, kind):
    """Yield each head's map of one sentence alone, and what it may see."""
    record = Record()
    run.model(torch.tensor([pair.source]), torch.tensor([pair.target[:-1]]), record)
    for site in run.model.sites():
        if site.attention is kind:
            weights_HKK = record.weights(site)[0].numpy()
            visible_KK = record.tensors[site, Step.VISIBLE][0].numpy()
            for weights_KK in weights_HKK:
                yield weights_KK, np.broadcast_to(visible_KK, weights_KK.shape)


@pytest.mark.parametrize("kind", [Kind.ENCODER_SELF, Kind.DECODER_SELF])
def test_rows_are_counted_as_one_by_one_in_the_maps_of_each_sentence(run, kind):
    found = own_position(run, kind, n=N)
    rows = [
        (weights_KK[row].argmax() == row, 1 / visible_KK[row].sum())
        for pair in held_out_pairs(run, N, 0)
        for weights_KK, visible_KK in maps(run, pair, kind)
        for row in range(len(visible_KK))
        if visible_KK[row].sum() > 1
    ]
    assert (found.n_rows, found.n_sentences) == (len(rows), N)
    assert found.n_own == sum(own for own, _chance in rows)
    assert found.share == found.n_own / len(rows)
    assert found.chance == pytest.approx(np.mean([chance for _own, chance in rows]), rel=1e-6)


def test_between_source_and_target_no_position_is_its_own(run):
    with pytest.raises(ValueError, match="no such self-attention"):
        count_own(run.model, Kind.CROSS, [])
