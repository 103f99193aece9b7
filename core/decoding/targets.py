"""The targets that a model of any kind writes for sources, to be compared with true ones.

B batch, S source length, V vocabulary.
"""

import itertools
from collections.abc import Sequence

import torch

from ..batch import Ids, Pair, pad
from ..labels import before_target
from ..model import Transformer
from ..tokenizer.tokenizer import Tokenizer
from ..vocabulary import BOS, EOS
from .generate import generate
from .step import mask_special_tokens


def generate_targets(model: Transformer, pairs: Sequence[Pair], tokenizer: Tokenizer) -> list[Ids]:
    """Return the greedy output for each source, EOS included.

    A decoder alone continues the source. An encoder alone fills in all target tokens at once,
    knowing their number, or labels the source; a parallel decoder makes `PASSES` passes and does
    not know the number.
    """
    if model.config.is_encoder_decoder:
        source_BS = pad([pair.source for pair in pairs], pad_id=model.config.pad_id)
        begun = [pair.target[: pair.n_begun] for pair in pairs]
        prompt_BT = torch.tensor(begun) if len(begun[0]) > 1 else None
        return generate(model, source_BS.to(model.device), prompt_BT=prompt_BT)
    if model.config.labels_text:
        return _labelled(model, pairs)
    before = [before_target(pair, tokenizer) for pair in pairs]
    if model.config.is_decoder_only:
        return _continued(model, [(BOS, *each) for each in before])
    return _filled_in(model, before, [len(pair.target) - 2 for pair in pairs], tokenizer.mask_id)


def _continued(model: Transformer, prompts: Sequence[Ids]) -> list[Ids]:
    """Continue prompts with a decoder; those of equal length form a batch."""
    order = sorted(range(len(prompts)), key=lambda at: len(prompts[at]))
    found: dict[int, Ids] = {}
    for _, group in itertools.groupby(order, key=lambda at: len(prompts[at])):
        indices = list(group)
        written = generate(model, prompt_BT=torch.tensor([prompts[at] for at in indices]))
        found |= dict(zip(indices, written, strict=True))
    return [found[at] for at in range(len(prompts))]


@torch.inference_mode()
def _labelled(model: Transformer, pairs: Sequence[Pair]) -> list[Ids]:
    """Let an encoder label the sources."""
    logits_BSV = model(pad([pair.source for pair in pairs]).to(model.device), None)
    guessed = mask_special_tokens(logits_BSV, model.config).argmax(dim=-1).tolist()
    return [
        (*(row[at] for at in model.config.labelled(len(pair.source))), EOS)
        for row, pair in zip(guessed, pairs, strict=True)
    ]


@torch.inference_mode()
def _filled_in(
    model: Transformer, before: Sequence[Ids], lengths: Sequence[int], mask_id: int
) -> list[Ids]:
    """Let an encoder fill in all tokens of the targets."""
    read = [(*each, *[mask_id] * n, EOS) for each, n in zip(before, lengths, strict=True)]
    logits_BSV = model(pad(read).to(model.device), None)
    guessed = mask_special_tokens(logits_BSV, model.config).argmax(dim=-1).tolist()
    return [
        (*row[len(each) : len(each) + n], EOS)
        for row, each, n in zip(guessed, before, lengths, strict=True)
    ]
