"""Texts worth looking at with an opened model, of whose task nothing is known."""

from core.messages import N_
from core.runs.run import Run
from core.tasks import Example

_READ = (
    Example(N_("it = the animal"), "The animal did not cross the street because it was too tired."),
    Example(N_("it = the street"), "The animal did not cross the street because it was too wide."),
)
_PROMPTS = (
    Example(N_("a fact"), "The capital of France is"),
    Example(N_("repeated words"), "red green blue yellow red green blue"),
    Example(N_("it"), "The animal did not cross the street because it"),
)
"""For models of which no task is known: to be read, and to be gone on from."""


def examples_of(run: Run) -> tuple[Example, ...]:
    """Return sentences to begin with for an opened model, of whose task nothing is known."""
    if not run.settings.is_opened:
        return ()
    if run.tokenizer.mask_id >= 0 and run.model.config.has_output:
        return (Example(N_("a word left out"), "The capital of France is [MASK]."), *_READ)
    return _PROMPTS if run.model.config.stacks == ("decoder",) else _READ
