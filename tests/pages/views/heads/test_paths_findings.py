import numpy as np
import pytest

from core.heads import Head
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.effects.path_outcomes import path_outcomes
from core.studies.effects.path_patching import Read
from core.studies.effects.path_study import one_path, path_study
from pages.frame.language import percent
from pages.views.heads.paths_findings import measured, seen
from pages.views.heads.paths_maps import Paths
from tests.pages.conftest import ROOT

TIRED = "The animal didn't cross the street because it was too tired."
BOTH = (TIRED, TIRED.replace("tired", "wide"))


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate-guided")


@pytest.mark.parametrize("read", [Read.QUERY, Read.KEY])
def test_a_look_is_said_as_it_would_be_and_as_it_is(run, read):
    study = path_study(run, *BOTH, read)
    paths = Paths(study, inspect_sentence(run, TIRED), None)
    effects = study.effects
    for row, column in np.argwhere(effects.moved_NN > 0.01)[:6].tolist():
        found = one_path(run, *BOTH, read, effects.heads[row], effects.heads[column])
        before, after = (
            float(each[found.query, found.key]) for each in (found.before_QK, found.after_QK)
        )
        outcomes = path_outcomes(run, *BOTH, read, found.sender, found.receiver)
        said = seen(paths, found, outcomes, read)
        looks = f"with **{percent(after)}** instead of {percent(before)}"
        assert (looks if abs(after - before) >= 0.05 else "looks nearly where it did") in said


def test_the_baseline_counts_only_paths_whose_sender_writes_something_else(run):
    study = path_study(run, *BOTH, Read.QUERY)
    paths = Paths(study, inspect_sentence(run, TIRED), None)
    differing = int(study.effects.direct_NN[study.effects.differs_N].sum())
    said = measured(paths)
    links = int(study.effects.direct_NN.sum())
    assert f"{differing} of the {links} paths begin at a head that writes something else" in said
    assert "One pair of sentences (n = 1)" in said


def test_what_values_carry_is_said_without_a_look(run):
    study = path_study(run, *BOTH, Read.VALUE)
    ends = (Head.parse("encoder.2.self:0"), Head.parse("decoder.1.cross:1"))
    found = one_path(run, *BOTH, Read.VALUE, *ends)
    outcomes = path_outcomes(run, *BOTH, Read.VALUE, *ends)
    said = seen(Paths(study, inspect_sentence(run, TIRED), None), found, outcomes, Read.VALUE)
    assert (
        "Head A (encoder layer 2, head 0) writes, head B (cross-attention layer 1, head 1) reads."
        in said
    )
