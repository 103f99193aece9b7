"""Which heads carry the difference between two sentences."""

import pytest
import torch

from core.batch import pad
from core.heads import Head, Site
from core.model import Patch, Record, Step
from core.studies.effects.patching import PatchingError, patched_translation, patching_study

TIRED = "The animal didn't cross the street because it was too tired."
WIDE = "The animal didn't cross the street because it was too wide."
GUIDED = Head(Site("encoder", 2, "self"), 0)


@pytest.fixture(scope="module")
def study(guided):
    return patching_study(guided, TIRED, WIDE)


def test_the_guided_head_carries_the_difference_and_its_neighbours_do_not(study):
    assert study.heads[GUIDED] > 0.8
    assert all(abs(study.heads[Head(GUIDED.site, head)]) < 0.1 for head in (1, 2, 3))
    assert study.sites[GUIDED.site] > 0.8


def mixed(run, source_ids, fed_ids):
    record = Record(frozenset({Step.MIXED}))
    with torch.no_grad():
        logits_1TV = run.model(pad([source_ids]), pad([fed_ids]), record)
    return record, logits_1TV


def test_one_patched_head_writes_the_other_sentences_pronoun(guided, study):
    patched = patched_translation(guided, TIRED, WIDE, GUIDED)
    assert study.corrupt.text.endswith("parce qu'elle était trop large.")
    assert patched.text.endswith("parce qu'il était trop large.")
    other = patched_translation(guided, TIRED, WIDE, Head(GUIDED.site, 1))
    assert other.target_ids == study.corrupt.target_ids


@pytest.mark.parametrize("head", [GUIDED, Head(Site("decoder", 1, "cross"), 0)])
def test_a_share_is_the_part_of_the_gap_that_one_whole_pass_shows(guided, study, head):
    site, number = head.site, head.index
    fed = (1, *study.clean.target_ids[: study.step])
    clean, clean_1TV = mixed(guided, study.clean.source_ids, fed)
    _, corrupt_1TV = mixed(guided, study.corrupt.source_ids, fed)
    patch = Patch({head: clean.tensors[site, Step.MIXED][:, number]})
    with torch.no_grad():
        patched_1TV = guided.model(pad([study.corrupt.source_ids]), pad([fed]), patch)
    il, elle = study.clean.target_ids[study.step], study.corrupt.target_ids[study.step]

    def difference(logits_1TV):
        chances_V = logits_1TV[0, -1].double().log_softmax(dim=-1)
        return float(chances_V[il] - chances_V[elle])

    assert study.clean_difference == pytest.approx(difference(clean_1TV), abs=1e-3)
    assert study.corrupt_difference == pytest.approx(difference(corrupt_1TV), abs=1e-3)
    gap = difference(clean_1TV) - difference(corrupt_1TV)
    share = (difference(patched_1TV) - difference(corrupt_1TV)) / gap
    assert study.heads[head] == pytest.approx(share, abs=1e-3)


def test_sentences_that_are_translated_alike_are_refused(guided):
    with pytest.raises(PatchingError, match="writes the same after both sentences"):
        patching_study(guided, TIRED, TIRED)
