"""Everyday English to French: the grammar's sentences beside a corpus of what people say."""

from core.messages import N_
from core.tasks.task import Example
from core.tasks.translation import Translation


class Everyday(Translation):
    """The grammar, as it is learned beside pairs of everyday sentences (`core.tasks.mixed`).

    The pairs themselves are no part of it: a model that is given away comes without them.
    """

    name = "everyday"
    examples: tuple[Example, ...] = (
        *Translation.examples[:3],
        Example(N_("love"), "I love you."),
        Example(N_("a question"), "Where do you live?"),
    )


SHORT = (
    "The dog fell because it was tired.",
    "The cow fell because it was old.",
    "Tom was late.",
    "She is tired.",
)
"""Sentences whose words and maps can still be read from the back of a room."""
