import numpy as np
import pytest

from core.heads import Head
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.effects.path_patching import Read
from core.studies.effects.path_study import one_path, path_outcomes, path_senders
from pages.frame.language import percent
from pages.views.heads.paths_findings import measured, seen
from pages.views.heads.paths_maps import Paths
from tests.pages.conftest import ROOT

TIRED = "The animal didn't cross the street because it was too tired."
GUIDED = Head.parse("encoder.2.self:0")
BOTH = (TIRED, TIRED.replace("tired", "wide"))


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate-guided")


@pytest.mark.parametrize("read", [Read.QUERY, Read.KEY])
def test_a_look_is_said_as_it_would_be_and_as_it_is(run, read):
    study = path_senders(run, *BOTH, read, GUIDED)
    paths = Paths(study, inspect_sentence(run, TIRED), False)
    for at in np.flatnonzero(study.moved_N > 0.01)[:6].tolist():
        found = one_path(run, *BOTH, read, study.senders[at], GUIDED)
        before, after = (
            float(each[found.query, found.key]) for each in (found.before_QK, found.after_QK)
        )
        outcomes = path_outcomes(run, *BOTH, read, found.sender, found.receiver)
        said = seen(paths, found, outcomes, read)
        looks = f"with **{percent(after)}** instead of {percent(before)}"
        assert (looks if abs(after - before) >= 0.05 else "looks nearly where it did") in said


def test_the_baseline_counts_only_paths_whose_sender_writes_something_else(run):
    study = path_senders(run, *BOTH, Read.ALL, Head.parse("decoder.1.self:0"))
    said = measured(Paths(study, inspect_sentence(run, TIRED), False))
    differing = int(study.differs_N.sum())
    assert 0 < differing < len(study.senders)
    assert f"{differing} of the {len(study.senders)} paths begin at a head" in said
    middle = percent(float(np.median(study.moved_N[study.differs_N])))
    assert f"the median of those is {middle}." in said
    assert "One pair of sentences (n = 1)" in said


def test_what_values_carry_is_said_without_a_look(run):
    ends = (GUIDED, Head.parse("decoder.1.cross:1"))
    study = path_senders(run, *BOTH, Read.VALUE, ends[1])
    found = one_path(run, *BOTH, Read.VALUE, *ends)
    outcomes = path_outcomes(run, *BOTH, Read.VALUE, *ends)
    said = seen(Paths(study, inspect_sentence(run, TIRED), False), found, outcomes, Read.VALUE)
    assert (
        "Head A (encoder layer 2, head 0) writes, head B (cross-attention layer 1, head 1) reads."
        in said
    )
