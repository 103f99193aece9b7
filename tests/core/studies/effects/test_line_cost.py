"""What silencing costs in lines of one's own: against a head whose part of W^O is zero."""

import shutil

import numpy as np
import pytest
import torch

from core.batch import collate
from core.evaluate.evaluation import held_out_pairs
from core.heads import Head
from core.model import Silence
from core.objective import held_out_as_learned
from core.runs.own_text import give_text
from core.runs.run import load_run
from core.studies.effects.line_cost import (
    N_LINES,
    cost_of_head,
    costs_on_lines,
    others_of_layer,
)
from core.studies.heads.repeated_tokens import TextRole
from core.vocabulary import PAD

LINES = [
    "the animal and the street",
    "the animal is tired",
    "did not cross it",
    "capital of France",
]


@pytest.fixture(scope="module")
def run(opened_path, tmp_path_factory):
    path = tmp_path_factory.mktemp("cost") / "gpt2"
    shutil.copytree(opened_path("gpt2"), path)
    give_text(path, "\n".join(LINES).encode(), "lines")
    return load_run(path)


def loss(run, heads, lines=LINES[1::2]):
    """Mean −log p of the tokens of lines, with these heads' part of W^O at zero."""
    model = load_run(run.path).model
    width = model.config.d_model // model.config.n_heads
    with torch.no_grad():
        for head in heads:
            weight = model.decoder[head.layer].self_attention.output.weight
            weight[:, head.index * width : (head.index + 1) * width] = 0
        total = n = 0
        for line in lines:
            ids = [*run.tokenizer.begins, *run.tokenizer.encode(line).ids]
            logits = model(None, torch.tensor([ids]))[0].double().numpy()
            log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
            total -= sum(log_p[at - 1, ids[at]] for at in range(1, len(ids)))
            n += len(ids) - 1
    return total / n


def test_costs_are_those_of_a_slow_computation(run):
    costs = costs_on_lines(run, TextRole.PREVIOUS)
    assert 1 in costs
    for n, cost in costs.items():
        assert (len(cost.heads), len(cost.others)) == (n, n)
        assert not set(cost.heads) & set(cost.others)
        assert cost.silenced.before == pytest.approx(loss(run, ()), abs=1e-5)
        assert cost.silenced.after == pytest.approx(loss(run, cost.heads), abs=1e-5)
        assert cost.control.after == pytest.approx(loss(run, cost.others), abs=1e-5)
        assert cost.silenced.n == len(LINES) // 2


def test_nothing_is_measured_of_what_writes_nothing(opened_path, tmp_path):
    shutil.copytree(opened_path("bert"), tmp_path / "bert")
    give_text(tmp_path / "bert", "\n".join(LINES).encode(), "lines")
    assert costs_on_lines(load_run(tmp_path / "bert"), TextRole.PREVIOUS) == {}


def test_nothing_is_measured_on_a_single_line(opened_path, tmp_path):
    shutil.copytree(opened_path("gpt2"), tmp_path / "gpt2")
    # A line of one token has none that comes next.
    give_text(tmp_path / "gpt2", b"the animal is tired\nit", "lines")
    assert costs_on_lines(load_run(tmp_path / "gpt2"), TextRole.PREVIOUS) == {}


def test_what_one_head_costs_is_that_of_a_slow_computation_beside_the_others_of_its_layer(run):
    head = Head.parse("decoder.1.self:2")
    others = others_of_layer(head, run.model.config.n_heads)
    assert {other.site for other in others} == {head.site}
    assert head not in others
    assert len(set(others)) == 3
    cost = cost_of_head(run, head)
    assert cost.silenced.n == len(LINES)
    assert cost.silenced.before == pytest.approx(loss(run, (), LINES), abs=1e-5)
    assert cost.silenced.after == pytest.approx(loss(run, (head,), LINES), abs=1e-5)
    expected = np.mean([loss(run, (other,), LINES) for other in others])
    assert cost.others.after == pytest.approx(expected, abs=1e-5)


def test_nobody_knows_what_an_opened_encoder_is_to_predict(opened_path):
    assert cost_of_head(load_run(opened_path("bert")), Head.parse("encoder.0.self:0")) is None


@pytest.mark.parametrize("like", ["bert", "gpt2"])
def test_a_model_trained_here_loses_what_it_learned_to_predict(one_stack_folder, like):
    run = load_run(one_stack_folder(like))
    [head] = run.model.sites()[0].heads(run.model.config.n_heads)[:1]
    pairs = held_out_as_learned(held_out_pairs(run, N_LINES, 0), run.model.config, run.tokenizer)
    found = []
    for probe in (Silence.of(()), Silence.of((head,))):
        total = n = 0
        for pair in pairs:
            with torch.no_grad():
                logits = run.model(*collate([pair]).inputs, probe)[0].double()
            for row, label in zip(logits.log_softmax(dim=-1), pair.labels, strict=True):
                if label != PAD:
                    total, n = total - float(row[label]), n + 1
        found.append(total / n)
    cost = cost_of_head(run, head)
    assert [cost.silenced.before, cost.silenced.after] == pytest.approx(found, abs=1e-6)
