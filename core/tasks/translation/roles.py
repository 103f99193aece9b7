"""Who acts and what is acted on: what the sentence patterns draw their nouns from."""

from core.tasks.translation.clauses import DENIAL, STATEMENT
from core.tasks.translation.draft import Draft
from core.tasks.translation.phrases import Wish
from core.tasks.translation.words import Kind

NAME = 0.8
"""How likely a single person has a name."""
KINDS = tuple(Kind)
ACTORS = (Kind.PERSON, Kind.PERSON, Kind.PERSON, Kind.ANIMAL)
ACTED_ON = (Kind.ANIMAL, Kind.PLACE, Kind.THING, Kind.FOOD)
TOLD = (STATEMENT, STATEMENT, DENIAL)
"""The moods of a clause that cannot be a question."""


def someone(draft: Draft, kind: Kind, adjectives: int = 1) -> Wish:
    """Wish for one or several of a kind, a person mostly by name."""
    return Wish(kind, draft.chance(0.3), adjectives=adjectives, name=NAME)
