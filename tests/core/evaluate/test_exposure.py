import math

import pytest
import torch

from core.batch import Pair
from core.config import ModelConfig
from core.decoding.generate import decode_steps, forced_steps
from core.decoding.step import DecodeStep
from core.evaluate.exposure import after_mistake, exposure
from core.model import build
from core.vocabulary import BOS, EOS


def step(probabilities):
    logits_V = torch.tensor([0.0, 0.0, *probabilities]).log()
    return DecodeStep((BOS,), logits_V, 2)


@pytest.fixture
def model():
    return build(ModelConfig(30, 2, 2, 16, 32, 4, max_positions=24), seed=4).eval()


def test_accuracy_per_position_is_counted_forced_and_free(model):
    pairs = [Pair((5, 6, EOS), (BOS, 7, 8, EOS)), Pair((9, EOS), (BOS, 10, EOS))]
    found = exposure(model, pairs)
    assert [each.n for each in found] == [2, 2, 1]
    for position, each in enumerate(found):
        forced_right = free_right = 0
        for pair in pairs:
            if position + 1 < len(pair.target):
                source_S = torch.tensor(pair.source)
                wanted = pair.target[position + 1]
                forced = list(forced_steps(model, source_S, pair.target[1:-1]))
                with torch.no_grad():
                    logits = model(source_S[None], torch.tensor([pair.target[:-1]]))
                forced_right += int(logits[0, position].argmax()) == wanted
                free = [one.chosen for one in decode_steps(model, source_S)]
                free_right += free[position : position + 1] == [wanted]
                assert forced[position].prefix == pair.target[: position + 1]
        assert (each.forced, each.free) == (forced_right / each.n, free_right / each.n)


def going_on(model, pair):
    """Return what a model writes from a mistake in the middle on, and where, without batches."""
    true, source_S = pair.target[1:], torch.tensor(pair.source)
    middle = (len(true) - 1) // 2
    written = list(true[:middle])
    for at in range(middle, len(true)):
        step = next(decode_steps(model, source_S, (BOS, *written)))
        logits_V = step.logits_V.clone()
        if at == middle:
            logits_V[true[at]] = -math.inf
        written.append(int(logits_V.argmax()) if at == middle else step.chosen)
    return written, middle


def test_after_a_forced_mistake_the_model_goes_on_with_its_own_words(model):
    pairs = [
        Pair((5, 6, 8, EOS), (BOS, 7, 8, 9, 4, EOS)),
        Pair((9, 10, EOS), (BOS, 10, 11, EOS)),
        Pair((9, 3, 4, 4, EOS), (BOS, 3, 4, 5, 6, 7, 8, EOS)),
        # Nothing follows where it could be mistaken.
        Pair((9, EOS), (BOS, EOS)),
    ]
    # What it writes itself is the truth, so that some of it is right.
    own = [each.chosen for each in decode_steps(model, torch.tensor(pairs[0].source))][:6]
    pairs.append(Pair(pairs[0].source, (BOS, *own, EOS)))
    n = right = 0
    for pair in (each for each in pairs if len(each.target) > 2):
        written, middle = going_on(model, pair)
        true = pair.target[1:]
        n += len(true) - middle - 1
        right += sum(written[at] == true[at] for at in range(middle + 1, len(true)))
    assert after_mistake(model, pairs) == pytest.approx(right / n)
