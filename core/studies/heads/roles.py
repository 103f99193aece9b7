"""What each head does on held-out sentences: its roles, each with a number and a baseline.

A score is the share of rows whose largest weight lies where the role wants it; equally large
weights share a row. Rows count that can see such a key and at least one other; padding never does.

Sources: Voita et al., "Analyzing Multi-Head Self-Attention" (2019) for positional and rare-word
heads; Clark et al., "What Does BERT Look At?" (2019) for delimiters; Voita et al., "Context-Aware
Neural Machine Translation Learns Anaphora Resolution" (2018) for antecedents; Chen et al.,
"Accurate Word Alignment Induction from Neural Machine Translation" (2020) for alignments.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from core.batch import Pair, TokenReference, collate
from core.evaluate.intervals import wilson
from core.evaluate.pronouns import baselines
from core.heads import Head
from core.messages import N_
from core.model import Record, Step, Transformer
from core.runs.run import Run
from core.studies.heads.findings import PronounHead, evaluated_heads
from core.studies.heads.roles_questions import Role, ambiguous, role_keys, rows_of
from core.studies.heads.roles_sentences import Sentences, held_out_sentences
from core.studies.heads.roles_tally import Asked, Tally
from core.studies.heads.texts import batches_of, look

N_SENTENCES = 400
SEED = 0
POSITIONAL_FROM = 0.9
"""So large a share of largest weights on one offset makes a head positional (Voita et al.)."""
ANY_KEY = N_("any key")
ANTECEDENT_RULES = {
    "nearest_noun": N_("nearest noun"),
    "first_noun": N_("first noun"),
    "random_noun": N_("random noun"),
}
"""Rules of `core.evaluate.pronouns.Baselines` → what they are called."""
OFFSETS = frozenset({Role.PREVIOUS, Role.NEXT})
"""Roles that are a fixed offset themselves, and so have no better rule than any key."""


@dataclass(frozen=True, slots=True)
class Score:
    """How far a head has a role."""

    value: float
    """Share of the rows, 0 to 1."""
    baseline: float
    """The same share of the best rule without a model."""
    rule: str
    """Which rule that is: `any key` (each that the row may see, as often as the others), `offset`
    (always the same one), or for antecedents `nearest noun`, `first noun` or `random noun`."""
    n: int
    """Rows."""
    rule_offset: int = 0
    """The key's position less the row's, where the rule is an offset."""

    @property
    def above_baseline(self) -> float:
        """How much more often it holds than by the rule."""
        return self.value - self.baseline

    @property
    def beats_baseline(self) -> bool:
        """Whether the best rule has less than Wilson's 95 % interval of the share begins with.

        Rows of one sentence count as independent.
        """
        return wilson(round(self.value * self.n), self.n)[0] > self.baseline


@dataclass(frozen=True, slots=True)
class Measure:
    """A mean over the rows with a choice, beside that of a head whose rows are uniform."""

    value: float
    uniform: float


@dataclass(frozen=True, slots=True)
class HeadRole:
    """What one head does."""

    head: Head
    scores: Mapping[Role, Score]
    """Only of roles that a row of this head can have in these sentences."""
    offset: int
    """Where the largest weights lie most often: the key's position less the row's."""
    entropy: Measure
    """Of a row, in bits: 0 for one key, 3 for eight keys alike."""
    evenness: Measure
    """The entropy as a share of the largest possible."""
    distance: Measure
    """How many tokens away the keys are, weighted; between source and target along the line that
    joins both beginnings with both ends."""
    confidence: Measure
    """The largest weight of a row."""
    n_rows: int
    """Rows with a choice: two keys or more that they may see."""
    n_sentences: int

    @property
    def positional(self) -> bool:
        """Whether the head is one that Voita et al. call positional."""
        score = self.scores.get(Role.POSITIONAL)
        return score is not None and score.value >= POSITIONAL_FROM and score.beats_baseline

    @property
    def leading(self) -> Role | None:
        """The role that says most of the head; None where none does.

        Of those that beat their baseline and hold in half of the rows or more, the one that gains
        most of what its baseline leaves to gain.
        """
        held = {
            role: (score.value - score.baseline) / (1 - score.baseline)
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
class RoleProgress:
    """What is known after some of the sentences."""

    done: int
    n: int
    """All sentences."""
    heads: tuple[HeadRole, ...]


def role_scores(run: Run, n: int = N_SENTENCES, seed: int = SEED) -> tuple[HeadRole, ...]:
    """Return what every head does on up to `n` held-out sentences, by site and head.

    The decoder is fed the true targets. Rare words are judged by how frequent tokens are in these
    sentences. Antecedents are those of `core.studies.heads.findings.evaluated_heads`.

    Raises:
        RunError: As in `core.studies.heads.texts.pairs_read`.
    """
    *_, last = role_steps(run, n, seed)
    evaluated = evaluated_heads(run, n, seed)
    return tuple(_with_antecedents(each, evaluated.get(each.head)) for each in last.heads)


def _with_antecedents(role: HeadRole, found: PronounHead | None) -> HeadRole:
    if found is None or Role.ANTECEDENT not in role.scores:
        return role
    score = Score(found.score, found.baseline, found.baseline_name, found.n)
    return replace(role, scores={**role.scores, Role.ANTECEDENT: score})


def role_steps(run: Run, n: int = N_SENTENCES, seed: int = SEED) -> Iterator[RoleProgress]:
    """Yield the same after each batch, over the sentences so far.

    Raises:
        RunError: As in `core.studies.heads.texts.pairs_read`.
    """
    yield from study_roles(run.model, held_out_sentences(run, n, seed))


def study_roles(model: Transformer, sentences: Sentences) -> Iterator[RoleProgress]:
    """Yield what every head does in these sentences after each batch of them."""
    longest = max(max(len(pair.source), len(pair.target)) for pair in sentences.pairs)
    kinds = dict.fromkeys(site.attention for site in model.sites())
    tallies = [
        Tally([s for s in model.sites() if s.attention is kind], model.config.n_heads, longest)
        for kind in kinds
    ]
    done = 0
    references: list[TokenReference] = []
    for pairs in batches_of(sentences.pairs, model.config.pad_id):
        _add(tallies, model, pairs, sentences)
        done += len(pairs)
        references += ambiguous([pair.references for pair in pairs])
        heads = tuple(each for tally in tallies for each in _heads(tally, references, done))
        yield RoleProgress(done, len(sentences.pairs), heads)


@torch.inference_mode()
def _add(
    tallies: Sequence[Tally], model: Transformer, pairs: Sequence[Pair], sentences: Sentences
) -> None:
    """Show a batch to the model and count what its heads looked at."""
    batch, record = collate(pairs, model.config.pad_id), Record()
    look(model, batch.to(model.device), record)
    for tally in tallies:
        rows = rows_of(tally.kind, batch, record.tensors[tally.sites[0], Step.VISIBLE].cpu())
        layers = [record.weights(site).float().cpu() for site in tally.sites]
        tally.add(rows, layers, role_keys(rows, batch, pairs, sentences))


def _heads(tally: Tally, references: Sequence[TokenReference], done: int) -> Iterator[HeadRole]:
    """Yield the heads of one kind of attention, by layer and head."""
    uniform_M = tally.uniform_M / max(tally.n_rows, 1)
    rules = asdict(baselines(references)) if references else {}
    for number, head in enumerate(tally.heads):
        measures_M = tally.measures_HM[number] / max(tally.n_rows, 1)
        entropy, evenness, distance, confidence = (
            Measure(float(value), float(uniform))
            for value, uniform in zip(measures_M, uniform_M, strict=True)
        )
        yield HeadRole(
            head=head,
            scores=dict(_scores(tally, number, rules)),
            offset=tally.usual_offset(number),
            entropy=entropy,
            evenness=evenness,
            distance=distance,
            confidence=confidence,
            n_rows=tally.n_rows,
            n_sentences=done,
        )


def _scores(tally: Tally, number: int, rules: Mapping[str, float]) -> Iterator[tuple[Role, Score]]:
    """Yield the scores of a head for the roles that were asked for."""
    for role in Role:
        if role is Role.POSITIONAL and tally.n_rows:
            yield role, _positional(tally, number)
        elif role in tally.asked and (asked := tally.asked[role]).n:
            value = _share(asked.hits_H[number], asked.n)
            if role is Role.ANTECEDENT:
                name = max(rules, key=lambda rule: rules[rule])
                yield role, Score(value, rules[name], ANTECEDENT_RULES[name], asked.n)
            elif role in OFFSETS or (role is Role.SAME and tally.kind.is_self):
                yield role, Score(value, _share(asked.any_key, asked.n), ANY_KEY, asked.n)
            else:
                yield role, _against_offsets(value, asked, tally.offsets_O)


def _positional(tally: Tally, number: int) -> Score:
    at = tally.usual_offset(number) + tally.longest
    n = int(tally.seen_O[at])
    picked, chance = tally.picked_HO[number, at], tally.chance_O[at]
    return Score(_share(picked, n), _share(chance, n), ANY_KEY, n)


def _against_offsets(value: float, asked: Asked, offsets_O: NDArray[np.intp]) -> Score:
    """Return a score beside the better of two rules: any key, or always the same offset."""
    best = int(asked.by_offset_O.argmax())
    by_offset = asked.by_offset_O[best]
    if by_offset > asked.any_key:
        share = _share(by_offset, asked.n)
        return Score(value, share, "offset", asked.n, int(offsets_O[best]))
    return Score(value, _share(asked.any_key, asked.n), ANY_KEY, asked.n)


def _share(hits: float, n: int) -> float:
    # Adding up shared rows must not round beyond all of them.
    return min(float(hits) / n, 1.0)
