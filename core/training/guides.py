"""Which heads can be guided, and by what a task knows."""

from core.config import ConfigError
from core.config.training import TrainConfig
from core.heads import Head
from core.model import Transformer
from core.tasks import Task
from core.tasks.corpus import Mixed
from core.tasks.task import Drawn


def check_guide(config: TrainConfig, task: Task, model: Transformer) -> None:
    """Refuse to guide a head that is not there, or on a task that has nothing to guide it by.

    Raises:
        ConfigError: The message says what would do.
    """
    guide = config.guide
    try:
        head = Head.parse(guide)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    if config.guide_to == "alignment":
        _check_alignment(head, task)
    elif not task.pronouns:
        raise ConfigError(
            "the task {name} has no pronouns that {guide} could be guided by",
            name=repr(task.name),
            guide=guide,
        )
    elif head.kind.key_side != "source":
        raise ConfigError(
            "{site} never sees the source, so it cannot be guided to an antecedent", site=head.site
        )
    if head.site not in model.sites() or head.index >= model.config.n_heads:
        raise ConfigError("{guide} is no head of this model", guide=guide)


def _check_alignment(head: Head, task: Task) -> None:
    """Refuse a head that does not look from the target to the source, or where no link is known."""
    if head.kind.sides != ("target", "source"):
        raise ConfigError(
            "{site} does not look from the target to the source: "
            "guide_to=alignment is for cross-attention, as in decoder.1.cross:0",
            site=head.site,
        )
    # Sentences that a task makes know their links, files of pairs do not.
    made = task.made if isinstance(task, Mixed) else task
    if not isinstance(made, Drawn):
        raise ConfigError(
            "the task {name} does not know which words belong together, so it has "
            "no alignment that {head} could be guided by",
            name=repr(task.name),
            head=head,
        )
