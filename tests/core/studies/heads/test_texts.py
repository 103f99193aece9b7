"""Heads of one stack in texts: against each text read alone, with loops over rows and keys."""

import shutil
from collections import Counter

import numpy as np
import pytest
import torch

from core.batch import Pair
from core.evaluate.metrics import sorted_batches
from core.model import Record
from core.model.layers import Residual
from core.runs.own_text import give_text
from core.runs.run import RunError, load_run
from core.studies.heads import texts
from core.studies.heads.card import Target, head_card
from core.studies.heads.question import read
from core.studies.heads.roles import roles_of_heads
from core.studies.heads.texts import LONGEST, N_TEXTS, batches_of, line_texts, pairs_read
from core.tasks import TASKS

LINES = ["the animal and the street", "did not cross it, did not", "it was tired"]


@pytest.fixture(scope="module", params=["bert", "gpt2", "llama"])
def run(request, opened_path, tmp_path_factory):
    """An opened model with lines of its own; some have a token that fills up, some have none."""
    path = tmp_path_factory.mktemp("texts") / request.param
    shutil.copytree(opened_path(request.param), path)
    give_text(path, "\n".join(LINES).encode(), "lines")
    return load_run(path)


def ids_of(run, text):
    encoder = run.model.config.n_encoder_layers
    ends = run.tokenizer.ends if encoder else ()
    return (*run.tokenizer.begins, *run.tokenizer.encode(text).ids, *ends)


def alone(run, head, ids):
    """weights_QK of a head for one text: a decoder is not fed the last token."""
    record = Record()
    with torch.inference_mode():
        if run.model.config.is_decoder_only:
            run.model(None, torch.tensor([ids[:-1]]), record)
        else:
            run.model.encode(torch.tensor([ids]), record)
    return record.weights(head.site)[0, head.index].double().numpy()


def heads_of(run):
    return [head for site in run.model.sites() for head in site.heads(run.model.config.n_heads)]


# ---- which texts


def test_lines_that_were_given_are_read_in_their_order(run):
    pairs = pairs_read(run, 100, 0)
    assert [pair.source or pair.target for pair in pairs] == [ids_of(run, line) for line in LINES]
    assert len(pairs_read(run, 2, 0)) == 2


@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_without_lines_sentences_of_the_grammar_are_read(opened_path, kind):
    run = load_run(opened_path(kind))
    pairs = pairs_read(run, 400, 0)
    drawn = TASKS["translate"].held_out_samples(N_TEXTS, 0)
    known = [ids_of(run, sample.source) for sample in drawn]
    assert len(pairs) == N_TEXTS
    for pair, ids in zip(pairs, known, strict=True):
        read = pair.source or pair.target
        assert len(read) == min(len(ids), LONGEST)
        # What ends a text for an encoder stands there, too, where it was cut.
        assert (read == ids) == (len(ids) <= LONGEST)


def test_lines_of_one_token_are_refused_with_a_reason(opened_path, tmp_path):
    shutil.copytree(opened_path("gpt2"), tmp_path / "gpt2")
    give_text(tmp_path / "gpt2", b"a\nb", "lines")
    with pytest.raises(RunError, match="No line has two tokens"):
        pairs_read(load_run(tmp_path / "gpt2"), 10, 0)


def test_where_nothing_fills_up_a_batch_has_texts_of_one_length():
    pairs = [Pair((), (5,) * n) for n in (3, 2, 3, 4, 2)]
    batches = list(batches_of(pairs, -1))
    assert [{len(pair.target) for pair in batch} for batch in batches] == [{2}, {3}, {4}]
    assert sum(map(len, batches)) == len(pairs)
    assert list(batches_of(pairs, 0)) == list(sorted_batches(pairs))


# ---- what is found in them


def test_a_card_has_every_row_of_every_text(run):
    head = heads_of(run)[-1]
    largest, uniform, places = [], [], []
    for line in LINES:
        ids = ids_of(run, line)
        weights_QK = alone(run, head, ids)
        for query, row_K in enumerate(weights_QK):
            n_visible = query + 1 if head.kind.causal else len(row_K)
            if n_visible >= 2:
                largest.append(row_K[:n_visible].max())
                uniform.append(1 / n_visible)
                places.append((ids[query], ids[int(row_K[:n_visible].argmax())]))
    card = head_card(run, head)
    assert sorted(card.largest_R) == pytest.approx(sorted(largest), abs=1e-6)
    assert card.uniform == pytest.approx(np.mean(uniform))
    assert card.n_sentences == len(LINES)
    text = {each: run.tokenizer.describe([each])[0].text for pair in places for each in pair}
    found = Counter((text[query], text[key]) for query, key in places)
    assert all(count <= found[pair] for pair, count in card.pairs)
    assert sum(count for _pair, count in card.pairs) == (card.target_R == Target.WORD).sum()


def test_what_fills_up_a_batch_changes_no_score(run, monkeypatch):
    together = roles_of_heads(run).heads
    monkeypatch.setattr(texts, "sorted_batches", lambda pairs: ([pair] for pair in pairs))
    for one, other in zip(together, roles_of_heads(run).heads, strict=True):
        for role, score in one.scores.items():
            alike = other.scores[role]
            assert (score.n, score.rule_offset) == (alike.n, alike.rule_offset)
            assert score.value == pytest.approx(alike.value)
            assert score.baseline == pytest.approx(alike.baseline)
        assert one.confidence.value == pytest.approx(other.confidence.value, abs=1e-6)
        assert one.offset == other.offset


def test_nothing_is_computed_above_the_last_weights_that_are_looked_at(run):
    [batch] = line_texts(run, [ids_of(run, LINES[0])]).batches
    sites = run.model.sites()
    computed = []
    hooks = [
        module.register_forward_pre_hook(lambda module, _: computed.append(module.site))
        for module in run.model.modules()
        if isinstance(module, Residual)
    ]
    try:
        for site in sites:
            computed.clear()
            record = Record(sites=frozenset([site]))
            read(run.model, batch, record)
            assert computed[-1] == site
            whole = Record(sites=frozenset([site]))
            run.model(*batch.inputs, whole)
            assert torch.equal(record.weights(site), whole.weights(site))
            assert computed[-1] != site
    finally:
        for hook in hooks:
            hook.remove()
