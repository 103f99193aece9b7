"""What silencing each head costs on held-out sentences, and how sure that is."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.evaluate.evaluation import held_out_pairs
from core.evaluate.intervals import Difference, mean_difference, share_difference
from core.heads import Head
from core.runs.run import Run
from core.studies.effects.silencing import SampleFigures, Silenceable, every_head

N_SENTENCES = 400
SEED = 0


@dataclass(frozen=True, slots=True)
class HeadEffect:
    """What changes when one head is silenced.

    Each interval holds for one head by itself: of heads that change nothing, about one in twenty
    looks by chance as if it did.
    """

    head: Head
    exact_match: Difference
    """Share of sentences whose greedy translation is the target."""
    loss: Difference
    """Cross-entropy per token after the true prefix, in nats; `n` counts sentences."""
    pronoun: Difference | None
    """Share of ambiguous pronouns that are most probable after the true prefix, as
    `core.evaluate.pronouns` measures it; None where the sentences have none. Of what is stored that
    of `core.studies.heads.findings.evaluated_heads`, which may be of more sentences."""

    @property
    def changes_nothing(self) -> bool:
        """Whether no figure changes for sure."""
        figures = (self.exact_match, self.loss, self.pronoun)
        return not any(figure.is_sure for figure in figures if figure is not None)


@dataclass(frozen=True, slots=True)
class HeadEffects:
    """The effect of every head, as it is stored with a run."""

    heads: tuple[HeadEffect, ...]
    n: int
    """Held-out sentences."""
    seed: int
    """Draws them."""
    step: int
    """Steps that the weights were trained for."""
    all_there_are: bool = False
    """Whether more sentences were asked for than the task has."""

    def of(self, head: Head) -> HeadEffect:
        """Return one head's effect.

        Raises:
            KeyError: It was not measured.
        """
        for each in self.heads:
            if each.head == head:
                return each
        raise KeyError(str(head))


def head_effects(run: Run, n: int = N_SENTENCES, seed: int = SEED) -> Iterator[HeadEffect]:
    """Silence one head after the other, and yield what each changes.

    Args:
        run: A loaded run.
        n: Held-out sentences; fewer where the task has fewer.
        seed: Draws them.

    Raises:
        RunError: The run's task is a file of pairs that cannot be used any more.
    """
    silenceable = Silenceable(run.model, held_out_pairs(run, n, seed))
    before = silenceable.figures()
    for head in every_head(run.model):
        yield _effect(head, before, silenceable.figures([head]))


def _effect(head: Head, before: SampleFigures, after: SampleFigures) -> HeadEffect:
    pronouns = (before.pronoun_right_R, after.pronoun_right_R)
    return HeadEffect(
        head=head,
        exact_match=share_difference(before.right_N, after.right_N),
        loss=mean_difference(before.loss_N, after.loss_N, before.n_tokens_N),
        pronoun=share_difference(*pronouns) if len(pronouns[0]) else None,
    )
