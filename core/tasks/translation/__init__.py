"""English to French from a grammar: a small language that is right, and knows its alignments.

Reading order: lexicon, names; draft (a sentence in progress), phrases, clauses, patterns; spelling
(the two texts with their spans); split (what is held out); recognition (the grammar backwards);
labels (tags and a class instead of a translation).
"""

import random

from ...messages import N_
from ..task import Drawn, Example, Sample
from .draft import Draft
from .labels import Classifying, Tagging
from .recognition import derivations, drawn
from .split import is_held_out

__all__ = ["Classifying", "Everyday", "Tagging", "Translation", "derivations"]


class Translation(Drawn):
    """The translation task: about half of its sentences hold a pronoun to be understood.

    >>> [sample] = derivations("The animal didn't cross the street because it was too tired.")
    >>> sample.target
    "L'animal n'a pas traversé la rue parce qu'il était trop fatigué."
    >>> Translation().held_out(sample)
    True
    """

    name = "translate"
    form = N_("a sentence of the grammar")
    pronouns: frozenset[str] = frozenset({"it", "they"})
    examples: tuple[Example, ...] = (
        Example(N_("tired"), "The animal didn't cross the street because it was too tired."),
        Example(N_("wide"), "The animal didn't cross the street because it was too wide."),
        Example(N_("they"), "The goats avoided the bridges because they were thirsty."),
        Example(N_("a question"), "Why didn't the old horse cross the park?"),
        Example(N_("names"), "When Zorbika arrived, Marlo didn't laugh."),
    )

    def sample(self, rng: random.Random) -> Sample:
        """Draw a sentence pair with its links and references."""
        return drawn(Draft(rng))

    def held_out(self, sample: Sample) -> bool:
        """Say whether a noun pair or a name of the sample is held out."""
        return is_held_out(sample.source)

    def makes(self, source: str) -> bool:
        """Say whether the grammar derives it, in one way or in several."""
        return any(True for _ in derivations(source))

    def reference(self, source: str) -> str | None:
        """The translation that the grammar derives; None for what is no sentence of it."""
        targets = {sample.target for sample in derivations(source)}
        return targets.pop() if len(targets) == 1 else None


class Everyday(Translation):
    """The grammar, as it is learned beside pairs of everyday sentences (`core.tasks.corpus.Mixed`).

    The pairs are no part of it: a model that is given away comes without them.
    """

    name = "everyday"
    examples: tuple[Example, ...] = (
        *Translation.examples[:3],
        Example(N_("love"), "I love you."),
        Example(N_("a question"), "Where do you live?"),
    )
