import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from core.batch import TokenReference, collate, encode_samples
from core.heads import Head, Site
from core.tasks import TASKS
from core.training.losses import guided_loss, guided_rows

ENCODER, CROSS = Site("encoder", 0, "self"), Site("decoder", 0, "cross")


def reference(pronoun, antecedent, steps):
    return TokenReference(pronoun, antecedent, (antecedent,), steps, True)


def rows(references, head):
    """Return the rows of a batch of which only the pronouns matter."""
    return guided_rows(SimpleNamespace(references=references), head)


@pytest.fixture(name="weights_BHQK")
def weights():
    """Two sentences, two heads, 3 × 4; every row sums to 1."""
    return torch.randn(2, 2, 3, 4, generator=torch.Generator().manual_seed(2)).softmax(dim=-1)


def test_guided_loss_is_the_mean_of_the_logarithms_written_out(weights_BHQK):
    references = (
        (reference((2,), (0, 1), (1,)), reference((1,), (3,), (0, 2))),
        (reference((0,), (2,), (2,)),),
    )
    w = weights_BHQK[:, 1].double().numpy()
    encoder = np.log([w[0, 2, 0] + w[0, 2, 1], w[0, 1, 3], w[1, 0, 2]])
    cross = np.log([w[0, 1, 0] + w[0, 1, 1], w[0, 0, 3], w[0, 2, 3], w[1, 2, 2]])
    for site, logarithms in ((ENCODER, encoder), (CROSS, cross)):
        loss = guided_loss(weights_BHQK, rows(references, Head(site, 1)), Head(site, 1))
        assert loss.item() == pytest.approx(-logarithms.mean(), rel=1e-5)


def test_the_loss_of_a_guided_head_is_bounded():
    weights = torch.eye(3)[None, None]
    references = ((reference((1,), (2,), (1,)),),)
    head = Head(ENCODER, 0)
    loss = guided_loss(weights, rows(references, head), head)
    assert loss.item() == pytest.approx(-math.log(1e-9), rel=1e-5)


@pytest.mark.parametrize("task", ["copy", "reverse", "translate"])
def test_by_the_alignment_every_step_looks_at_the_words_that_it_comes_from(tokenizer, task):
    """Found anew from the texts: each token of the target, and those of the words linked to it."""
    samples = TASKS[task].held_out_samples(20, seed=1)
    batch = collate(encode_samples(tokenizer, samples, aligned=True))
    found = guided_rows(batch, Head(CROSS, 0), "alignment")
    expected = []
    for sentence, sample in enumerate(samples):
        source, target = tokenizer.encode(sample.source), tokenizer.encode(sample.target)
        for step in range(len(target.ids)):
            keys = {
                key
                for link in sample.links
                if step in target.tokens_in(link.target)
                for key in source.tokens_in(link.source)
            }
            if keys:
                expected.append((sentence, step, tuple(sorted(keys))))
    assert found == expected
    # What a row looks at is what it writes.
    if task != "translate":
        for sentence, step, keys in found:
            written = tokenizer.decode([int(batch.labels_BT[sentence, step])])
            read = tokenizer.decode(batch.source_BS[sentence, list(keys)].tolist())
            assert written.strip() in read.strip()
            assert len(read.strip()) == 1
    parts = [batch.part(index, 3) for index in range(3)]
    of_parts = [guided_rows(part, Head(CROSS, 0), "alignment") for part in parts]
    assert sum(map(len, of_parts)) == len(found)
