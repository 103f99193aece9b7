"""Sentences whose pronoun is translated right only by finding what it stands for.

"The animal didn't cross the street because it was too tired." Two nouns of the same number and
(nearly always) of opposite gender, of two sorts; then an adjective that is said of one sort only.
Which noun is meant, its gender and its number are drawn independently, so that neither place nor
gender nor number gives the answer away.
"""

from core.tasks.translation.adjectives import TELLING
from core.tasks.translation.clauses import (
    BECAUSE,
    BUT,
    DENIAL,
    QUESTION,
    STATEMENT,
    WHEN,
    Mood,
    action,
    end,
    say_connector,
    say_predicate,
)
from core.tasks.translation.draft import Draft, Word
from core.tasks.translation.phrases import Wish, noun_phrase, pronoun
from core.tasks.translation.verbs import VERBS_FOR
from core.tasks.translation.words import Kind

_PAIRS_WITH_AN_ANIMAL = (
    *((Kind.ANIMAL, Kind.PLACE),) * 4,
    *((Kind.ANIMAL, Kind.THING),) * 3,
    *((Kind.ANIMAL, Kind.FOOD),) * 2,
    *((Kind.THING, Kind.ANIMAL),) * 2,
    (Kind.PLACE, Kind.ANIMAL),
    (Kind.THING, Kind.PLACE),
)
# "they" may also be persons; "it" may not.
_PAIRS_WITH_PERSONS = (
    (Kind.PERSON, Kind.PLACE),
    (Kind.PERSON, Kind.THING),
    (Kind.PERSON, Kind.FOOD),
    (Kind.THING, Kind.PERSON),
    (Kind.PLACE, Kind.PERSON),
)
PAIRS = {False: _PAIRS_WITH_AN_ANIMAL, True: _PAIRS_WITH_AN_ANIMAL + 2 * _PAIRS_WITH_PERSONS}
"""Kinds of subject and object, in the singular and in the plural."""

FRAMES: tuple[tuple[Mood, str], ...] = (
    *((DENIAL, BECAUSE),) * 8,
    *((STATEMENT, BECAUSE),) * 6,
    *((STATEMENT, WHEN),) * 3,
    *((STATEMENT, BUT),) * 3,
    *((QUESTION, BECAUSE),) * 2,
    (DENIAL, WHEN),
)


def ambiguous(draft: Draft) -> list[Word]:
    """Say such a sentence and return it in French."""
    plural = draft.chance(0.4)
    kinds = draft.choose(PAIRS[plural])
    feminine = draft.chance(0.5)
    # A few pairs of one gender keep the opposite gender from being a rule without exception.
    other = feminine if draft.chance(0.06) else not feminine
    mood, connector = draft.choose(FRAMES)
    # What has not been said to exist ("didn't eat an apple") cannot be meant by a pronoun.
    indefinite = 0.0 if mood == DENIAL else 0.12
    wishes = (
        Wish(kinds[0], plural, feminine, indefinite),
        Wish(kinds[1], plural, other, indefinite),
    )
    french, _ = action(
        draft,
        mood,
        lambda draft: noun_phrase(draft, wishes[0]),
        plural,
        VERBS_FOR[kinds],
        lambda draft: noun_phrase(draft, wishes[1]),
    )
    french += say_connector(draft, connector)
    which = draft.choose((0, 1))
    antecedent = draft.mentions[which]
    subject = pronoun(draft, antecedent)
    telling = TELLING[kinds[which], kinds[1 - which]]
    second = DENIAL if draft.chance(0.15) else STATEMENT
    french += subject.french + say_predicate(draft, subject, telling, second)
    return end(draft, french, mood)
