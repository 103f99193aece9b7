import math
from pathlib import Path

import pytest
import torch

from core.heads import Head
from core.model import Patch, Record, Silence, Step
from core.runs.run import load_run
from core.studies.effects.path_outcomes import path_outcomes
from core.studies.effects.path_patching import Read
from core.studies.effects.path_study import one_path, path_pair

GALLERY = Path(__file__).parents[4] / "gallery"

TIRED = "The animal didn't cross the street because it was too tired."
BOTH = (TIRED, TIRED.replace("tired", "wide"))
ENDS = (Head.parse("encoder.0.self:3"), Head.parse("encoder.2.self:0"))


@pytest.fixture(scope="module")
def run():
    return load_run(GALLERY / "translate-guided")


def test_the_path_and_both_sentences_have_the_chances_that_the_study_finds(run):
    found = path_outcomes(run, *BOTH, Read.QUERY, *ENDS)
    one = one_path(run, *BOTH, Read.QUERY, *ENDS)
    assert found.clean.chance == pytest.approx(math.exp(one.before_log_p))
    assert found.path.chance == pytest.approx(math.exp(one.after_log_p))
    assert found.clean.stays and not found.other.stays
    assert (found.clean.chosen.text, found.other.chosen.text) == ("il", "elle")


@torch.inference_mode()
def test_all_readers_are_given_the_message_or_none(run):
    found = path_outcomes(run, *BOTH, Read.QUERY, *ENDS)
    pair, (sender, _receiver) = path_pair(run, *BOTH), ENDS
    clean, other = (
        [torch.tensor([ids]) for ids in (each.source_ids, pair.clean.fed_ids[: pair.step + 1])]
        for each in (pair.clean, pair.other)
    )
    record = Record(frozenset({Step.MIXED}))
    run.model(*other, record)
    mixed = record.tensors[sender.site, Step.MIXED][:, sender.index]
    for probe, outcome in (
        (Patch({sender: mixed}), found.exchanged),
        (Silence.of([sender]), found.silenced),
    ):
        chances_V = run.model(*clean, probe)[0, -1].double().softmax(dim=-1)
        assert outcome.chance == pytest.approx(float(chances_V[pair.token]), rel=1e-4)
        assert outcome.stays == (int(chances_V.argmax()) == pair.token)


def test_who_writes_the_same_in_both_sentences_changes_nothing(run):
    ends = Head.parse("decoder.0.self:0"), Head.parse("decoder.0.cross:1")
    found = path_outcomes(run, *BOTH, Read.QUERY, *ends)
    assert found.path == found.exchanged == found.clean
