"""What a model does with heads changed, against decoding and computations of its own."""

import numpy as np
import pytest
import torch

from core.batch import pad
from core.decoding.sentence import translate
from core.evaluate.evaluation import held_out_pairs
from core.heads import Head, Site
from core.inspection import inspect_sentence
from core.model import Record, Silence, Step
from core.studies.effects.ablation import (
    Intervention,
    ablation_report,
    average_mixed,
    before_after,
    outcome,
    unchanged,
)
from core.vocabulary import EOS

SENTENCE = "The animal didn't cross the street because it was too tired."
GUIDED, BEFORE = Head(Site("encoder", 2, "self"), 0), Head(Site("encoder", 1, "self"), 1)


def test_averages_are_over_every_token_of_every_sentence_and_no_padding(translation_run):
    run, n = translation_run, 9
    found = average_mixed(run, n, seed=5)
    mixed = {site: [] for site in run.model.sites()}
    for each in held_out_pairs(run, n, seed=5):
        record = Record(frozenset({Step.MIXED}))
        with torch.no_grad():
            run.model(pad([each.source]), pad([each.target[:-1]]), record)
        for site, values in mixed.items():
            values.append(record.tensors[site, Step.MIXED][0].double().numpy())
    assert set(found) == set(mixed)
    for site, values in mixed.items():
        expected_HE = np.concatenate(values, axis=1).mean(axis=1)
        np.testing.assert_allclose(found[site].numpy(), expected_HE, atol=1e-6)


@pytest.mark.parametrize("kind", ["silence", "uniform", "freeze"])
def test_what_is_written_is_what_whole_passes_over_growing_prefixes_say(guided, kind):
    probe = Intervention(kind, frozenset({GUIDED, BEFORE})).probe(average_mixed(guided, 20))
    reference = translate(guided, SENTENCE).target_ids
    found = outcome(guided, SENTENCE, reference, probe)
    source_1S = pad([found.translation.source_ids])
    written = [*found.translation.target_ids, EOS]
    for fed, chances in ((written, found.own), (reference + (EOS,), found.reference)):
        with torch.no_grad():
            logits_TV = guided.model(source_1S, pad([[1, *fed[:-1]]]), probe)[0].double().numpy()
        logits_TV[:, :2] = -np.inf
        p_TV = np.exp(logits_TV - logits_TV.max(axis=1, keepdims=True))
        p_TV /= p_TV.sum(axis=1, keepdims=True)
        expected_T = p_TV[np.arange(len(fed)), list(fed)]
        found_T = [each.probability for each in chances]
        np.testing.assert_allclose(found_T, expected_T, atol=1e-4)
        assert [each.best for each in chances] == list(
            guided.tokenizer.describe(p_TV.argmax(axis=1).tolist())
        )
        assert [each.token for each in chances] == list(guided.tokenizer.describe(fed))
    assert all(each.token == each.best for each in found.own)
    expected = -np.mean(np.log([each.probability for each in found.reference]))
    assert found.loss == pytest.approx(expected, abs=1e-5)


def test_an_end_that_was_never_written_is_not_part_of_the_reference(translation_run):
    # Hardly trained, it writes on until the limit.
    own = unchanged(
        translation_run, "The dog sleeps.", inspect_sentence(translation_run, "The dog sleeps.")
    )
    found = before_after(translation_run, own, Silence.of([]))
    assert not found.before.translation.finished
    for each in (found.before, found.after):
        texts = [chance.token.text for chance in each.reference]
        assert texts == [chance.token.text for chance in found.before.own]
        assert "EOS" not in texts
        expected = -np.mean(np.log([chance.probability for chance in each.reference]))
        assert each.loss == pytest.approx(expected, rel=1e-5)


def test_a_report_holds_the_words_of_both_translations_and_their_loss(guided):
    inspection = inspect_sentence(guided, SENTENCE)
    known = (guided, inspection, unchanged(guided, SENTENCE, inspection))
    report = ablation_report(*known, Intervention("silence", frozenset({GUIDED, BEFORE})), None)
    found, words = report.sentence, len(report.sentence.before.own)
    probe, own = Silence.of([GUIDED, BEFORE]), translate(guided, SENTENCE).target_ids
    before = outcome(guided, SENTENCE, own, None)
    assert found.before.translation == before.translation
    for mine, decoded in zip(found.before.own, before.own, strict=True):
        assert (mine.token, mine.best) == (decoded.token, decoded.best)
        assert mine.probability == pytest.approx(decoded.probability, abs=1e-6)
    assert found.before.loss == before.loss
    assert found.after == outcome(guided, SENTENCE, own, probe)
    table = report.table()
    assert table["word"][:words] == [each.token.text for each in found.before.own]
    assert table["after"][:words] == [each.probability for each in found.after.reference]
    assert (table["before"][words], table["after"][words]) == (found.before.loss, found.after.loss)
    same = ablation_report(*known, Intervention("freeze", frozenset()), None).sentence
    assert same.before == same.after
