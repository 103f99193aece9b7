"""How much of its weight a head puts on the target keys, beside what chance puts there.

A question is a mask of target keys. It is asked of every row that may attend to a target key and to
at least one other; padding is never asked. What a row gives is its weight on the target keys, or,
with `largest`, 1 if its largest weight lies on one. Chance gives each visible key the same.

B batch, H heads, Q queries, K keys, N texts.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...batch import Batch
from ...evaluate.intervals import mean_difference, wilson
from ...heads import Head, Kind, Site
from ...messages import N_
from ...model import EnoughError, Probe, Step, Transformer, UntilWeights

Numbers = NDArray[np.float64]
ANY_KEY = N_("any key")


class Role(StrEnum):
    """What a head may be there for, by the keys that it attends to."""

    PREVIOUS = "previous"
    """The token before the row's own; only in self-attention."""
    NEXT = "next"
    """The token after the row's own; only in the encoder, for a decoder does not see it."""
    SAME = "same"
    """A token that is the same as the row's own (in self-attention also that itself)."""
    POSITIONAL = "positional"
    """Whatever stands at one fixed offset, the one that this head picks most often, of the rows
    that can see it; Voita et al. (2019) call a head positional from 90 % on."""
    DELIMITER = "delimiter"
    """A special token or punctuation."""
    RARE = "rare"
    """The rarest of the tokens that the row may see, by their frequency in these sentences."""
    ANTECEDENT = "antecedent"
    """What an ambiguous pronoun stands for. The row is the pronoun's in the encoder, and in
    cross-attention that of the step that writes it."""
    ALIGNED_FED = "aligned_fed"
    """A source token that the word comes from that is the row's input; only in cross-attention,
    which aligns best there (Chen et al. 2020)."""
    ALIGNED_PREDICTED = "aligned_predicted"
    """A source token that the word comes from that the row predicts; only in cross-attention."""
    FIRST = "first"
    """The first of all that is read, where many heads leave the weight that they have no use for
    (Xiao et al., "Efficient Streaming Language Models with Attention Sinks", 2024)."""
    ITSELF = "itself"
    """The row's own position."""
    DUPLICATE = "duplicate"
    """The same token at another position, in a decoder an earlier one (Wang et al.,
    "Interpretability in the Wild", 2022)."""
    INDUCTION = "induction"
    """The token that came after the same one elsewhere: what comes next if the text repeats
    (Olsson et al. 2022)."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of one kind of attention in one batch."""

    kind: Kind
    batch: Batch
    visible_BQK: Tensor
    """True where a query may attend to a key that is no padding."""

    @classmethod
    def of(cls, kind: Kind, batch: Batch, visible_BQK: Tensor) -> "Rows":
        """Return the rows of a kind of attention."""
        shape = (*batch.ids(kind.query_side).shape, batch.ids(kind.key_side).shape[1])
        # A mask of the model's own need not hide padding (there may be none to hide).
        said_BK = batch.said(kind.key_side)
        return cls(kind, batch, visible_BQK.cpu().expand(shape) & said_BK[:, None])

    @property
    def query_BQ(self) -> Tensor:
        """Ids of the tokens that attend: in the decoder what is fed."""
        return self.batch.ids(self.kind.query_side)

    @property
    def key_BK(self) -> Tensor:
        """Ids of the tokens that are attended to."""
        return self.batch.ids(self.kind.key_side)

    @property
    def chosen_BQ(self) -> Tensor:
        """True for rows that count: no padding, and with two keys or more to choose from."""
        return self.batch.said(self.kind.query_side) & (self.visible_BQK.sum(dim=-1) >= 2)

    @property
    def even_BQK(self) -> Tensor:
        """The weights of a head that gives every visible key the same; 0 in rows without choice."""
        even_BQK = self.visible_BQK.double()
        even_BQK = even_BQK / even_BQK.sum(dim=-1, keepdim=True).clamp_min(1)
        return even_BQK * self.chosen_BQ[..., None]

    @property
    def offset_QK(self) -> Tensor:
        """How many positions each key stands after each query."""
        n_queries, n_keys = self.visible_BQK.shape[1:]
        return torch.arange(n_keys)[None] - torch.arange(n_queries)[:, None]

    @property
    def same_BQK(self) -> Tensor:
        """True where key and query are the same token."""
        return self.query_BQ[:, :, None] == self.key_BK[:, None]


Question = Callable[[Rows], Tensor | None]
"""Returns target_BQK (dimensions of size 1 broadcast), or None for rows that it cannot ask."""
Look = Callable[[Tensor, Rows], Tensor]
"""Returns, of weights_BHQK, what a row gives to each key; float64."""


def target_keys(rows: Rows, questions: Mapping[Role, Question]) -> dict[Role, Tensor]:
    """Return target_BQK of each question: the visible target keys of rows with a choice."""
    asked_BQK = rows.visible_BQK & rows.chosen_BQ[..., None]
    found = {role: question(rows) for role, question in questions.items()}
    return {role: keys & asked_BQK for role, keys in found.items() if keys is not None}


def weight(weights_BHQK: Tensor, _rows: Rows) -> Tensor:
    """Look at the weights themselves."""
    return weights_BHQK.double()


def largest(weights_BHQK: Tensor, rows: Rows) -> Tensor:
    """Look at the largest weight of a row: 1 where it lies; equally large ones share it."""
    weights_BHQK = weights_BHQK.masked_fill(~rows.visible_BQK[:, None], -1.0)
    largest_BHQK = weights_BHQK == weights_BHQK.amax(dim=-1, keepdim=True)
    return largest_BHQK.double() / largest_BHQK.sum(dim=-1, keepdim=True)


@dataclass(frozen=True, slots=True)
class Score:
    """How much of its weight, or in which share of its rows, a head gives to the target keys."""

    value: float
    """0 to 1."""
    baseline: float
    """The same of the best rule without a model."""
    rule: str
    """Which rule that is: `any key` (each that the row may see, as often as the others), `offset`
    (always the same one), or for antecedents `nearest noun`, `first noun` or `random noun`."""
    n: int
    """Rows."""
    rule_offset: int = 0
    """The key's position less the row's, where the rule is an offset."""
    n_texts: int = 0
    """Texts with such rows, where the interval is that of a mean over texts."""
    bounds: tuple[float, float] | None = None
    """The 95 % interval of a mean over texts; None for a share of rows."""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the value: of a share of rows Wilson's, as if independent.

        It holds for one head by itself, not for the best of many.
        """
        return self.bounds or wilson(round(self.value * self.n), self.n)

    @property
    def above_baseline(self) -> float:
        """How much larger the value is than that of the rule."""
        return self.value - self.baseline

    @property
    def beats_baseline(self) -> bool:
        """Whether the whole interval lies above the baseline."""
        return self.interval[0] > self.baseline


@dataclass(eq=False)
class Answer:
    """What the heads of one kind of attention give to the target keys of one question."""

    n_N: list[Tensor] = field(default_factory=list)
    """Rows that are asked, of each text, batch by batch."""
    even_N: list[Tensor] = field(default_factory=list)
    """What even rows give, summed over these rows."""
    sums: defaultdict[Site, list[Tensor]] = field(default_factory=lambda: defaultdict(list))
    """Site → sums_NH, what each head's rows give, summed."""

    @property
    def n(self) -> int:
        """All rows that are asked."""
        return sum(int(n_B.sum()) for n_B in self.n_N)

    @property
    def even(self) -> float:
        """What even rows give, summed over them."""
        return float(torch.cat(self.even_N).sum())

    def share(self, head: Head) -> float:
        """Return what a head's rows give, on average."""
        # Adding up shared rows must not round beyond all of them.
        return min(float(torch.cat(self.sums[head.site])[:, head.index].sum()) / self.n, 1.0)

    def over_texts(self, head: Head) -> Score:
        """Return a head's score with the interval of a mean over texts, which are independent.

        Rows of one text are not (Cochran 1977, "Sampling Techniques", chapter 6).
        """
        n_N = torch.cat(self.n_N).double().numpy()
        sums_N = torch.cat(self.sums[head.site])[:, head.index].numpy()
        found = mean_difference(np.zeros(len(n_N)), sums_N, n_N)
        return Score(
            value=found.after,
            baseline=self.even / self.n,
            rule=ANY_KEY,
            n=self.n,
            n_texts=int((n_N > 0).sum()),
            bounds=(max(found.low, 0.0), min(found.high, 1.0)),
        )


class QuestionProbe:
    """A probe that asks every head of some kinds of attention its questions, and keeps no map."""

    def __init__(
        self, kinds: Iterable[Kind], questions: Mapping[Role, Question], look: Look
    ) -> None:
        """Ask heads of these kinds; `look` is `weight` or `largest`."""
        self.questions, self.look = questions, look
        self.answers: dict[Kind, dict[Role, Answer]] = {kind: {} for kind in kinds}
        self._batch: Batch
        self._rows: dict[Kind, tuple[Rows, dict[Role, Tensor]]] = {}

    def begin(self, batch: Batch) -> None:
        """Take the batch, on the CPU, that the model reads next."""
        self._batch = batch
        self._rows.clear()

    def sees(self, site: Site) -> bool:
        """Attention of these kinds."""
        return site.is_attention and site.attention in self.answers

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Count what the heads of a site give to the target keys, and change nothing."""
        # Every site of a kind sees alike.
        if step is Step.VISIBLE and site.attention not in self._rows:
            rows = Rows.of(site.attention, self._batch, tensor)
            self._rows[site.attention] = rows, target_keys(rows, self.questions)
            self.ask(*self._rows[site.attention])
        elif step is Step.WEIGHTS:
            rows, targets = self._rows[site.attention]
            weights_BHQK = tensor.detach().float().cpu()
            self.add(site, rows, targets, weights_BHQK, self.look(weights_BHQK, rows))
        return tensor

    def ask(self, rows: Rows, targets: Mapping[Role, Tensor]) -> None:
        """Count the rows that are asked, and what even ones give."""
        even_BQK = rows.even_BQK
        for role, target_BQK in targets.items():
            answer = self.answers[rows.kind].setdefault(role, Answer())
            answer.n_N.append(target_BQK.any(dim=-1).sum(dim=-1))
            answer.even_N.append((even_BQK * target_BQK).sum(dim=(1, 2)))

    def add(
        self,
        site: Site,
        rows: Rows,
        targets: Mapping[Role, Tensor],
        _weights_BHQK: Tensor,
        attended_BHQK: Tensor,
    ) -> None:
        """Count what the heads of a site give."""
        for role, target_BQK in targets.items():
            sums_BH = torch.einsum("bhqk,bqk->bh", attended_BHQK, target_BQK.double())
            self.answers[rows.kind][role].sums[site].append(sums_BH)


def ask(model: Transformer, batches: Iterable[Batch], probe: QuestionProbe) -> None:
    """Let a model read batches, and ask its heads."""
    for batch in batches:
        probe.begin(batch)
        read(model, batch, probe)


@torch.inference_mode()
def read(model: Transformer, batch: Batch, probe: Probe) -> None:
    """Let a model read a batch, and a probe see its weights; what comes after is not computed."""
    probe = UntilWeights.of(probe, model.sites())
    source_BS, fed_BT = batch.to(model.device).inputs
    with suppress(EnoughError):
        if fed_BT is not None:
            model(source_BS, fed_BT, probe)
        elif source_BS is not None:
            model.encode(source_BS, probe)


def heads_of(model: Transformer, kinds: Sequence[Kind] = tuple(Kind)) -> list[Head]:
    """Return the heads of some kinds of attention: encoder self, decoder self, cross."""
    sites = [site for site in model.sites() if site.attention in kinds]
    return [head for site in sites for head in site.heads(model.config.n_heads)]
