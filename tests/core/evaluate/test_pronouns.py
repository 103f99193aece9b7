import copy
from dataclasses import replace

import pytest
import torch

from core.batch import Pair, TokenReference, pad
from core.config import ModelConfig
from core.evaluate.pronouns import Baselines, baselines, study_pronouns
from core.model import Record, build


def reference(pronoun, antecedent, nouns, steps=(1,), ambiguous=True):
    return TokenReference(pronoun, antecedent, nouns, steps, ambiguous)


def test_rules_name_the_antecedent_as_often_as_counted_by_hand():
    found = baselines(
        [
            # Nouns at 1, 4 and 9, the pronoun at 7: the nearest before it is the one at 4.
            reference((7,), (4,), ((1,), (4,), (9,))),
            reference((7,), (1,), ((1,), (4,), (9,))),
            reference((7,), (9,), ((1,), (4,), (9,))),
            # Both nouns after the pronoun: the nearest is the first.
            reference((0,), (3, 4), ((3, 4), (6,))),
        ]
    )
    assert found == Baselines(2 / 4, 2 / 4, (1 / 3 + 1 / 3 + 1 / 3 + 1 / 2) / 4)
    assert found.best == 0.5


def test_a_noun_of_several_tokens_counts_as_a_whole():
    found = baselines([reference((6,), (3, 4, 5), ((1,), (3, 4, 5)))])
    assert (found.nearest_noun, found.first_noun, found.random_noun) == (1, 0, 0.5)


def test_without_ambiguous_pronouns_there_is_nothing_to_study(model):
    clear = reference((3,), (1,), ((1,), (2,)), ambiguous=False)
    assert study_pronouns(model, []) is None
    assert study_pronouns(model, [Pair((5, 6, 5, 6, 2), (1, 4, 7, 2), (clear,))]) is None


@pytest.fixture(scope="module")
def model(tokenizer):
    """A model that was never trained, with heads loud enough to change what it says."""
    config = ModelConfig(
        tokenizer.vocab_size,
        n_encoder_layers=2,
        n_decoder_layers=1,
        d_model=16,
        d_ff=32,
        n_heads=2,
        d_v=6,
        norm="pre",
    )
    fresh = build(config, seed=1).eval()
    with torch.no_grad():
        for name, parameter in fresh.named_parameters():
            if "attention" in name and name.endswith("weight"):
                parameter *= 3
    return fresh


@pytest.fixture(scope="module")
def pairs(model, translation_pairs):
    """Pairs half of whose pronouns are what the model says, so that it is half right."""
    chosen = [pair for pair in translation_pairs if any(r.ambiguous for r in pair.references)][:24]
    changed = []
    for number, each in enumerate(chosen):
        target = list(each.target)
        if number % 2 == 0:
            for found in each.references:
                for step in found.steps:
                    # What stands later cannot change what was said here.
                    logits_BTV = model(pad([each.source]), pad([target[: step + 1]]))
                    target[step + 1] = int(logits_BTV[0, -1].argmax())
        changed.append(replace(each, target=tuple(target)))
    return changed


def ambiguous(pairs):
    return [(pair, found) for pair in pairs for found in pair.references if found.ambiguous]


def slow_accuracy(model, pairs):
    """One sentence at a time, so that nothing is padded."""
    right = []
    for each, found in ambiguous(pairs):
        said = model(pad([each.source]), pad([each.target[:-1]]))[0].argmax(dim=-1).tolist()
        right.append(all(said[step] == each.target[step + 1] for step in found.steps))
    return sum(right) / len(right)


@pytest.mark.slow
def test_scores_equal_a_slow_computation_sentence_by_sentence(model, pairs):
    study = study_pronouns(model, pairs)
    assert study.n == len(ambiguous(pairs))
    assert study.accuracy == pytest.approx(slow_accuracy(model, pairs))
    assert 0.3 < study.accuracy < 0.8
    sites = [site for site in model.sites() if site.attention != "decoder.self"]
    assert [head.head for head in study.heads] == [head for site in sites for head in site.heads(2)]
    for head in study.heads:
        hits, weights = [], []
        for each, found in ambiguous(pairs):
            record = Record()
            model(pad([each.source]), pad([each.target[:-1]]), record)
            row = (found.pronoun if head.head.site.stack == "encoder" else found.steps)[0]
            row_K = record.weights(head.head.site)[0, head.head.index, row].tolist()
            hits.append(row_K.index(max(row_K)) in found.antecedent)
            weights.append(sum(row_K[key] for key in found.antecedent))
        assert head.score == pytest.approx(sum(hits) / len(hits), abs=1e-6)
        assert head.weight == pytest.approx(sum(weights) / len(weights), abs=1e-5)


def test_silencing_a_head_is_leaving_out_its_columns_of_the_output_matrix(model, pairs):
    study = study_pronouns(model, pairs)
    for head in study.heads:
        without = copy.deepcopy(model)
        stack = without.encoder if head.head.site.stack == "encoder" else without.decoder
        layer = stack[head.head.layer]
        attention = (
            layer.self_attention if head.head.site.sublayer == "self" else layer.cross_attention
        )
        d_v = model.config.d_v
        with torch.no_grad():
            attention.output.weight[:, head.head.index * d_v : (head.head.index + 1) * d_v] = 0
        assert head.silenced_accuracy == pytest.approx(slow_accuracy(without, pairs))
    assert any(head.silenced_accuracy < study.accuracy for head in study.heads)
