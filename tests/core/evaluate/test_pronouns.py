import copy
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from core.batch import Pair, TokenReference, pad
from core.config import ModelConfig
from core.evaluate.pronouns import Baselines, baselines, study_pronouns
from core.heads import Head, Site
from core.model import Record, Step, build

ENCODER, CROSS = Site("encoder", 0, "self"), Site("decoder", 0, "cross")


def reference(pronoun, antecedent, nouns, steps=(1,), ambiguous=True):
    return TokenReference(pronoun, antecedent, nouns, steps, ambiguous)


# ---- rules without a model


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


def test_the_best_rule_is_the_strongest():
    assert Baselines(0.25, 0.5, 0.75).best == 0.75


# ---- a model whose heads are known


class Known:
    """Head 0 looks at the antecedent (0.75) and writes the pronoun, head 1 looks at token 0.

    Pronoun and antecedent stand at places 3 and 1; row 1 writes the pronoun. Without head 0 in
    the encoder the model writes 8 for it, else 7.
    """

    config = SimpleNamespace(n_heads=2, pad_id=0)
    device = torch.device("cpu")

    def sites(self):
        return (ENCODER, Site("decoder", 0, "self"), CROSS)

    def __call__(self, source_BS, fed_BT, probe):
        says = torch.full(fed_BT.shape, 7)
        for site, n_queries in ((ENCODER, source_BS.shape[1]), (CROSS, fed_BT.shape[1])):
            if not probe.sees(site):
                continue
            weights_BHQK = torch.zeros(len(source_BS), 2, n_queries, source_BS.shape[1])
            row = 3 if site == ENCODER else 1
            weights_BHQK[:, 0, row, 1], weights_BHQK[:, 0, row, 2] = 0.75, 0.25
            weights_BHQK[:, 1, row, 0], weights_BHQK[:, 1, row, 1] = 0.875, 0.125
            probe.at(site, Step.WEIGHTS, weights_BHQK)
            mixed_BHQE = probe.at(site, Step.MIXED, torch.ones(len(source_BS), 2, n_queries, 1))
            if site == ENCODER and not mixed_BHQE[:, 0].any():
                says[:] = 8
        return torch.nn.functional.one_hot(says, 10).float()


def pair(writes, antecedent=(1,), ambiguous=True):
    found = reference((3,), antecedent, ((1,), (2,)), (1,), ambiguous)
    return Pair((5, 6, 5, 6, 2), (1, 4, writes, 2), (found,))


def test_scores_of_known_heads_are_those_counted_by_hand():
    # Three pronouns are written 7, one is written 8; for one the antecedent is the noun at 2.
    study = study_pronouns(Known(), [pair(7), pair(7), pair(8), pair(7, antecedent=(2,))])
    assert (study.accuracy, study.n) == (3 / 4, 4)
    assert study.baselines == Baselines(1 / 4, 3 / 4, 1 / 2)
    found = {head.head: head for head in study.heads}
    assert list(found) == [*ENCODER.heads(2), *CROSS.heads(2)]
    for site in (ENCODER, CROSS):
        assert (found[Head(site, 0)].score, found[Head(site, 1)].score) == (3 / 4, 0)
        assert found[Head(site, 0)].weight == (3 * 0.75 + 0.25) / 4
        assert found[Head(site, 1)].weight == 3 * 0.125 / 4
    silenced = [head.silenced_accuracy for head in study.heads]
    assert silenced == [1 / 4, 3 / 4, 3 / 4, 3 / 4]


def test_a_pronoun_of_several_tokens_is_scored_at_its_first_and_right_as_a_whole():
    found = reference((3, 4), (1,), ((1,), (2,)), (1, 2))
    both = Pair((5, 6, 5, 6, 6, 2), (1, 4, 7, 7, 2), (found,))
    half = Pair((5, 6, 5, 6, 6, 2), (1, 4, 7, 3, 2), (found,))
    study = study_pronouns(Known(), [both, half])
    assert study.accuracy == 0.5
    assert [(head.score, head.weight) for head in study.heads[::2]] == [(1, 0.75), (1, 0.75)]


def test_pronouns_that_need_no_antecedent_do_not_count():
    study = study_pronouns(Known(), [pair(7), pair(8, ambiguous=False)])
    assert (study.accuracy, study.n) == (1, 1)


def test_without_ambiguous_pronouns_there_is_nothing_to_study():
    assert study_pronouns(Known(), []) is None
    assert study_pronouns(Known(), [pair(7, ambiguous=False), Pair((5, 2), (1, 5, 2))]) is None


# ---- a real model, computed slowly


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


def test_accuracy_is_the_share_of_pronouns_that_are_said(model, pairs):
    study = study_pronouns(model, pairs)
    assert study.n == len(ambiguous(pairs))
    assert study.accuracy == pytest.approx(slow_accuracy(model, pairs))
    assert 0.3 < study.accuracy < 0.8


def test_scores_equal_a_slow_computation_sentence_by_sentence(model, pairs):
    study = study_pronouns(model, pairs)
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


def test_order_of_the_pairs_does_not_matter(model, pairs):
    one, other = study_pronouns(model, pairs), study_pronouns(model, pairs[::-1])
    assert (one.accuracy, one.baselines) == (other.accuracy, other.baselines)
    assert [head.score for head in one.heads] == [head.score for head in other.heads]


def test_studying_changes_neither_the_model_nor_the_random_state(model, pairs):
    weights = {name: each.clone() for name, each in model.named_parameters()}
    state = torch.get_rng_state()
    study_pronouns(model, pairs[:4])
    assert torch.equal(torch.get_rng_state(), state)
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, weights[name])
        assert parameter.grad is None
