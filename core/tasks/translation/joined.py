"""Sentences with "and": between subjects, objects, verbs and clauses."""

from core.tasks.translation.clauses import MOODS, STATEMENT, Support, action, being, end, say_verb
from core.tasks.translation.draft import Draft, Word
from core.tasks.translation.phrases import Phrase, Wish, joined, noun_phrase
from core.tasks.translation.roles import ACTED_ON, ACTORS, KINDS, TOLD, someone
from core.tasks.translation.verbs import VERBS_FOR
from core.tasks.translation.words import Kind

# "The owl and Marla slept" may be said; the owl and the street hardly do anything together.
JOINED_ACTORS = (
    *((Kind.PERSON, Kind.PERSON),) * 3,
    (Kind.ANIMAL, Kind.ANIMAL),
    (Kind.PERSON, Kind.ANIMAL),
)
JOINED_ANYTHING = (*JOINED_ACTORS, *((kind, kind) for kind in ACTED_ON))


def joined_subjects(draft: Draft) -> list[Word]:
    """The king and the queen arrived. The apple and the pear were ripe."""
    mood = draft.choose(MOODS)
    how = draft.choose(("is", "acts", "acts on"))
    kinds = draft.choose(JOINED_ANYTHING if how == "is" else JOINED_ACTORS)
    left, right = (someone(draft, kind, adjectives=0) for kind in kinds)

    def subject_of(draft: Draft) -> Phrase:
        return joined(draft, left, right)

    if how == "is":
        french, _ = being(draft, mood, subject_of, plural=True)
    elif how == "acts":
        french, _ = action(draft, mood, subject_of, True, VERBS_FOR[kinds[0], None])
    else:
        acted_on = draft.choose(ACTED_ON)
        thing = Wish(acted_on, draft.chance(0.4), negated=mood.negative)
        french, _ = action(
            draft,
            mood,
            subject_of,
            True,
            VERBS_FOR[kinds[0], acted_on],
            lambda d: noun_phrase(d, thing),
        )
    return end(draft, french, mood)


def joined_objects(draft: Draft) -> list[Word]:
    """Marlo bought the book and a lamp."""
    kind, acted_on = draft.choose(ACTORS), draft.choose(KINDS)
    wish = someone(draft, kind)
    left, right = (someone(draft, acted_on)._replace(indefinite=0.4) for _ in range(2))
    french, _ = action(
        draft,
        STATEMENT,
        lambda d: noun_phrase(d, wish),
        wish.plural,
        VERBS_FOR[kind, acted_on],
        lambda d: joined(d, left, right),
    )
    return end(draft, french)


def joined_clauses(draft: Draft) -> list[Word]:
    """The boy slept and the girl didn't work. The woman sang and left."""
    kind = draft.choose(ACTORS)
    wish = someone(draft, kind)
    mood = draft.choose(TOLD)
    french, subject = action(
        draft, mood, lambda d: noun_phrase(d, wish), wish.plural, VERBS_FOR[kind, None]
    )
    french.append(Word("et", draft.say("and")))
    if mood == STATEMENT and draft.chance(0.4):
        french += say_verb(draft, subject, VERBS_FOR[kind, None], Support(()))
    else:
        kind = draft.choose(ACTORS)
        other = someone(draft, kind)
        more, _ = action(
            draft,
            draft.choose(TOLD),
            lambda d: noun_phrase(d, other),
            other.plural,
            VERBS_FOR[kind, None],
        )
        french += more
    return end(draft, french)
