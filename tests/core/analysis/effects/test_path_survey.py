from pathlib import Path

import numpy as np
import pytest
import torch

from core.analysis.effects.path_patching import PathError, Read
from core.analysis.effects.path_study import path_pair, path_probabilities, path_study
from core.analysis.effects.path_survey import path_survey
from core.runs.run import load_run

GALLERY = Path(__file__).parents[4] / "gallery"

TIRED = "The animal didn't cross the street because it was too tired."
BOTH = (TIRED, TIRED.replace("tired", "wide"))


@pytest.fixture(scope="module")
def run():
    return load_run(GALLERY / "everyday")


def test_the_largest_change_is_that_of_the_strongest_path(run):
    found = path_survey(run, *BOTH)
    for read in Read:
        clean = path_study(run, *BOTH, read).clean_log_p
        chance_NN = np.exp(path_probabilities(run, *BOTH, read) + clean)
        assert found.most[read] == pytest.approx(np.abs(chance_NN - np.exp(clean)).max(), abs=1e-6)


def test_it_knows_whether_any_path_flips_the_output(run, monkeypatch):
    assert not path_survey(run, *BOTH).flips
    token = path_pair(run, *BOTH).token

    def one_that_flips(paths, read):
        logits_nV = paths.clean_logits_V.expand(2, -1).clone()
        if read == Read.KEY:
            logits_nV[1, token] = -torch.inf
        yield np.array([0, 1]), 2, logits_nV

    monkeypatch.setattr("core.analysis.effects.path_survey.written_through", one_that_flips)
    found = path_survey(run, *BOTH)
    assert found.flips
    assert [read for read, most in found.most.items() if most > 0.5] == [Read.KEY]


def test_sentences_of_other_lengths_are_refused(run):
    with pytest.raises(PathError):
        path_survey(run, TIRED, "I love you.")
