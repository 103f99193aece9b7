"""What a whole sentence is worth: rewards that a training can be asked to make large."""

from collections.abc import Callable
from functools import lru_cache

from sacrebleu.metrics.bleu import BLEU

from core.batch import Ids
from core.config.training import TrainConfig
from core.evaluate.bleu import bleu_tokens
from core.tokenizer.tokenizer import Tokenizer

Reward = Callable[[Ids, Ids], float]
"""From what was written and what is right, both without BOS and up to EOS, to 0 … 1."""


def reward_of(config: TrainConfig, tokenizer: Tokenizer) -> Reward | None:
    """Return the reward that a training asks for; None where it has none to make large."""
    if not config.makes_rewards_large:
        return None
    if config.reward == "bleu":
        return _sentence_bleu(tokenizer)
    return _exact if config.reward == "exact" else _constant


def _sentence_bleu(tokenizer: Tokenizer) -> Reward:
    """Return BLEU of one sentence, smoothed, of as many n-grams as it has (sacrebleu's)."""
    bleu_of = lru_cache(lambda tokens: BLEU(tokenize=tokens, effective_order=True))

    def reward(said: Ids, true: Ids) -> float:
        right = tokenizer.decode(true)
        found = bleu_of(bleu_tokens([right])).sentence_score(tokenizer.decode(said), [right])
        # Rounding may bring a perfect score a hair above 100.
        return min(1.0, found.score / 100)

    return reward


def _exact(said: Ids, true: Ids) -> float:
    return float(said == true)


def _constant(_said: Ids, _true: Ids) -> float:
    return 1.0
