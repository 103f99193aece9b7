"""One step of writing a target: the record that every way of decoding yields.

B batch, H heads, K key positions, S source length, V vocabulary, D model width.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn import functional

from core.config import ConfigError, ModelConfig
from core.decoding.choosing import Greedy, Sampling
from core.decoding.limit import length_limit
from core.decoding.plan import DecoderPlan, plan_of
from core.heads import Site
from core.model import Cache, Probe, Probes, Record, Transformer
from core.model.masks import padding_mask
from core.model.probes import continued

_AT_ONCE = 1 << 20
"""So many scores are compared at once."""
GREEDY = Greedy()


@dataclass(frozen=True, slots=True, eq=False)
class DecodeStep:
    """What went in, what the model thought of it, and what came out."""

    prefix: tuple[int, ...]
    """Ids fed to the decoder: what it begins with, or a prompt, then what was written."""
    logits_V: Tensor
    """The model's scores for the next token; −∞ for what is no word, such as PAD and BOS."""
    chosen: int
    """The id that is appended to the prefix."""
    attention: Mapping[Site, Tensor] = field(default_factory=dict)
    """weights_HK of the last position in every decoder sublayer: over the prefix in
    self-attention, over the source in cross-attention. Empty where nobody asked for it."""

    @property
    def probabilities(self) -> Tensor:
        """The model's distribution over the next token, probabilities_V."""
        return self.logits_V.softmax(dim=-1)

    @property
    def log_probability(self) -> float:
        """Natural logarithm of the chosen token's probability."""
        return float(self.logits_V.log_softmax(dim=-1)[self.chosen])

    @property
    def entropy(self) -> float:
        """How undecided the model is, in nats."""
        return float(entropies(self.logits_V))

    def rank(self, token: int) -> int:
        """Return how many tokens are more probable than this one."""
        return int((self.logits_V > self.logits_V[token]).sum())

    def most_probable(self, n: int) -> list[int]:
        """Return the `n` most probable tokens, best first; of equal ones the first comes first."""
        [found] = most_probable(self.logits_V[None], n)
        return found


@dataclass(frozen=True, slots=True)
class DecodeOptions:
    """What may be changed or looked at while a model writes."""

    overrides: Mapping[int, int] = field(default_factory=dict)
    """Step → id that is appended there whatever the model says: to follow another word than the
    chosen one, or to see what becomes of a mistake."""
    probe: Probe | None = None
    """Looks at the attention sublayers or changes them."""
    watch: bool = True
    """Keep what every head looked at; without, the fused kernel runs."""
    cached: bool = True
    """Keep keys and values; without, every step computes the whole prefix anew."""
    max_new_tokens: int | None = None
    """After how many tokens it stops; None for `length_limit`."""


class Stepper:
    """Feeds a decoder one token at a time; the encoder runs once, keys and values are kept.

    Several sentences go side by side. Expects a model in evaluation mode.
    """

    def __init__(
        self,
        model: Transformer,
        source_BS: Tensor | None,
        options: DecodeOptions | None = None,
        n_texts: int = 1,
    ) -> None:
        """Encode the sources.

        Args:
            model: Whose decoder is stepped.
            source_BS: With EOS, padded; None for a decoder alone.
            n_texts: So many go side by side where there are no sources to say it.
            options: Probe, whether to watch, and whether to keep keys and values. Where nobody
                looks and keys and values are kept, the decoder of a small model runs as a
                `DecoderPlan`, if the plan knows all of its parts.
        """
        require_next(model.config)
        self.model = model
        self.options = options or DecodeOptions(watch=False)
        # Only what copies from the source asks for it again.
        self._source_BS = source_BS if model.config.pointer else None
        self._visible_B1S = self._memory_BSD = None
        self._cache = Cache() if self.options.cached else None
        self._plan: DecoderPlan | None = None
        n = n_texts if source_BS is None else len(source_BS)
        self._fed_BT = torch.empty(n, 0, dtype=torch.long, device=model.device)
        with torch.inference_mode():
            if source_BS is not None:
                self._visible_B1S = padding_mask(source_BS, model.config.pad_id)
                self._memory_BSD = model.encode(source_BS, self.options.probe)
            if self.options.cached and not self.options.watch and self.options.probe is None:
                self._plan = plan_of(model, self._memory_BSD, self._visible_B1S, n)

    def feed(self, token_B: Tensor) -> tuple[Tensor, Record]:
        """Append a token to every prefix.

        Returns:
            logits_BV for the token after it, −∞ for what is no word and never follows one; and
            what the heads looked at, which is nothing where nobody watches.
        """
        if self._plan is not None:
            with torch.inference_mode():
                return sayable(self._plan.feed(token_B), self.model.config), Record()
        return self.feed_all(token_B[:, None])

    def feed_all(self, new_BT: Tensor) -> tuple[Tensor, Record]:
        """Append several tokens to every prefix, in one pass, and return what `feed` does."""
        record = Record()
        with torch.inference_mode():
            if self._plan is not None:
                # Only at the beginning is there a whole prompt: the plan goes on after it.
                assert self._cache is not None
                seen = (self._memory_BSD, self._visible_B1S)
                logits_BTV = self.model.decode(new_BT, *seen, None, self._cache, self._source_BS)
                self._plan.take(self._cache)
                self._cache = Cache()
                return sayable(logits_BTV[:, -1], self.model.config), record
            if self._cache is None:
                new_BT = self._fed_BT = torch.cat([self._fed_BT, new_BT], dim=1)
            probes: list[Probe] = [record] if self.options.watch else []
            if self.options.probe is not None:
                n_before = 0 if self._cache is None else self._cache.length
                probes.insert(0, continued(self.options.probe, n_before))
            logits_BTV = self.model.decode(
                new_BT,
                self._memory_BSD,
                self._visible_B1S,
                Probes(probes) if probes else None,
                self._cache,
                self._source_BS,
            )
            return sayable(logits_BTV[:, -1], self.model.config), record

    def rows(self, index_B: Tensor, same_sources: bool = False) -> "Stepper":
        """Return a stepper that goes on with some of the sentences, in the order of the index.

        Args:
            index_B: Whose place in the batch each takes over.
            same_sources: In each place stands the same source as before, so that nothing that
                was computed of the sources has to be moved.
        """
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        for name in () if same_sources else ("_source_BS", "_visible_B1S", "_memory_BSD"):
            mine: Tensor | None = getattr(self, name)
            setattr(other, name, None if mine is None else mine[index_B])
        with torch.inference_mode():
            other._cache = None if self._cache is None else self._cache.rows(index_B)
            if self._plan is not None:
                other._plan = self._plan.rows(index_B, same_sources)
        other._fed_BT = self._fed_BT[index_B]
        return other


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


def sayable(logits_KV: Tensor, config: ModelConfig) -> Tensor:
    """Return the scores with −∞ for what is no word: see `ModelConfig.never_said`."""
    said_KV = logits_KV.clone()
    never = config.never_said
    # Side by side, as they mostly are, they are one part to fill.
    side_by_side = never and never[-1] - never[0] == len(never) - 1
    for part in [slice(never[0], never[-1] + 1)] if side_by_side else never:
        said_KV[..., part] = -math.inf
    return said_KV


def last_rows(record: Record, sentence: int = 0) -> dict[Site, Tensor]:
    """Return weights_HK of the last position of every recorded decoder sublayer."""
    return {
        site: record.weights(site)[sentence, :, -1]
        for site, _ in record.tensors
        if not site.in_encoder
    }


def least_sure_step(steps: Sequence[DecodeStep]) -> int:
    """Return the step at which the two most probable tokens are closest; of equal ones the first.

    Args:
        steps: One at least.
    """
    top_T2 = torch.stack([step.probabilities.topk(2).values for step in steps])
    return int((top_T2[:, 0] - top_T2[:, 1]).argmin())


def most_probable(logits_TV: Tensor, n: int) -> list[list[int]]:
    """Return each row's `n` most probable tokens, best first; of equal ones the first comes first.

    >>> most_probable(torch.tensor([[0.0, 3.0, 1.0, 3.0]]), 3)
    [[1, 3, 2]]
    """
    n = min(n, logits_TV.shape[-1])
    # Only those that may be among them are put in order: a vocabulary may be large.
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
    """Yield logits_TV of some steps after the other, so many at once as take little memory."""
    n = max(1, _AT_ONCE // steps[0].logits_V.numel()) if steps else 1
    for at in range(0, len(steps), n):
        yield torch.stack([step.logits_V for step in steps[at : at + n]])


def weights_of_steps(steps: Sequence[DecodeStep], site: Site) -> Tensor:
    """Return weights_HQK of a decoder sublayer, with one query for each step.

    Self-attention of a step knows no later words: its row is 0 after its own.
    """
    rows = [step.attention[site] for step in steps]
    n_keys = max(row_HK.shape[1] for row_HK in rows)
    padded = [functional.pad(row_HK, (0, n_keys - row_HK.shape[1])) for row_HK in rows]
    return torch.stack(padded, dim=1)


def total_log_probability(steps: Iterable[DecodeStep]) -> float:
    """Return the logarithm of the probability of all that was appended, in nats."""
    return sum(step.log_probability for step in steps)


def decode_steps(
    model: Transformer,
    source_S: Tensor | None,
    options: DecodeOptions | None = None,
    prompt: Sequence[int] = (),
    strategy: Greedy | Sampling = GREEDY,
) -> Iterator[DecodeStep]:
    """Let a model write on from its own words, until EOS or `length_limit`.

    Args:
        model: In evaluation mode.
        source_S: One source, with EOS; None for a decoder alone.
        options: By default nothing is changed, and everything kept.
        prompt: What the decoder is fed first; nothing for what the model always begins with.
        strategy: How the next token follows from the scores; the steps hold the model's own.
    """
    options, choose = options or DecodeOptions(), strategy.chooser()
    stepper = Stepper(model, None if source_S is None else source_S[None], options)
    prefix = tuple(prompt) or model.config.begins
    new = prefix
    n_source = 0 if source_S is None else len(source_S)
    limit = length_limit(model, n_source, len(prefix), options.max_new_tokens)
    for step in range(limit):
        new_1T = torch.tensor([new], device=model.device)
        # A prompt goes through the decoder in one pass, what it writes itself token by token.
        fed = stepper.feed(new_1T[0]) if len(new) == 1 else stepper.feed_all(new_1T)
        logits_V, record = fed[0][0], fed[1]
        chosen = options.overrides[step] if step in options.overrides else int(choose(fed[0])[0])
        yield DecodeStep(prefix, logits_V, chosen, last_rows(record))
        if chosen in model.config.eos_ids:
            return
        prefix, new = (*prefix, chosen), (chosen,)
