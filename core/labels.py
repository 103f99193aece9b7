"""Inputs and labels of each kind of model for a pair.

An encoder–decoder reads the source and writes the target. A model of one stack is given both as one
text, `source = target`. A decoder alone (GPT-2, LLaMA) learns each next token of the target. An
encoder alone (BERT) learns the tokens of the target that are masked: any number of them, so that it
can fill in one word or all of them (Ghazvininejad et al. 2019). A parallel decoder learns the same
at its positions; there are more positions than tokens, and EOS fills up the rest. Where it predicts
the length there are as many as tokens, and EOS is an input.

An encoder alone that predicts tags or a class reads the source; the target has a label for each
source token, or one for all.

The source is an input and never predicted, as it is for an encoder–decoder: so losses and shares
of right tokens can be compared among all kinds.
"""

import random
from collections.abc import Sequence

from .batch import Ids, Pair
from .config import ModelConfig
from .tokenizer.tokenizer import Tokenizer
from .vocabulary import BOS, EOS, PAD

SEPARATOR = "="
"""Stands between source and target where both are one text."""


def longest_side(config: ModelConfig, tokenizer: Tokenizer) -> int:
    """Return the maximum tokens of a source or a target, the special one included."""
    if config.reads_sources:
        return config.max_positions
    # Each side is counted with one special token, but both share one.
    return (config.max_positions - len(_separator(tokenizer)) + 1) // 2


def as_learned(
    pairs: Sequence[Pair], config: ModelConfig, tokenizer: Tokenizer, rng: random.Random
) -> list[Pair]:
    """Return pairs with the inputs and labels of a model.

    Args:
        pairs: Source and target, as `encode_samples` makes them.
        config: The model's configuration.
        tokenizer: The model's tokenizer.
        rng: Chooses masked tokens, for an encoder alone or a parallel decoder.
    """
    if config.labels_text:
        return [_labelled(pair, config) for pair in pairs]
    if config.is_parallel:
        return [_with_masked_positions(pair, config, rng) for pair in pairs]
    if config.is_encoder_decoder:
        return list(pairs)
    if config.is_decoder_only:
        return [_for_decoder(pair, tokenizer) for pair in pairs]
    return [_for_encoder(pair, tokenizer, rng) for pair in pairs]


def held_out_as_learned(
    pairs: Sequence[Pair], config: ModelConfig, tokenizer: Tokenizer
) -> list[Pair]:
    """Return pairs as `as_learned` does, each with the same masks in every call."""
    return [
        learned
        for pair in pairs
        for learned in as_learned([pair], config, tokenizer, random.Random(str(pair.target)))
    ]


def as_read(pairs: Sequence[Pair], config: ModelConfig, tokenizer: Tokenizer) -> list[Pair]:
    """Return pairs as a model of one stack reads them: source and target whole, nothing masked."""
    if config.is_decoder_only:
        return [_for_decoder(pair, tokenizer) for pair in pairs]
    if config.labels_text:
        return [Pair(source=pair.source, target=(), text=pair.text) for pair in pairs]
    return [
        Pair(source=(*before_target(pair, tokenizer), *pair.target[1:]), target=(), text=pair.text)
        for pair in pairs
    ]


def prompt_of(source: str) -> str:
    """Return the prompt from which a decoder alone translates a source.

    >>> prompt_of("k d a f")
    'k d a f ='
    """
    return f"{source} {SEPARATOR}"


def source_of(prompt: str) -> str | None:
    """Return the source of a prompt; None for any other text.

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


def before_target(pair: Pair, tokenizer: Tokenizer) -> Ids:
    """Return the tokens before the target in the one text of both: the source and a separator."""
    # EOS is at the end of the whole text only.
    return (*pair.source[:-1], *_separator(tokenizer))


def _separator(tokenizer: Tokenizer) -> Ids:
    return tokenizer.encode(SEPARATOR).ids


def _for_decoder(pair: Pair, tokenizer: Tokenizer) -> Pair:
    prompt, target = before_target(pair, tokenizer), pair.target[1:]
    # Row i predicts token i + 1: BOS and all but the last of the prompt predict nothing.
    labels = (*[PAD] * len(prompt), *target)
    return Pair(source=(), target=(BOS, *prompt, *target), text=pair.text, labels=labels)


def _labelled(pair: Pair, config: ModelConfig) -> Pair:
    labels = [PAD] * len(pair.source)
    for at, label in zip(config.labelled(len(pair.source)), pair.target[1:-1], strict=True):
        labels[at] = label
    return Pair(source=pair.source, target=(), text=pair.text, labels=tuple(labels))


def _masked(tokens: Ids, mask_id: int, rng: random.Random) -> tuple[list[int], list[int]]:
    """Return tokens with any number of them masked, and the labels: the masked ones."""
    n = len(tokens)
    # BERT leaves some of the chosen tokens unmasked, for later fine-tuning without masks. There is
    # none here.
    masked = set(rng.sample(range(n), rng.randint(1, n))) if n else set()
    inputs = [mask_id if at in masked else token for at, token in enumerate(tokens)]
    return inputs, [token if at in masked else PAD for at, token in enumerate(tokens)]


def _for_encoder(pair: Pair, tokenizer: Tokenizer, rng: random.Random) -> Pair:
    """Return source and target as one text in which some tokens of the target are masked."""
    prompt = before_target(pair, tokenizer)
    inputs, labels = _masked(pair.target[1:-1], tokenizer.mask_id, rng)
    return Pair(
        source=(*prompt, *inputs, EOS),
        target=(),
        text=pair.text,
        labels=(*[PAD] * len(prompt), *labels, PAD),
    )


def _with_masked_positions(pair: Pair, config: ModelConfig, rng: random.Random) -> Pair:
    """Return a pair whose target has some positions masked, any number of them; EOS fills it up.

    Tokens beyond the positions are cut.
    """
    if config.predicts_length:
        # The last position is EOS, an input.
        target = (pair.target[1:-1] or (EOS,))[: config.max_positions - 2]
        end: Ids = (EOS,)
    else:
        n, end = config.n_places(len(pair.source)), ()
        target = (*pair.target[1:], *[EOS] * n)[:n]
    inputs, labels = _masked(target, config.mask_id, rng)
    # All but the last of a target are fed. Row i predicts its own token: that of BOS nothing.
    return Pair(
        source=pair.source,
        target=(BOS, *inputs, *end, EOS),
        text=pair.text,
        labels=(PAD, *labels, *[PAD] * len(end)),
    )
