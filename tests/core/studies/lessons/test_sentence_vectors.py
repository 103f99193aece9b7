import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from core.runs.run import load_run
from core.studies.lessons.sentence_vectors import (
    N_OTHERS,
    sentence_cosine,
    sentence_vector,
    usual_cosine,
)
from core.studies.opening.opening import open_model
from tests.core.families.folders import write_folder

ONE, OTHER = "the animal slept", "it was too tired"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("vectors")
    write_folder(path / "model", "bert without a head")
    list(open_model(str(path / "model"), path / "run"))
    return path


@pytest.fixture(scope="module")
def run(folder):
    return load_run(folder / "run")


@pytest.mark.parametrize("text", [ONE, OTHER])
def test_a_vector_is_the_mean_of_the_hidden_states_of_transformers(folder, run, text):
    theirs = AutoModel.from_pretrained(folder / "model").eval()
    given = AutoTokenizer.from_pretrained(folder / "model")(text, return_tensors="pt")
    with torch.no_grad():
        hidden_PD = theirs(**given).last_hidden_state[0]
    np.testing.assert_allclose(sentence_vector(run, text), hidden_PD.mean(0).numpy(), atol=3e-5)


def test_a_cosine_is_that_of_both_vectors_and_1_of_a_sentence_with_itself(run):
    one, other = torch.tensor(sentence_vector(run, ONE)), torch.tensor(sentence_vector(run, OTHER))
    expected = float(torch.cosine_similarity(one, other, dim=0))
    assert sentence_cosine(run, ONE, OTHER) == pytest.approx(expected)
    assert sentence_cosine(run, ONE, ONE) == pytest.approx(1)


def test_the_baseline_counts_every_pair_once(run):
    mean, n = usual_cosine(run)
    assert n == N_OTHERS * (N_OTHERS - 1) // 2
    assert -1 <= mean <= 1
