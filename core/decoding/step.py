"""One step of decoding: the record that every decoding method yields, and its figures.

B batch, H heads, K key positions, T steps or new tokens, V vocabulary.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn import functional

from ..config import ConfigError, ModelConfig
from ..heads import Site
from ..model import Cache, Probe, Transformer
from ..model.masks import padding_mask
from ..model.probes import continued
from .bounds import CONTINUATION
from .plan import plan_of

_AT_ONCE = 1 << 20
"""Number of scores that are compared at once."""


@dataclass(frozen=True, slots=True, eq=False)
class DecodeStep:
    """One decoding step: prefix, scores, and the chosen token."""

    prefix: tuple[int, ...]
    """Ids fed to the decoder: its first tokens or a prompt, then the output so far."""
    logits_V: Tensor
    """Scores for the next token; −∞ for tokens that are never written, such as PAD and BOS."""
    chosen: int
    """The id that is appended to the prefix."""
    attention: Mapping[Site, Tensor] = field(default_factory=dict)
    """weights_HK of the last position in every decoder sublayer: over the prefix in
    self-attention, over the source in cross-attention. Empty if not recorded."""

    @property
    def probabilities(self) -> Tensor:
        """The model's distribution over the next token, probabilities_V."""
        return self.logits_V.softmax(dim=-1)

    @property
    def log_probability(self) -> float:
        """Natural logarithm of the chosen token's probability."""
        return float(self.logits_V.log_softmax(dim=-1)[self.chosen])

    def rank(self, token: int) -> int:
        """Return how many tokens are more probable than this one."""
        return int((self.logits_V > self.logits_V[token]).sum())

    def most_probable(self, n: int) -> list[int]:
        """Return the `n` most probable tokens, best first; of equal ones the first comes first."""
        [found] = most_probable(self.logits_V[None], n)
        return found


class Stepper:
    """Feeds a decoder token by token; the encoder runs once, keys and values are cached.

    Decodes several sentences in parallel. Expects a model in evaluation mode.
    """

    def __init__(
        self,
        model: Transformer,
        source_BS: Tensor | None,
        n_texts: int = 1,
        *,
        probe: Probe | None = None,
    ) -> None:
        """Encode the sources.

        Without a probe the decoder of a small model runs as a `DecoderPlan`, if the plan knows all
        of its parts.

        Args:
            model: The model to decode with.
            source_BS: With EOS, padded; None for a decoder alone.
            n_texts: The batch size if there are no sources.
            probe: Observes or changes the sublayers.

        Raises:
            ConfigError: The decoder is parallel.
        """
        require_next(model.config)
        self.model, self._probe = model, probe
        # Only a pointer needs the source again.
        self._source_BS = source_BS if model.config.pointer else None
        self._visible_B1S = self._memory_BSD = self._plan = None
        self._cache = Cache()
        n = n_texts if source_BS is None else len(source_BS)
        with torch.inference_mode():
            if source_BS is not None:
                self._visible_B1S = padding_mask(source_BS, model.config.pad_id)
                self._memory_BSD = model.encode(source_BS, probe)
            if probe is None:
                self._plan = plan_of(model, self._memory_BSD, self._visible_B1S, n)

    @torch.inference_mode()
    def feed(self, new_BT: Tensor) -> Tensor:
        """Append tokens to every prefix; exactly one to each after the first call.

        Returns:
            logits_BV for the token after them; −∞ for tokens that are never written.
        """
        if self._plan is not None and new_BT.shape[1] == 1:
            return mask_special_tokens(self._plan.feed(new_BT[:, 0]), self.model.config)
        probe = self._probe
        if probe is not None:
            probe = continued(probe, self._cache.length)
        encoded = (self._memory_BSD, self._visible_B1S)
        logits_BTV = self.model.decode(new_BT, *encoded, probe, self._cache, self._source_BS)
        if self._plan is not None:
            # The plan continues after the prompt.
            self._plan.take(self._cache)
            self._cache = Cache()
        return mask_special_tokens(logits_BTV[:, -1], self.model.config)

    @torch.inference_mode()
    def rows(self, index_B: Tensor, same_sources: bool = False) -> "Stepper":
        """Return a stepper that continues some of the sentences, in the order of the index.

        Args:
            index_B: The number of the sentence that each row continues.
            same_sources: Each row keeps its source, so that encoder results need not be moved.
        """
        other = copy(self)
        for name in () if same_sources else ("_source_BS", "_visible_B1S", "_memory_BSD"):
            own: Tensor | None = getattr(self, name)
            setattr(other, name, None if own is None else own[index_B])
        other._cache = self._cache.rows(index_B)
        if self._plan is not None:
            other._plan = self._plan.rows(index_B, same_sources)
        return other


def length_limit(
    model: Transformer, source_length: int, n_fed: int = 1, max_new_tokens: int | None = None
) -> int:
    """Return after how many new tokens decoding stops even without EOS.

    max(2, target_ratio) × source length + 16; CONTINUATION for a decoder alone whose target_ratio
    is unknown; never beyond max_positions.

    Args:
        model: The model that writes.
        source_length: 0 for a decoder alone.
        n_fed: Number of tokens before the new ones.
        max_new_tokens: Replaces the computed limit; None to compute it.
    """
    ratio = model.config.target_ratio
    if max_new_tokens is not None:
        longest = max_new_tokens
    elif source_length or ratio:
        # A decoder alone is fed the source as a prompt.
        longest = math.ceil(max(2.0, ratio) * (source_length or n_fed)) + 16
    else:
        longest = CONTINUATION
    return max(0, min(model.config.max_positions - n_fed, longest))


def require_next(config: ModelConfig) -> None:
    """Refuse a model that does not write one token after the other.

    Raises:
        ConfigError: Its decoder is parallel.
    """
    if config.is_parallel:
        raise ConfigError(
            "this model's decoder is parallel: it fills in all words at once, and "
            "none is the next one. Decode it by mask-predict, in one pass or "
            "several"
        )


def mask_special_tokens(logits_KV: Tensor, config: ModelConfig) -> Tensor:
    """Return the scores with −∞ for tokens in `ModelConfig.never_said`."""
    said_KV = logits_KV.clone()
    never = config.never_said
    # Adjacent ids, as they mostly are, are filled as one slice.
    side_by_side = never and never[-1] - never[0] == len(never) - 1
    for part in [slice(never[0], never[-1] + 1)] if side_by_side else never:
        said_KV[..., part] = -math.inf
    return said_KV


def least_sure_step(steps: Sequence[DecodeStep]) -> int:
    """Return the first step at which the two most probable tokens are closest."""
    top_T2 = torch.stack([step.probabilities.topk(2).values for step in steps])
    return int((top_T2[:, 0] - top_T2[:, 1]).argmin())


def most_probable(logits_TV: Tensor, n: int) -> list[list[int]]:
    """Return each row's `n` most probable tokens, best first; of equal ones the first comes first.

    >>> most_probable(torch.tensor([[0.0, 3.0, 1.0, 3.0]]), 3)
    [[1, 3, 2]]
    """
    n = min(n, logits_TV.shape[-1])
    # Sort only the candidates: a vocabulary may be large.
    likely_TV = logits_TV >= logits_TV.topk(n).values[:, -1:]
    rows, tokens = likely_TV.nonzero(as_tuple=True)
    order = logits_TV[rows, tokens].argsort(descending=True, stable=True)
    order = order[rows[order].argsort(stable=True)]
    by_row = tokens[order].split(likely_TV.sum(dim=-1).tolist())
    return [row[:n].tolist() for row in by_row]


def entropies(logits_TV: Tensor) -> Tensor:
    """Return entropy_T of each row's distribution, in nats."""
    return torch.special.entr(logits_TV.softmax(dim=-1).double()).sum(dim=-1)


def logits_of(steps: Sequence[DecodeStep]) -> Iterator[Tensor]:
    """Yield logits_TV of the steps in chunks of bounded memory."""
    n = max(1, _AT_ONCE // steps[0].logits_V.numel()) if steps else 1
    for at in range(0, len(steps), n):
        yield torch.stack([step.logits_V for step in steps[at : at + n]])


def weights_of_steps(steps: Sequence[DecodeStep], site: Site) -> Tensor:
    """Return weights_HQK of a decoder sublayer, with one query for each step.

    In self-attention each row is 0 after its own position.
    """
    rows = [step.attention[site] for step in steps]
    n_keys = max(row_HK.shape[1] for row_HK in rows)
    padded = [functional.pad(row_HK, (0, n_keys - row_HK.shape[1])) for row_HK in rows]
    return torch.stack(padded, dim=1)
