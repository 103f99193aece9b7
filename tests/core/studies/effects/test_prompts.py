"""What silencing each head changes in prompts with a right and a wrong continuation."""

import json

import pytest
import torch

from core.batch import one_row
from core.model import Silence
from core.runs.run import load_run
from core.studies.effects.prompts import (
    effects_on_prompts,
    encode_prompts,
    logit_difference,
    read_prompts,
)
from core.tasks.columns import CorpusError

LINES = [
    ("The capital of France is", "Paris", "Rome"),
    ("It was too tired and the animal did not", "cross the street", "cross the capital"),
    ("The", "animal", "street"),
]


@pytest.fixture(params=["gpt2", "t5"])
def run(request, opened_path):
    return load_run(opened_path(request.param))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "prompts.tsv"
    path.write_text("prompt\tright\twrong\n" + "".join("\t".join(row) + "\n" for row in LINES))
    return path


def test_each_head_changes_the_difference_as_silencing_it_for_each_prompt_alone_does(run, file):
    prompts = encode_prompts(run, read_prompts(file))
    assert len(prompts) == len(LINES)
    # What both continuations begin with is fed: the token after it decides.
    assert run.target_tokenizer.decode(prompts[1].fed_ids).rstrip().endswith("cross the")
    found = dict(effects_on_prompts(run, prompts))
    head, effect = next(iter(found.items()))

    def mean(probe):
        values = []
        for each in prompts:
            source = one_row(each.source_ids)
            logits_V = run.model(source, one_row(each.fed_ids), probe)[0, -1]
            values.append(float(logit_difference(logits_V, each)))
        return sum(values) / len(values)

    with torch.inference_mode():
        assert effect.before == pytest.approx(mean(None), abs=1e-4)
        assert effect.after == pytest.approx(mean(Silence.of([head])), abs=1e-4)
    assert effect.low < effect.change < effect.high


def test_the_measure_can_be_ones_own_and_the_file_json_lines(run, file):
    lines = [json.dumps(dict(zip(("prompt", "right", "wrong"), row, strict=True))) for row in LINES]
    prompts = encode_prompts(run, read_prompts(file))
    file.write_text("\n".join(lines))
    assert encode_prompts(run, read_prompts(file)) == prompts
    found = effects_on_prompts(
        run, prompts, lambda logits_V, prompt: logits_V.softmax(0)[prompt.right_id]
    )
    assert all(0 <= each.before <= 1 and 0 <= each.after <= 1 for _, each in found)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("a prompt\tright\n", "line 1: a prompt, a right and a wrong"),
        ("The\tanimal\tanimal\n", "line 1: one continuation is the beginning of the other"),
        (f"{'street ' * 500}\tanimal\tstreet\n", "line 1: longer than the model can read"),
        ("\n", "there is no prompt"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(run, file, content, why):
    file.write_text(content)
    with pytest.raises(CorpusError, match=why):
        encode_prompts(run, read_prompts(file))
