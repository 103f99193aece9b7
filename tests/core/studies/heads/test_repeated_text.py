"""Shares of heads made by hand, of random models against a slow count, and of a real model."""

import numpy as np
import pytest
import torch

from core.config import ModelConfig
from core.heads import Head, Kind, Site
from core.model import Record, Step, build
from core.studies.heads.repeated_text import RoleShares, TextScore, measure_roles
from core.studies.heads.repeated_tokens import RepeatedTokens, Specials, TextRole
from tests.core.families.both import opened
from tests.core.families.random_models import drawn

SELF = Site("decoder", 0, "self")
SIZES = {"vocab_size": 40, "d_model": 8, "n_heads": 2, "d_ff": 8, "max_positions": 80}


class ByHand:
    """A decoder of one layer, whose heads put 0.7 on a key and spread the rest."""

    device = torch.device("cpu")
    config = ModelConfig(**SIZES | {"n_heads": 5, "d_k": 2, "d_v": 2}, n_encoder_layers=0)

    def __init__(self, offsets_of):
        self.offsets_of = offsets_of

    def sites(self):
        return (SELF,)

    def __call__(self, source_BS, target_BT, probe):
        assert source_BS is None
        n = target_BT.shape[1]
        weights_BHQK = torch.zeros(len(target_BT), 5, n, n)
        for head, key_of in enumerate(self.offsets_of):
            for row in range(n):
                weights_BHQK[:, head, row, : row + 1] = 0.3 / (row + 1)
                weights_BHQK[:, head, row, min(max(key_of(row), 0), row)] += 0.7
        probe.at(SELF, Step.WEIGHTS, weights_BHQK)


def test_every_role_is_found_in_the_head_that_has_it():
    half = 6
    keys = {
        TextRole.PREVIOUS: lambda row: row - 1,
        TextRole.FIRST: lambda row: 0,
        TextRole.ITSELF: lambda row: row,
        TextRole.DUPLICATE: lambda row: row - half,
        TextRole.INDUCTION: lambda row: row - half + 1,
    }
    found = measure_roles(ByHand(keys.values()), n_sequences=3, half=half)
    for number, role in enumerate(keys):
        head = Head(SELF, number)
        assert found.best(role) == (head,)
        score = found.scores[role][head]
        # What is spread evenly falls on the key as often as by chance.
        assert score.share == pytest.approx(0.7 + 0.3 * score.baseline)
        assert score.beats_baseline
        assert score.n_rows == 3 * (half if role in ("duplicate", "induction") else 2 * half)
    induction = found.scores[TextRole.INDUCTION][Head(SELF, 4)]
    assert induction.baseline == pytest.approx(np.mean([1 / n for n in range(8, 14)]))


def even(model):
    """Make all heads of a model even."""
    for name, weight in model.named_parameters():
        if ".query." in name:
            torch.nn.init.zeros_(weight)
    return model.eval()


def test_an_even_head_has_the_baseline_and_does_not_beat_it():
    model = even(build(ModelConfig(**SIZES, n_encoder_layers=1, n_decoder_layers=1)))
    found = measure_roles(model, n_sequences=4, half=5)
    scores = [score for of_role in found.scores.values() for score in of_role.values()]
    assert len(scores) == len(TextRole) * 2 * 2
    for score in scores:
        assert score.share == pytest.approx(score.baseline, rel=1e-6)
        assert score.interval == pytest.approx((score.baseline, score.baseline), rel=1e-5)


MODELS = {
    "own": lambda: build(
        ModelConfig(**SIZES, n_encoder_layers=2, n_decoder_layers=2, norm="pre"), seed=3
    ).eval(),
    **{
        name: lambda name=name: opened(drawn(name))
        for name in ("marian", "t5", "bert", "bert without a head", "gpt2", "llama3")
    },
}


def slowly(model, text, head):
    """One row after the other: weights on the key of each role, and what chance gives, by mask."""
    config, record, kind = model.config, Record(), head.kind
    source, target = (
        text.ids_NP(config, Kind.self_of(stack).query_side) if stack in config.stacks else None
        for stack in ("encoder", "decoder")
    )
    with torch.no_grad():
        if target is None:
            model.encode(source, record)
        else:
            model(source, target, record)
    ids = (source if kind is Kind.ENCODER_SELF else target).tolist()
    begin = len(text.specials.begins if kind is Kind.ENCODER_SELF else config.begins)
    maps = record.weights(head.site)[:, head.index].double().numpy()
    visible = record.tensors[head.site, Step.VISIBLE].expand(len(ids), *maps.shape[1:]).numpy()
    found = {role: [[] for _ in ids] for role in TextRole}
    chances = {role: [] for role in TextRole}
    for number, sequence in enumerate(ids):
        for row in range(begin, begin + 2 * text.half):
            seen = np.flatnonzero(visible[number, row]).tolist()
            same = [key for key in seen if key != row and sequence[key] == sequence[row]]
            repeated = [key for key in same if key < row and row >= begin + text.half]
            keys = {
                TextRole.PREVIOUS: [key for key in seen if key == row - 1],
                TextRole.FIRST: [0] if row > 0 else [],
                TextRole.ITSELF: [row],
                TextRole.DUPLICATE: same,
                TextRole.INDUCTION: [key + 1 for key in repeated],
            }
            for role, [key] in ((r, k) for r, k in keys.items() if k and len(seen) > 1):
                found[role][number].append(maps[number, row, key])
                chances[role].append(1 / len(seen))
    return found, chances


@pytest.mark.parametrize("name", MODELS)
def test_shares_baselines_and_intervals_are_those_of_a_slow_count(name):
    model = MODELS[name]()
    text = RepeatedTokens(9, 30 if name == "own" else 11, 5, Specials(begins=(9,), ends=(8, 7)))
    found = measure_roles(model, text.n_sequences, text.half, text.seed, text.specials)
    assert found.text == text
    selfs = [site for site in model.sites() if site.is_self]
    heads = [head for site in selfs for head in site.heads(model.config.n_heads)]
    assert all(list(found.scores[role]) == heads for role in TextRole)
    for head in {heads[0], heads[-1]}:
        shares, chances = slowly(model, text, head)
        for role in TextRole:
            score, means = found.scores[role][head], np.array([np.mean(s) for s in shares[role]])
            assert score.share == pytest.approx(means.mean(), rel=1e-4)
            assert score.baseline == pytest.approx(np.mean(chances[role]))
            assert (score.n_rows, score.n_sequences) == (len(chances[role]), 9)
            reach = 1.959964 * means.std(ddof=1) / 3
            wanted = (max(means.mean() - reach, 0), min(means.mean() + reach, 1))
            assert score.interval == pytest.approx(wanted, rel=1e-3, abs=1e-5)


def test_one_sequence_says_nothing_of_others():
    found = measure_roles(MODELS["own"](), n_sequences=1, half=4)
    for score in found.scores[TextRole.PREVIOUS].values():
        assert score.interval == (0.0, 1.0)
        assert not score.beats_baseline


def test_an_interval_above_the_baseline_beats_it():
    assert TextScore(0.3, 0.1, (0.11, 0.5), 9, 3).beats_baseline
    assert not TextScore(0.3, 0.1, (0.1, 0.5), 9, 3).beats_baseline


def test_the_best_come_first_and_may_be_asked_of_one_kind():
    found = measure_roles(MODELS["own"](), n_sequences=2, half=4)
    of_role = found.scores[TextRole.FIRST]
    heads = found.best(TextRole.FIRST, 100)
    assert sorted(heads) == sorted(of_role)
    shares = [of_role[head].share for head in heads]
    assert shares == sorted(shares, reverse=True)
    decoders = found.best(TextRole.FIRST, 2, Kind.DECODER_SELF)
    assert decoders == tuple(head for head in heads if head.kind is Kind.DECODER_SELF)[:2]


def test_a_probe_of_shares_changes_nothing_and_keeps_no_map():
    model, text = MODELS["own"](), RepeatedTokens(2, 6)
    probe = RoleShares({Kind.DECODER_SELF: text.keys(model.config, Kind.DECODER_SELF)})
    source, target = (text.ids_NP(model.config, side) for side in ("source", "target"))
    with torch.no_grad():
        torch.testing.assert_close(model(source, target, probe), model(source, target))
    assert {site.attention for _, site in probe.found} == {Kind.DECODER_SELF}
    assert all(each.shape == (2, 2) for shares in probe.found.values() for each in shares)


def test_progress_is_told_after_each_batch():
    told = []
    measure_roles(MODELS["own"](), n_sequences=20, half=30, progress=told.append)
    assert told == [8, 16, 20]
