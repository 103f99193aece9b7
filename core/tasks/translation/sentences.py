"""The sentence patterns together, and how often each is drawn."""

from collections.abc import Callable

from core.tasks.translation.ambiguous import ambiguous
from core.tasks.translation.draft import Draft, Word
from core.tasks.translation.joined import joined_clauses, joined_objects, joined_subjects
from core.tasks.translation.relatives import object_relative, who_clause, who_clause_at_the_end
from core.tasks.translation.simple import (
    intransitive,
    predicative,
    transitive,
    who_question,
    why_question,
)
from core.tasks.translation.subordinate import (
    clause_first,
    man_and_woman,
    one_antecedent,
    person_and_thing,
    two_clauses,
)

SHARES: dict[Callable[[Draft], list[Word]], int] = {
    ambiguous: 56,
    intransitive: 5,
    transitive: 8,
    predicative: 3,
    joined_subjects: 5,
    joined_objects: 2,
    joined_clauses: 3,
    one_antecedent: 3,
    clause_first: 3,
    two_clauses: 3,
    person_and_thing: 5,
    man_and_woman: 6,
    who_clause: 3,
    who_clause_at_the_end: 2,
    object_relative: 3,
    who_question: 1,
    why_question: 2,
}
"""How often each pattern is drawn, in proportion to the others."""
PRESENT = 0.25
"""How likely a sentence is in the present tense."""
PATTERNS = tuple(pattern for pattern, share in SHARES.items() for _ in range(share))


def sentence(draft: Draft) -> list[Word]:
    """Say any sentence of the grammar in English and return it in French."""
    draft.present = draft.chance(PRESENT)
    return draft.choose(PATTERNS)(draft)
