"""What is learned from a pair: to translate it, to write on after its source, or to fill it in.

A model of encoder and decoder reads the source and writes the target. A model of one stack is given
both as one text, `source = target`. A decoder alone (GPT-2, LLaMA) learns each next token of the
target. An encoder alone (BERT) learns the tokens of the target that are masked: any number of them,
so that it can fill in one word or all of them (Ghazvininejad et al. 2019). A parallel decoder
learns the same at its places, of which there are more than tokens: EOS fills up the rest. Where it
predicts the length there are as many as tokens, and EOS is given.

The source is given and never predicted, as it is for an encoder and decoder: so losses and shares
of right tokens can be compared among the three.
"""

import itertools
import random
from collections.abc import Sequence

import torch

from core.batch import Ids, Pair, pad
from core.config import ModelConfig
from core.decoding.generate import generate
from core.decoding.mask_predict import n_places
from core.decoding.step import sayable
from core.model import Transformer
from core.tokenizer.tokenizer import Tokenizer
from core.vocabulary import BOS, EOS, PAD

SEPARATOR = "="
"""Stands between source and target where both are one text."""


def longest_side(config: ModelConfig, tokenizer: Tokenizer) -> int:
    """Return how many tokens a source or a target may have, the special one included."""
    if config.is_encoder_decoder:
        return config.max_positions
    # One special token for both, which a side is counted with.
    return (config.max_positions - len(_separator(tokenizer)) + 1) // 2


def as_learned(
    pairs: Sequence[Pair], config: ModelConfig, tokenizer: Tokenizer, rng: random.Random
) -> list[Pair]:
    """Return pairs as a model learns from them.

    Args:
        pairs: Source and target, as `encode_samples` makes them.
        config: Of the model.
        tokenizer: Of the model.
        rng: Chooses the tokens that are masked, for an encoder alone or a parallel decoder.
    """
    if config.is_parallel:
        return [_to_fill_places(pair, config, rng) for pair in pairs]
    if config.is_encoder_decoder:
        return list(pairs)
    separator = _separator(tokenizer)
    if config.is_decoder_only:
        return [_to_write_on(pair, separator) for pair in pairs]
    return [_to_fill_in(pair, separator, tokenizer.mask_id, rng) for pair in pairs]


def held_out_as_learned(
    pairs: Sequence[Pair], config: ModelConfig, tokenizer: Tokenizer
) -> list[Pair]:
    """Return pairs as `as_learned` does, each with the same masks whenever it is asked for."""
    return [
        learned
        for pair in pairs
        for learned in as_learned([pair], config, tokenizer, random.Random(str(pair.target)))
    ]


def as_read(pairs: Sequence[Pair], config: ModelConfig, tokenizer: Tokenizer) -> list[Pair]:
    """Return pairs as a model of one stack reads them whole: source and target, nothing masked.

    Args:
        pairs: As in `as_learned`.
        config: Of a model of one stack.
        tokenizer: Of the model.
    """
    separator = _separator(tokenizer)
    if config.is_decoder_only:
        return [_to_write_on(pair, separator) for pair in pairs]
    return [
        Pair(source=(*_given(pair, separator), *pair.target[1:]), target=(), text=pair.text)
        for pair in pairs
    ]


def written(model: Transformer, pairs: Sequence[Pair], tokenizer: Tokenizer) -> list[Ids]:
    """Return what a model makes of each source, token by token, EOS included.

    Greedily; an encoder alone fills in all tokens of the target at once, and is told how many. A
    parallel decoder is not told, and makes `PASSES` passes.

    Args:
        model: In evaluation mode.
        pairs: Source and target, as `encode_samples` makes them.
        tokenizer: Of the model.
    """
    if model.config.is_encoder_decoder:
        return translations(model, pairs)
    separator = _separator(tokenizer)
    if model.config.is_decoder_only:
        return _written_on(model, [(BOS, *_given(pair, separator)) for pair in pairs])
    return _filled_in(model, pairs, separator, tokenizer.mask_id)


def translations(model: Transformer, pairs: Sequence[Pair]) -> list[Ids]:
    """Return the translation of each pair's source, by a model of encoder and decoder."""
    sources_BS = pad([pair.source for pair in pairs], pad_id=model.config.pad_id).to(model.device)
    return generate(model, sources_BS)


def prompt_of(source: str) -> str:
    """Return what a decoder alone goes on from to translate a source.

    >>> prompt_of("k d a f")
    'k d a f ='
    """
    return f"{source} {SEPARATOR}"


def source_of(prompt: str) -> str | None:
    """Return the source of a prompt; None where it is no such prompt.

    >>> source_of("k d a f ="), source_of("k d a f")
    ('k d a f', None)
    """
    source = prompt.strip().removesuffix(SEPARATOR).strip()
    return source if source and prompt_of(source) == prompt.strip() else None


def text_of(source: str, target: str) -> str:
    """Return source and target as one text.

    >>> text_of("k d a f", "f a d k")
    'k d a f = f a d k'
    """
    return f"{prompt_of(source)} {target}"


def _separator(tokenizer: Tokenizer) -> Ids:
    return tokenizer.encode(SEPARATOR).ids


def _given(pair: Pair, separator: Ids) -> Ids:
    """Return the source and what stands after it; EOS is at the end of the whole text only."""
    return (*pair.source[:-1], *separator)


def _to_write_on(pair: Pair, separator: Ids) -> Pair:
    given, said = _given(pair, separator), pair.target[1:]
    # Row i predicts token i + 1: BOS and all but the last that is given predict nothing.
    labels = (*[PAD] * len(given), *said)
    return Pair(source=(), target=(BOS, *given, *said), text=pair.text, labels=labels)


def _to_fill_in(pair: Pair, separator: Ids, mask_id: int, rng: random.Random) -> Pair:
    """Return source and target as one text in which some tokens of the target are masked."""
    given, said = _given(pair, separator), pair.target[1:-1]
    n = len(said)
    # BERT leaves some of the chosen tokens as they are, for a later training without masks. There
    # is none here.
    masked = set(rng.sample(range(n), rng.randint(1, n))) if n else set()
    read = [mask_id if at in masked else token for at, token in enumerate(said)]
    labels = [token if at in masked else PAD for at, token in enumerate(said)]
    return Pair(
        source=(*given, *read, EOS),
        target=(),
        text=pair.text,
        labels=(*[PAD] * len(given), *labels, PAD),
    )


def _to_fill_places(pair: Pair, config: ModelConfig, rng: random.Random) -> Pair:
    """Return a pair whose target has some places masked, any number of them; EOS fills it up.

    What does not fit into the places is left out.
    """
    if config.predicts_length:
        # EOS stands at the last place, and is told.
        said = (*(pair.target[1:-1] or (EOS,))[: config.max_positions - 2], EOS)
        n = len(said) - 1
    else:
        n = n_places(config, len(pair.source))
        said = (*pair.target[1:], *[EOS] * n)[:n]
    masked = set(rng.sample(range(n), rng.randint(1, n)))
    read = [config.mask_id if at in masked else token for at, token in enumerate(said)]
    labels = [token if at in masked else PAD for at, token in enumerate(said)]
    # All but the last of a target are fed. Row i predicts its own token: that of BOS nothing.
    target = (BOS, *read, EOS)
    return Pair(source=pair.source, target=target, text=pair.text, labels=(PAD, *labels))


def _written_on(model: Transformer, prompts: Sequence[Ids]) -> list[Ids]:
    """Let a decoder write on; prompts of the same length go side by side."""
    order = sorted(range(len(prompts)), key=lambda at: len(prompts[at]))
    found: dict[int, Ids] = {}
    for _, group in itertools.groupby(order, key=lambda at: len(prompts[at])):
        places = list(group)
        said = generate(model, prompt_BT=torch.tensor([prompts[at] for at in places]))
        found |= dict(zip(places, said, strict=True))
    return [found[at] for at in range(len(prompts))]


@torch.inference_mode()
def _filled_in(
    model: Transformer, pairs: Sequence[Pair], separator: Ids, mask_id: int
) -> list[Ids]:
    """Let an encoder fill in all tokens of the targets."""
    given = [_given(pair, separator) for pair in pairs]
    lengths = [len(pair.target) - 2 for pair in pairs]
    read = [(*each, *[mask_id] * n, EOS) for each, n in zip(given, lengths, strict=True)]
    logits_BSV = model(pad(read).to(model.device), None)
    guessed = sayable(logits_BSV, model.config).argmax(dim=-1).tolist()
    return [
        (*row[len(each) : len(each) + n], EOS)
        for row, each, n in zip(guessed, given, lengths, strict=True)
    ]
