import torch

from core.batch import pad
from core.decoding.generate import generate
from core.decoding.step import length_limit
from core.vocabulary import BOS, EOS


def slowly(model, source):
    """One sentence, one token at a time, the whole model anew at each step."""
    written = [BOS]
    for _ in range(length_limit(model, len(source))):
        with torch.no_grad():
            logits_BTV = model(torch.tensor([source]), torch.tensor([written]))
        # The first two ids, PAD and BOS, never follow a word.
        written.append(2 + int(logits_BTV[0, -1, 2:].argmax()))
        if written[-1] == EOS:
            break
    return tuple(written[1:])


SOURCES = [[5, 6, 7, EOS], [8, EOS], [9, 10, 11, 12, 13, 14, EOS]]


def test_a_sentence_in_a_batch_is_translated_as_alone_up_to_its_own_limit(model):
    together = generate(model, pad(SOURCES))
    for source, written in zip(SOURCES, together, strict=True):
        alone = slowly(model, source)
        assert written[: len(alone)] == alone
