"""What a run's stored evaluation says about the heads that find antecedents."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.model import Site
from core.run import Run
from core.tasks import CorpusError, Task, task_named


@dataclass(frozen=True, slots=True)
class PronounHead:
    """The head that finds antecedents best on held-out sentences, with all that belongs to it."""

    site: Site
    head: int
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
        """Whether the head finds more than the best rule."""
        return self.score > self.baseline

    @property
    def cost_of_silencing(self) -> float:
        """How much of the pronoun accuracy goes with the head; may be below 0."""
        return self.accuracy - self.silenced_accuracy


def best_pronoun_head(run: Run, attention: str = "") -> PronounHead | None:
    """Return the head with the highest score; None where the run has no such figures.

    Among equal scores it is the one that the model needs most.

    Args:
        run: With the evaluation that was stored with it.
        attention: Look only among the heads of one kind, such as `decoder.cross`; empty for all.
    """
    evaluation = run.evaluation
    if evaluation is None or evaluation["pronoun"] is None:
        return None
    heads = [
        head
        for head in evaluation["heads"]
        if attention in ("", Site.parse(head["site"]).attention)
    ]
    if not heads:
        return None
    pronoun, rules = evaluation["pronoun"], evaluation["pronoun"]["baselines"]
    best = max(heads, key=lambda head: (head["score"], -head["silenced_accuracy"]))
    name = max(rules, key=lambda rule: rules[rule])
    return PronounHead(
        site=Site.parse(best["site"]),
        head=best["head"],
        score=best["score"],
        baseline=best["baseline"],
        baseline_name=name.replace("_", " "),
        n=pronoun["n"],
        seed=evaluation["seed"],
        accuracy=pronoun["accuracy"],
        silenced_accuracy=best["silenced_accuracy"],
    )


def task_of(run: Run) -> Task | None:
    """Return the task that a run was trained on; None where its file of pairs is gone."""
    try:
        return task_named(run.settings.task)
    except CorpusError:
        return None


def pronouns_among(task: Task | None, words: Iterable[str]) -> list[str]:
    """Return those words whose translation depends on what they stand for, each once."""
    wanted = frozenset() if task is None else task.pronouns
    return list(dict.fromkeys(word.lower() for word in words if word.lower() in wanted))
