"""What each head does on held-out sentences: its roles, each with a number and a baseline.

A score is the share of rows whose largest weight lies where the role wants it (see
`core.studies.heads.question`). B batch, H heads, Q queries, K keys, V vocabulary, O offsets,
M measures.

Sources: Voita et al., "Analyzing Multi-Head Self-Attention" (2019) for positional and rare-word
heads; Clark et al., "What Does BERT Look At?" (2019) for delimiters; Voita et al., "Context-Aware
Neural Machine Translation Learns Anaphora Resolution" (2018) for antecedents; Chen et al.,
"Accurate Word Alignment Induction from Neural Machine Translation" (2020) for alignments.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...batch import Pair, TokenReference, collate
from ...evaluate.pronouns import baselines
from ...heads import Head, Kind, Side, Site
from ...messages import N_
from ...model import Transformer
from ...runs.run import Run
from ...tokenizer.tokenizer import Token, Tokenizer
from ...tokenizer.words import is_punctuation
from .findings import evaluated_heads
from .question import (
    ANY_KEY,
    Answer,
    Question,
    QuestionProbe,
    Role,
    Rows,
    Score,
    ask,
    heads_of,
    largest,
)
from .texts import batches_of, pairs_read

Counts = NDArray[np.float64]
Column = list[str] | list[int] | list[float] | list[bool]
N_SENTENCES, SEED = 400, 0
ANTECEDENT_RULES = {
    "nearest_noun": N_("nearest noun"),
    "first_noun": N_("first noun"),
    "random_noun": N_("random noun"),
}
"""Rules of `core.evaluate.pronouns.Baselines` → what they are called."""
OFFSETS = frozenset({Role.PREVIOUS, Role.NEXT})
"""Roles that are a fixed offset themselves, and so have no better rule than any key."""


@dataclass(frozen=True, slots=True)
class HeadRole:
    """What one head does."""

    head: Head
    scores: Mapping[Role, Score]
    """Only of roles that a row of this head can have in these sentences."""
    offset: int
    """Where the largest weights lie most often: the key's position less the row's."""
    evenness: float
    """The entropy of a row as a share of the largest possible, the mean over rows with a choice."""
    confidence: float
    """The largest weight of a row, the mean over the same."""
    n_rows: int
    """Rows with a choice: two keys or more that they may see."""
    n_sentences: int

    @property
    def leading(self) -> Role | None:
        """The role that says most of the head; None where none does.

        Of those that beat their baseline and hold in half of the rows or more, the one that gains
        most of what its baseline leaves to gain.
        """
        held = {
            role: score.above_baseline / (1 - score.baseline)
            for role, score in self.scores.items()
            if score.value >= 0.5 and score.beats_baseline
        }
        return max(held, key=lambda role: held[role], default=None)

    @property
    def farthest(self) -> Role | None:
        """The role with the largest difference from its baseline; None where none beats it."""
        beating = [role for role, score in self.scores.items() if score.beats_baseline]
        return max(beating, key=lambda role: self.scores[role].above_baseline, default=None)

    @property
    def above_baseline(self) -> float:
        """How much more often than its baseline `farthest` holds; 0 where there is none."""
        return 0.0 if self.farthest is None else self.scores[self.farthest].above_baseline


@dataclass(frozen=True, slots=True)
class HeadRoles:
    """What the heads of a model do."""

    heads: tuple[HeadRole, ...]

    def table(self) -> dict[str, Column]:
        """Return one row for each head and role."""
        rows = [(head, role, score) for head in self.heads for role, score in head.scores.items()]
        return {
            "head": [str(head.head) for head, *_ in rows],
            "leading": [str(head.leading or "") for head, *_ in rows],
            "role": [str(role) for _, role, _ in rows],
            "score": [score.value for *_, score in rows],
            "baseline": [score.baseline for *_, score in rows],
            "rule": [score.rule for *_, score in rows],
            "rule_offset": [score.rule_offset for *_, score in rows],
            "beats_baseline": [score.beats_baseline for *_, score in rows],
            "n": [score.n for *_, score in rows],
            "offset": [head.offset for head, *_ in rows],
            "evenness": [head.evenness for head, *_ in rows],
            "confidence": [head.confidence for head, *_ in rows],
        }


def roles_of_heads(run: Run, n: int = N_SENTENCES, seed: int = SEED) -> HeadRoles:
    """Return what every head does on up to `n` held-out sentences, by site and head.

    The decoder is fed the true targets. Rare words are judged by how frequent tokens are in these
    sentences. Antecedents are those of `core.studies.heads.findings.evaluated_heads`.
    """
    pairs, evaluated = pairs_read(run, n, seed), evaluated_heads(run, n, seed)
    heads = list[HeadRole]()
    for each in roles_in(run.model, pairs, questions_on(pairs, delimiters_of(run))):
        known = evaluated.get(each.head)
        if known is not None and Role.ANTECEDENT in each.scores:
            score = Score(known.score, known.baseline, known.baseline_name, known.n)
            each = replace(each, scores={**each.scores, Role.ANTECEDENT: score})
        heads.append(each)
    return HeadRoles(tuple(heads))


# ---- the questions


def previous_token(rows: Rows) -> Tensor | None:
    """The token before."""
    return (rows.offset_QK == -1)[None] if rows.kind.is_self else None


def next_token(rows: Rows) -> Tensor | None:
    """The token after."""
    return (rows.offset_QK == 1)[None] if rows.kind.is_self else None


def itself(rows: Rows) -> Tensor:
    """The row's own position."""
    return (rows.offset_QK == 0)[None]


def first_token(rows: Rows) -> Tensor:
    """The first token, for every row but its own."""
    at_QK = torch.zeros_like(rows.offset_QK, dtype=torch.bool)
    at_QK[1:, :1] = True
    return at_QK[None]


def same(rows: Rows) -> Tensor:
    """The same token anywhere."""
    return rows.same_BQK


def duplicate(rows: Rows) -> Tensor:
    """The same token at another position."""
    return rows.same_BQK & (rows.offset_QK != 0)


def induction(rows: Rows) -> Tensor:
    """The token that follows the same token at another position."""
    found_BQK = torch.zeros_like(rows.visible_BQK)
    found_BQK[..., 1:] = duplicate(rows)[..., :-1]
    return found_BQK


def antecedent(rows: Rows) -> Tensor | None:
    """The noun that an ambiguous pronoun stands for."""
    if rows.kind.key_side != "source":
        return None
    found_BQK = torch.zeros_like(rows.visible_BQK)
    for sentence, pronouns in enumerate(rows.batch.references):
        for each in ambiguous([pronouns]):
            query = each.rows(rows.kind.query_side)[0]
            found_BQK[sentence, query, list(each.antecedent)] = True
    return found_BQK


def aligned(rows: Rows, later: int) -> Tensor | None:
    """The source tokens of the word that a row predicts; `later` 1: of the word that it is fed."""
    if rows.kind.is_self:
        return None
    found_BQK = torch.zeros_like(rows.visible_BQK)
    for sentence, links in enumerate(rows.batch.alignment):
        for step, sources in links:
            found_BQK[sentence, step + later, list(sources)] = True
    return found_BQK


def questions_on(pairs: Sequence[Pair], delimiters: Mapping[Side, Tensor]) -> dict[Role, Question]:
    """Return what heads are asked in sentences; `POSITIONAL` depends on the head."""
    counts = {
        "source": _counts([pair.source for pair in pairs], len(delimiters["source"])),
        "target": _counts([pair.target[:-1] for pair in pairs], len(delimiters["target"])),
    }

    def delimiter(rows: Rows) -> Tensor:
        return delimiters[rows.kind.key_side][rows.key_BK][:, None]

    def rare(rows: Rows) -> Tensor:
        counts_BK = counts[rows.kind.key_side][rows.key_BK]
        hidden = torch.iinfo(counts_BK.dtype).max
        counts_BQK = counts_BK[:, None].masked_fill(~rows.visible_BQK, hidden)
        # Several may be equally rare.
        return counts_BQK == counts_BQK.min(dim=-1, keepdim=True).values

    return {
        Role.PREVIOUS: previous_token,
        Role.NEXT: next_token,
        Role.SAME: same,
        Role.DELIMITER: delimiter,
        Role.RARE: rare,
        Role.ANTECEDENT: antecedent,
        Role.ALIGNED_FED: partial(aligned, later=1),
        Role.ALIGNED_PREDICTED: partial(aligned, later=0),
    }


def ambiguous(references: Sequence[Sequence[TokenReference]]) -> list[TokenReference]:
    """Return the pronouns that must be understood, in order."""
    return [each for found in references for each in found if each.ambiguous]


def delimiters_of(run: Run) -> dict[Side, Tensor]:
    """Return delimiters_V of each side: True for special tokens and for punctuation."""
    return {
        "source": _delimiters(run.tokenizer),
        "target": _delimiters(run.target_tokenizer),
    }


@lru_cache(maxsize=16)
def _delimiters(tokenizer: Tokenizer) -> Tensor:
    """Return delimiters_V; a vocabulary of 50,000 takes half a second to read."""
    vocabulary = tokenizer.describe(range(tokenizer.vocab_size))
    return torch.tensor([is_delimiter(token) for token in vocabulary])


def is_delimiter(token: Token) -> bool:
    """Say whether a token separates and means nothing: a special token, or punctuation alone.

    >>> [is_delimiter(Token(text, False, 0)) for text in (".", "?!", "n't", "a")]
    [True, True, False, False]
    """
    return token.special or is_punctuation(token.text)


def _counts(rows: Sequence[Sequence[int]], vocab_size: int) -> Tensor:
    ids = np.fromiter((token for row in rows for token in row), dtype=np.int64)
    return torch.from_numpy(np.bincount(ids, minlength=vocab_size))


# ---- the answers


@dataclass(eq=False)
class Spread:
    """Where the largest weights of one kind of attention lie, and how sharp its rows are."""

    seen_O: Counts
    """How many rows may look at an offset."""
    chance_O: Counts
    """How often a rule that picks any visible key picks it."""
    n_rows: int = 0
    """With two keys or more to choose from."""
    rules: dict[Role, Any] = field(default_factory=lambda: defaultdict(float))
    """hits_O of the rules that always take the key at one offset."""
    picked: dict[Site, Any] = field(default_factory=lambda: defaultdict(float))
    """picked_HO: how often each head's largest weight lies at each offset."""
    measures: dict[Site, Any] = field(default_factory=lambda: defaultdict(float))
    """measures_HM: sums over rows of evenness and confidence."""


class Profile(QuestionProbe):
    """Asks heads where their largest weights lie, also at which offset, and how sharp they are."""

    def __init__(
        self, kinds: Sequence[Kind], questions: Mapping[Role, Question], longest: int
    ) -> None:
        super().__init__(kinds, questions, largest)
        self.longest = longest
        n_offsets = 2 * longest + 1
        self.spreads = {kind: Spread(np.zeros(n_offsets), np.zeros(n_offsets)) for kind in kinds}

    def ask(self, rows: Rows, targets: Mapping[Role, Tensor]) -> None:
        """Count what rules without a model find."""
        super().ask(rows, targets)
        spread, even_BQK = self.spreads[rows.kind], rows.even_BQK
        spread.n_rows += int(rows.chosen_BQ.sum())
        spread.seen_O += self._by_offset((even_BQK > 0).double().sum(dim=0))
        spread.chance_O += self._by_offset(even_BQK.sum(dim=0))
        for role, target_BQK in targets.items():
            spread.rules[role] += self._by_offset(target_BQK.double().sum(dim=0))

    def add(
        self,
        site: Site,
        rows: Rows,
        targets: Mapping[Role, Tensor],
        weights_BHQK: Tensor,
        attended_BHQK: Tensor,
    ) -> None:
        """Count what a site's heads pick."""
        super().add(site, rows, targets, weights_BHQK, attended_BHQK)
        spread = self.spreads[rows.kind]
        picked_HQK = (attended_BHQK * (rows.even_BQK > 0)[:, None]).sum(dim=0)
        spread.picked[site] += np.stack([self._by_offset(picked_QK) for picked_QK in picked_HQK])
        spread.measures[site] += _measured(rows, weights_BHQK)

    def offset(self, head: Head) -> int:
        """Return the offset that a head picks most often; of equally frequent ones the nearest."""
        picked_O = self.spreads[head.kind].picked[head.site][head.index]
        often_O = np.flatnonzero(picked_O == picked_O.max()) - self.longest
        return int(min(often_O, key=abs))

    def positional(self, head: Head) -> Score:
        """Return how often a head picks the offset that it picks most."""
        spread, at = self.spreads[head.kind], self.offset(head) + self.longest
        picked, n = spread.picked[head.site][head.index, at], int(spread.seen_O[at])
        share, chance = (min(float(each) / n, 1.0) for each in (picked, spread.chance_O[at]))
        return Score(share, chance, ANY_KEY, n)

    def rule(self, role: Role, kind: Kind, answer: Answer) -> tuple[float, str, int]:
        """Return the share, name and offset of the better rule: any key, or always one offset."""
        hits_O = self.spreads[kind].rules[role]
        best, is_offset = int(hits_O.argmax()), role in OFFSETS | {Role.SAME}
        # Both may find as many, and rounding must not decide.
        if (kind.is_self and is_offset) or hits_O[best] < answer.even + 1e-6:
            return min(answer.even / answer.n, 1.0), ANY_KEY, 0
        return float(hits_O[best]) / answer.n, "offset", best - self.longest

    def _by_offset(self, counts_QK: Tensor) -> Counts:
        """Return counts_O: what stands on each diagonal; the middle one is offset 0."""
        n_queries, n_keys = counts_QK.shape
        at_QK = np.arange(n_keys) - np.arange(n_queries)[:, None] + self.longest
        counted_O = np.bincount(
            at_QK.flatten(), counts_QK.flatten().numpy(), minlength=2 * self.longest + 1
        )
        return counted_O.astype(np.float64)


def roles_in(
    model: Transformer, pairs: Sequence[Pair], questions: Mapping[Role, Question]
) -> Iterator[HeadRole]:
    """Yield what every head does in these sentences, by site and head."""
    longest = max(max(len(pair.source), len(pair.target)) for pair in pairs)
    kinds = list(dict.fromkeys(site.attention for site in model.sites()))
    profile, pad_id = Profile(kinds, questions, longest), model.config.pad_id
    ask(model, (collate(each, pad_id) for each in batches_of(pairs, pad_id)), profile)
    references = ambiguous([pair.references for pair in pairs])
    rules = asdict(baselines(references)) if references else {}
    for head in heads_of(model, kinds):
        spread = profile.spreads[head.kind]
        n_rows = max(spread.n_rows, 1)
        evenness, confidence = (spread.measures[head.site][head.index] / n_rows).tolist()
        yield HeadRole(
            head=head,
            scores=dict(_scores(profile, head, rules)),
            offset=profile.offset(head),
            evenness=evenness,
            confidence=confidence,
            n_rows=spread.n_rows,
            n_sentences=len(pairs),
        )


def _scores(
    profile: Profile, head: Head, rules: Mapping[str, float]
) -> Iterator[tuple[Role, Score]]:
    """Yield the scores of a head for the roles that were asked for."""
    answers = profile.answers[head.kind]
    for role in Role:
        if role is Role.POSITIONAL and profile.spreads[head.kind].n_rows:
            yield role, profile.positional(head)
        elif role in answers and (answer := answers[role]).n:
            share, name, offset = profile.rule(role, head.kind, answer)
            if role is Role.ANTECEDENT:
                best = max(rules, key=lambda rule: rules[rule])
                share, name, offset = rules[best], ANTECEDENT_RULES[best], 0
            yield role, Score(answer.share(head), share, name, answer.n, offset)


def _measured(rows: Rows, weights_BHQK: Tensor) -> Counts:
    """Return measures_HM, summed over the rows with a choice."""
    counted_BHQK = weights_BHQK.double() * rows.chosen_BQ[:, None, :, None]
    bits_BQ = rows.visible_BQK.sum(dim=-1).clamp_min(2).log2().double()
    entropy_BHQ = torch.special.entr(counted_BHQK).sum(dim=-1) / np.log(2)
    evenness_BHQ = entropy_BHQ / bits_BQ[:, None]
    measures = (evenness_BHQ, counted_BHQK.amax(dim=-1))
    return torch.stack([each.sum(dim=(0, 2)) for each in measures], dim=-1).numpy()
