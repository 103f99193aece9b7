"""Which heads carry the difference between two sentences."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from core.batch import pad
from core.decoding.generate import generate
from core.heads import Head, Site
from core.model import Patch, Record, Step
from core.runs.run import load_run
from core.studies.effects.patching import patching_study
from core.studies.effects.second_sentence import PatchingError
from core.studies.heads.question import heads_of
from core.vocabulary import EOS

GALLERY = Path(__file__).parents[4] / "gallery"
TIRED = "The animal didn't cross the street because it was too tired."
WIDE = "The animal didn't cross the street because it was too wide."
GUIDED = Head(Site("encoder", 2, "self"), 0)


@pytest.fixture(scope="module")
def run():
    return load_run(GALLERY / "translate-guided")


@pytest.fixture(scope="module")
def study(run):
    return patching_study(run, TIRED, WIDE)


def test_the_guided_head_carries_the_difference_and_its_neighbours_do_not(study):
    assert study.heads[GUIDED] > 0.8
    assert all(abs(study.heads[Head(GUIDED.site, head)]) < 0.1 for head in (1, 2, 3))
    assert study.sites[GUIDED.site] > 0.8


def test_patching_everything_brings_all_of_the_difference_back(study):
    assert study.everything == pytest.approx(1, abs=1e-4)


def mixed(run, source_ids, fed_ids):
    record = Record(frozenset({Step.MIXED}))
    with torch.no_grad():
        logits_1TV = run.model(pad([source_ids]), pad([fed_ids]), record)
    return record, logits_1TV


def test_patching_everything_gives_the_other_sentences_output(run, study):
    fed = (1, *study.clean.target_ids)
    record, clean_1TV = mixed(run, study.clean.source_ids, fed)
    patch = Patch({h: record.tensors[h.site, Step.MIXED][:, h.index] for h in heads_of(run.model)})
    corrupt_1S = pad([study.corrupt.source_ids])
    with torch.no_grad():
        patched_1TV = run.model(corrupt_1S, pad([fed]), patch)
    torch.testing.assert_close(patched_1TV, clean_1TV, atol=1e-4, rtol=1e-4)
    # Decoded freely, too: the clean sentence's own words bring its own prefix.
    assert generate(run.model, corrupt_1S, probe=patch) == [(*study.clean.target_ids, EOS)]
    assert generate(run.model, corrupt_1S)[0][:-1] == study.corrupt.target_ids


@pytest.mark.parametrize("head", [GUIDED, Head(Site("decoder", 1, "cross"), 0)])
def test_a_share_is_the_part_of_the_gap_that_one_whole_pass_shows(run, study, head):
    site, number = head.site, head.index
    fed = (1, *study.clean.target_ids[: study.step])
    clean, clean_1TV = mixed(run, study.clean.source_ids, fed)
    _, corrupt_1TV = mixed(run, study.corrupt.source_ids, fed)
    patch = Patch({head: clean.tensors[site, Step.MIXED][:, number]})
    with torch.no_grad():
        patched_1TV = run.model(pad([study.corrupt.source_ids]), pad([fed]), patch)
    il, elle = study.clean.target_ids[study.step], study.corrupt.target_ids[study.step]

    def difference(logits_1TV):
        chances_V = logits_1TV[0, -1].double().log_softmax(dim=-1)
        return float(chances_V[il] - chances_V[elle])

    assert study.clean_difference == pytest.approx(difference(clean_1TV), abs=1e-3)
    assert study.corrupt_difference == pytest.approx(difference(corrupt_1TV), abs=1e-3)
    gap = difference(clean_1TV) - difference(corrupt_1TV)
    share = (difference(patched_1TV) - difference(corrupt_1TV)) / gap
    assert study.heads[head] == pytest.approx(share, abs=1e-3)


def test_sentences_that_are_translated_alike_are_refused(run):
    with pytest.raises(PatchingError, match="writes the same after both sentences"):
        patching_study(run, TIRED, TIRED)


def test_the_strongest_heads_come_first_and_weak_ones_are_left_out(study):
    ranked = study.strongest(-math.inf, 1000)
    assert sorted(dict(ranked), key=str) == sorted(study.heads, key=str)
    shares = [share for _head, share in ranked]
    assert shares == sorted(shares, reverse=True)
    assert study.strongest(shares[2], 2) == ranked[:2]
    assert study.strongest(shares[2], 1000) == ranked[:3]
    assert study.strongest_site[1] == max(study.sites.values())


def test_shares_stand_at_their_layer_and_head_and_last_those_of_all_heads(run, study):
    maps = study.restored_maps()
    n_heads = run.settings.model.n_heads
    for head, share in study.heads.items():
        assert maps[head.kind][head.layer, head.index] == np.float32(share)
    for site, share in study.sites.items():
        assert maps[site.attention][site.layer, n_heads] == np.float32(share)
    assert {found.shape[1] for found in maps.values()} == {n_heads + 1}
