"""A sentence decoded both ways as one record, and its table."""

from pathlib import Path

import pytest
import torch

from core.decoding.choosing import Greedy
from core.decoding.generate import Forced, decode
from core.evaluate.side_by_side import decode_both_ways, decode_sentence
from core.inspection import inspect_sentence
from core.runs.run import load_run

GALLERY = Path(__file__).resolve().parents[3] / "gallery"

TIRED = "The animal didn't cross the street because it was too tired."


@pytest.fixture(scope="module")
def run():
    return load_run(GALLERY / "translate-guided")


def test_fed_what_it_writes_itself_both_sides_take_the_same_steps(run):
    inspection = inspect_sentence(run, TIRED)
    own = inspection.translation
    free = decode_sentence(run, inspection, Greedy())
    found = decode_both_ways(run, inspection, free, own.target_ids)
    by_itself = decode(run.model, own.source_ids, Forced(own.target_ids))
    for one, other in zip(found.forced, by_itself, strict=True):
        assert (one.prefix, one.chosen) == (other.prefix, other.chosen)
        torch.testing.assert_close(one.logits_V, other.logits_V)
    assert set(found.divergence) == {0.0}
    assert found.first_difference is None
    # As where the limit comes before EOS: what was cut off is forced to its end.
    cut = decode_both_ways(run, inspection, free[:-1], own.target_ids)
    assert (len(cut.free), len(cut.forced)) == (len(own.target_ids), len(own.target_ids) + 1)
    assert cut.first_difference == len(cut.free)


def test_the_table_has_a_row_for_each_number_of_each_step(run):
    inspection = inspect_sentence(run, "The dog slept.")
    free = decode_sentence(run, inspection, Greedy(), ((0, 9),))
    assert free[0].chosen == 9
    found = decode_both_ways(run, inspection, free, (5, 6))
    table = found.table()
    rows = list(zip(*table.values(), strict=True))
    entropies = [row[-1] for row in rows if row[:3:2] == ("free", "entropy")]
    assert entropies == pytest.approx([step.entropy for step in free])
    ranks = [row[-1] for row in rows if row[:3:2] == ("forced", "true_rank")]
    assert ranks == [step.rank(step.chosen) for step in found.forced]
    for step in range(len(found.forced)):
        weights = [row for row in rows if row[:3] == ("forced", step, "weight")]
        per_head = {}
        for _side, _step, _number, site, head, _at, _token, weight in weights:
            per_head.setdefault((site, head), []).append(weight)
        assert all(sum(each) == pytest.approx(1, abs=1e-5) for each in per_head.values())
    alone = decode_both_ways(run, inspection, free)
    assert set(alone.table()["side"]) == {"free"}
    assert not {"true_rank", "divergence"} & set(alone.table()["number"])
