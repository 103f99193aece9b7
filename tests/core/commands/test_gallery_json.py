"""What each command says of the gallery's runs as JSON is what their weights compute.

The models compute it here without the command's own functions: whole passes in the place of
decoding step by step, counts of tensors, rows that sum to one.
"""

import json
from pathlib import Path

import pytest
import torch

from core.decoding.sentence import translate
from core.evaluate.evaluation import held_out_samples
from core.model import Record
from core.runs.run import load_run
from core.vocabulary import BOS, EOS

GALLERY = Path(__file__).resolve().parents[3] / "gallery"
NAMES = sorted(path.parent.name for path in GALLERY.glob("*/run.json"))
QUICK = ("copying", "bottleneck-attention")
EACH = [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in NAMES]
N_SAMPLES = 30


@pytest.fixture
def said(command):
    """Return a function that runs a command on a run of the gallery, and gives what it prints."""

    def run(*arguments):
        status, out, error = command(*arguments, "--json")
        assert (status, "error" in error) == (0, False), error
        return json.loads(out, parse_constant=refused_constant)

    return run


def refused_constant(name):
    raise AssertionError(f"{name} is no number")


def sentence_of(run):
    return held_out_samples(run, 1, 0)[0].source


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_those_of_the_tensors(said, name):
    model = load_run(GALLERY / name).model
    found = said("count", GALLERY / name)
    assert found == {"parameters": sum(each.numel() for each in model.parameters())}


@pytest.mark.parametrize("name", EACH)
def test_weights_are_those_of_one_pass(said, name):
    run = load_run(GALLERY / name)
    sentence = sentence_of(run)
    found = said("inspect", GALLERY / name, sentence)
    source_BS = torch.tensor([[*run.tokenizer.encode(sentence).ids, EOS]])
    tokens = [token.text for token in run.tokenizer.describe(source_BS[0].tolist())]
    assert found["source"]["tokens"] == tokens
    assert set(found["attention"]) == {str(site) for site in run.model.sites()}
    for site in run.model.sites():
        kept = found["attention"][str(site)]
        weights_HQK, visible_QK = torch.tensor(kept["weights"]), torch.tensor(kept["visible"])
        torch.testing.assert_close(weights_HQK.sum(-1), torch.ones(weights_HQK.shape[:2]))
        assert not weights_HQK[:, ~visible_QK].any()
        if site.stack == "encoder":
            record = Record()
            with torch.inference_mode():
                run.model.encode(source_BS, record)
            torch.testing.assert_close(weights_HQK, record.weights(site)[0])


@pytest.mark.parametrize("name", EACH)
def test_each_token_is_the_most_probable_of_a_pass_over_those_before(said, name):
    run = load_run(GALLERY / name)
    if run.model.config.is_parallel:
        pytest.skip("it writes in passes")
    sentence = sentence_of(run)
    found = said("translate", GALLERY / name, sentence, "--steps")
    beam = said("translate", GALLERY / name, sentence, "--beam", 1)
    assert beam["translation"] == found["translation"]
    chosen = [step["chosen"] for step in found["steps"]]
    assert chosen[-1] == run.target_tokenizer.describe([EOS])[0].text
    source_BS = torch.tensor([[*run.tokenizer.encode(sentence).ids, EOS]])
    fed_ids = [BOS]
    for step in found["steps"]:
        with torch.inference_mode():
            shares_V = run.model(source_BS, torch.tensor([fed_ids]))[0, -1].softmax(-1)
        share, token = shares_V.max(-1)
        fed_ids.append(token.item())
        assert step["chosen"] == run.target_tokenizer.describe([token.item()])[0].text
        assert step["top"][0] == [step["chosen"], pytest.approx(share.item(), abs=1e-3)]


@pytest.mark.parametrize("name", EACH)
def test_figures_count_what_is_translated_right(said, name):
    run = load_run(GALLERY / name)
    found = said("evaluate", GALLERY / name, "--n", N_SAMPLES, "--seed", 3)
    samples = held_out_samples(run, N_SAMPLES, 3)
    right = [translate(run, each.source).text in (each.target, *each.others) for each in samples]
    assert (found["n"], found["exact_match"]) == (N_SAMPLES, sum(right) / N_SAMPLES)
