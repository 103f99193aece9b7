"""Roles in random tokens that repeat and in own lines: against loops over rows and keys."""

import shutil
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from core.config import ModelConfig
from core.heads import Kind
from core.model import Record, Step
from core.runs.own_text import give_text
from core.runs.run import load_run
from core.studies.heads import texts as texts_module
from core.studies.heads.question import Role
from core.studies.heads.text_roles import QUESTIONS, text_roles, text_row
from core.studies.heads.texts import random_texts, texts_of
from core.vocabulary import BOS, EOS, PAD

N = 10
"""Sequences that are drawn: loops over rows and keys take long."""
LINES = ["the animal and the street", "the animal", "did not cross the street, did not cross"]


@pytest.fixture(scope="module", autouse=True)
def _few_sequences():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts_module, "N_SEQUENCES", N)
        yield


@pytest.fixture(
    scope="module",
    params=[
        "bert",
        "gpt2",
        *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("llama", "t5")),
    ],
)
def run(request, opened_path, tmp_path_factory):
    path = tmp_path_factory.mktemp("texts") / request.param
    shutil.copytree(opened_path(request.param), path)
    if request.param != "t5":
        give_text(path, "\n".join(LINES).encode(), "lines")
    return load_run(path)


@pytest.fixture(params=["random", "own"])
def source(request, run):
    if request.param == "own" and not run.settings.has_lines:
        pytest.skip("a translator takes pairs")
    return request.param


def wanted(ids, query, role, seen, half_from):
    """Return the keys that a role wants of a row, one after the other."""
    if role is Role.INDUCTION and query < half_from:
        return []
    is_wanted = {
        Role.PREVIOUS: lambda key: key == query - 1,
        Role.FIRST: lambda key: key == 0 and query > 0,
        Role.ITSELF: lambda key: key == query,
        Role.DUPLICATE: lambda key: key != query and ids[key] == ids[query],
        Role.INDUCTION: lambda key: key > 0 and key - 1 != query and ids[key - 1] == ids[query],
    }[role]
    return [key for key in seen if is_wanted(key)]


def rows(run, source, kind):
    """Yield text, ids, query, weights_HK of each layer, visible keys; only of what is asked."""
    texts = texts_of(run, source)
    for number, batch in enumerate(texts.batches):
        record = Record()
        with torch.inference_mode():
            if run.model.config.n_decoder_layers:
                run.model(*batch.inputs, record)
            else:
                run.model.encode(batch.source_BS, record)
        [ids] = batch.ids(kind.query_side).tolist()
        sites = [site for site in run.model.sites() if site.attention is kind]
        weights_HQK = torch.cat([record.weights(site)[0] for site in sites]).double().numpy()
        visible_QK = record.tensors[sites[0], Step.VISIBLE][0].expand(weights_HQK.shape[1:])
        for query in range(len(ids))[texts.asked(kind.query_side, len(ids))]:
            seen = np.flatnonzero(visible_QK[query]).tolist()
            if len(seen) >= 2:
                half_from = texts.around[kind.query_side][0] + texts.half if texts.half else 0
                yield number, ids, query, weights_HQK[:, query], seen, half_from


def test_shares_baselines_and_intervals_are_those_of_a_slow_count(run, source):
    found = text_roles(run, source)
    kinds = dict.fromkeys(site.attention for site in run.model.sites() if site.is_self)
    for kind in kinds:
        given, even = {}, {}
        for text, ids, query, weights_HK, seen, half_from in rows(run, source, kind):
            for role in QUESTIONS:
                if keys := wanted(ids, query, role, seen, half_from):
                    given.setdefault(role, {}).setdefault(text, []).append(
                        weights_HK[:, keys].sum(axis=1)
                    )
                    even.setdefault(role, []).append(len(keys) / len(seen))
        for role, of_texts in given.items():
            heads = [head for head in found.scores[role] if head.kind is kind]
            n_N = np.array([len(of_texts.get(text, ())) for text in range(found.n_texts)])
            sums_NH = [
                np.sum(of_texts.get(text, [np.zeros(len(heads))]), axis=0)
                for text in range(found.n_texts)
            ]
            for number, head in enumerate(heads):
                sums_N = np.array(sums_NH)[:, number]
                share, n = sums_N.sum() / n_N.sum(), len(n_N)
                left = ((sums_N - share * n_N) ** 2).sum()
                reach = 1.959964 * np.sqrt(n / (n - 1) * left) / n_N.sum()
                score = found.scores[role][head]
                assert score.value == pytest.approx(share, abs=1e-6)
                assert score.baseline == pytest.approx(np.mean(even[role]))
                assert (score.n, score.n_texts) == (n_N.sum(), (n_N > 0).sum())
                bounds = (max(share - reach, 0), min(share + reach, 1))
                assert score.interval == pytest.approx(bounds, abs=1e-5)
                assert score.beats_baseline == (score.interval[0] > score.baseline)


def test_the_row_that_is_shown_is_asked_and_stands_in_the_middle(run, source):
    found, of_kind = text_roles(run, source), {}
    for role in QUESTIONS:
        [head] = found.best(role)
        row = text_row(run, source, role, head)
        at = list(run.model.sites()).index(head.site)
        number = at * run.model.config.n_heads + head.index
        if head.kind is Kind.DECODER_SELF:
            number -= run.model.config.n_encoder_layers * run.model.config.n_heads
        if head.kind not in of_kind:
            of_kind[head.kind] = list(rows(run, source, head.kind))
        largest = []
        for text, ids, query, weights_HK, seen, half_from in of_kind[head.kind]:
            keys = wanted(ids, query, role, seen, half_from)
            if keys and (source == "own" or text == 0):
                largest.append(weights_HK[number, keys].max())
            if (tuple(ids), query) == (row.ids, row.query):
                assert row.key in keys
                assert row.weights_K == pytest.approx(weights_HK[number], abs=1e-6)
        middle = sorted(largest)[(len(largest) - 1) // 2]
        assert row.weights_K[row.key] == pytest.approx(middle, rel=1e-5), role
        assert row.weights_K[~row.visible_K].sum() == 0


# ---- random tokens


def model(**more):
    """What is asked of a run before sequences are drawn for it."""
    sizes = {"vocab_size": 60, "d_model": 8, "n_heads": 2, "d_ff": 8, "max_positions": 80}
    tokenizer = SimpleNamespace(begins=(11, 12), ends=(13,), specials={7: "", 11: ""})
    config = ModelConfig(**sizes | more)
    return SimpleNamespace(model=SimpleNamespace(config=config), tokenizer=tokenizer)


def test_the_second_half_repeats_the_first_and_no_token_stands_twice_in_a_half():
    texts = random_texts(model())
    assert (len(texts.batches), texts.half) == (N, 32)
    drawn = {"source": [], "target": []}
    for batch in texts.batches:
        for side, of_side in drawn.items():
            [ids] = batch.ids(side).tolist()
            text = ids[texts.asked(side, len(ids))]
            assert text[:32] == text[32:]
            assert len(set(text)) == 32
            of_side.append(tuple(text))
        assert batch.source_BS[0, [0, 1, -1]].tolist() == [11, 12, 13]
        assert batch.fed_BT[0, 0] == BOS
    assert set().union(*drawn["source"]) == set(range(60)) - {PAD, BOS, EOS, 7, 11, 12, 13}
    assert set().union(*drawn["target"]) == set(range(60)) - {PAD, BOS, EOS, 7, 11}
    others = [tuple(each.source_BS[0, 2:-1].tolist()) for each in random_texts(model(), 1).batches]
    assert len({*drawn["source"], *drawn["target"], *others}) == 3 * N
