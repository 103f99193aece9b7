"""What a run's stored evaluation says about the heads that find antecedents."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...evaluate.intervals import Difference, difference_of_shares
from ...heads import Head, Kind
from ...inspection import Inspection
from ...runs.run import Run
from ...tasks import CorpusError, Mixed, Task, task_named
from ...tasks.translation import Translation, derivations
from ...tokenizer.tokenizer import Token, Tokenizer


@dataclass(frozen=True, slots=True)
class PronounHead:
    """What one head has to do with antecedents, on held-out sentences."""

    head: Head
    score: float
    """Share of pronouns for which its largest weight lies on the antecedent."""
    baseline: float
    """The same share for the best rule without a model."""
    baseline_name: str
    n: int
    seed: int
    accuracy: float
    """Share of pronouns that the whole model writes right."""
    silenced_accuracy: float
    """The same share with this head silenced."""

    @property
    def beats_baseline(self) -> bool:
        """Whether the head finds more than the best rule, by more than two standard errors."""
        standard_error = math.sqrt(self.score * (1 - self.score) / self.n)
        return self.score - self.baseline > 2 * standard_error

    @property
    def cost_of_silencing(self) -> float:
        """How much of the pronoun accuracy goes with the head; may be below 0."""
        return self.accuracy - self.silenced_accuracy

    @property
    def silencing(self) -> Difference:
        """How the pronoun accuracy changes; it is not kept which of the pronouns change."""
        before, after = round(self.accuracy * self.n), round(self.silenced_accuracy * self.n)
        return difference_of_shares(before, after, self.n)


def pronoun_tokens(task: Task | None, inspection: Inspection) -> tuple[int, ...]:
    """Return which source tokens are of pronouns that have to be understood, by their positions."""
    words = inspection.source_words
    found = set(pronouns_among(task, words))
    of_word = [word.lower() in found for word in words]
    tokens = enumerate(inspection.source_tokens)
    return tuple(at for at, token in tokens if token.word < len(words) and of_word[token.word])


def pronoun_step(
    task: Task | None, tokenizer: Tokenizer, source: str, target_ids: Sequence[int]
) -> int | None:
    """Return the step that writes what the first pronoun of a source becomes, counted from 0.

    Args:
        task: None is returned where it does not know what its pronouns become, and where the
            target is another one than it knows.
        tokenizer: The model's.
        source: The sentence.
        target_ids: What was written, without BOS and EOS.
    """
    made = task.made if isinstance(task, Mixed) else task
    for sample in derivations(source) if isinstance(made, Translation) else ():
        encoding = tokenizer.encode(sample.target)
        if sample.references and encoding.ids[: len(target_ids)] == tuple(target_ids):
            return encoding.tokens_in(sample.references[0].target)[0]
    return None


def pronoun_heads(run: Run, kind: Kind | None = None) -> list[PronounHead]:
    """Return the heads of a run's evaluation; none where it was not measured on pronouns."""
    evaluation = run.evaluation
    if evaluation is None or evaluation["pronoun"] is None:
        return []
    pronoun, rules = evaluation["pronoun"], evaluation["pronoun"]["baselines"]
    heads = [
        PronounHead(
            head=Head.read(entry),
            score=entry["score"],
            baseline=entry["baseline"],
            baseline_name=max(rules, key=lambda rule: rules[rule]).replace("_", " "),
            n=pronoun["n"],
            seed=evaluation["seed"],
            accuracy=pronoun["accuracy"],
            silenced_accuracy=entry["silenced_accuracy"],
        )
        for entry in evaluation["heads"]
    ]
    return [each for each in heads if kind in (None, each.head.kind)]


def evaluated_heads(run: Run, n: int, seed: int) -> Mapping[Head, PronounHead]:
    """Return what a run's evaluation says of its heads, where it has read these sentences and more.

    Code that counts pronouns on `n` held-out sentences takes these figures instead, so that a head
    has one set of them wherever it is spoken of.
    """
    evaluation = run.evaluation
    if evaluation is None or evaluation["seed"] != seed or evaluation["n"] < n:
        return {}
    return {each.head: each for each in pronoun_heads(run)}


def best_pronoun_head(run: Run, kind: Kind | None = None) -> PronounHead | None:
    """Return the head with the highest score, among equal ones that which the model needs most."""
    heads = pronoun_heads(run, kind)
    return max(heads, key=lambda head: (head.score, head.cost_of_silencing), default=None)


def antecedent_head(run: Run) -> Head | None:
    """Return the encoder's head that finds antecedents best; None where a rule finds as many."""
    best = best_pronoun_head(run, Kind.ENCODER_SELF)
    return best.head if best is not None and best.beats_baseline else None


def most_needed_pronoun_head(run: Run) -> PronounHead | None:
    """Return the head whose silencing costs most."""
    return max(pronoun_heads(run), key=lambda head: head.cost_of_silencing, default=None)


def task_of(run: Run) -> Task | None:
    """Return the task whose sources a run reads; None where its file of pairs is gone.

    Most models of one stack read a source and its target as one text: none of the task's sources.
    """
    if not run.settings.model.reads_sources:
        return None
    try:
        return task_named(run.settings.task, run.path)
    except CorpusError:
        return None


def first_pronoun(task: Task | None, words: Sequence[str], tokens: Sequence[Token]) -> int | None:
    """Return the position of the first token of a source's first pronoun; None without one.

    Args:
        task: Knows its pronouns.
        words: The words that `Token.word` of the tokens counts.
        tokens: Of the source.
    """
    small = [word.lower() for word in words]
    if not (pronouns := pronouns_among(task, small)):
        return None
    return [token.word for token in tokens].index(small.index(pronouns[0]))


def pronouns_among(task: Task | None, words: Iterable[str]) -> list[str]:
    """Return those words whose translation depends on what they stand for, each once."""
    wanted = frozenset() if task is None else task.pronouns
    return list(dict.fromkeys(word.lower() for word in words if word.lower() in wanted))
