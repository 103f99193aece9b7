"""Sentences of one clause: statements, denials and questions."""

from core.tasks.translation.clauses import (
    DENIAL,
    DENYING_QUESTION,
    MOODS,
    QUESTION,
    STATEMENT,
    Support,
    action,
    being,
    conjugated,
    end,
    say_do,
    say_verb_form,
)
from core.tasks.translation.draft import Draft, Word
from core.tasks.translation.phrases import Wish, noun_phrase
from core.tasks.translation.roles import ACTED_ON, ACTORS, KINDS, NAME, someone
from core.tasks.translation.verbs import VERBS_FOR
from core.tasks.translation.words import Kind


def intransitive(draft: Draft) -> list[Word]:
    """The old man arrived. Didn't Marlo sleep?"""
    mood, kind = draft.choose(MOODS), draft.choose((*ACTORS, *KINDS))
    wish = someone(draft, kind, adjectives=2)
    if mood == STATEMENT:
        wish = wish._replace(name=0.0)
    french, _ = action(
        draft, mood, lambda d: noun_phrase(d, wish), wish.plural, VERBS_FOR[kind, None]
    )
    return end(draft, french, mood)


def transitive(draft: Draft) -> list[Word]:
    """The boy did not see any small red apples."""
    mood, kind, acted_on = draft.choose(MOODS), draft.choose(ACTORS), draft.choose(KINDS)
    wish = someone(draft, kind)
    thing = Wish(acted_on, draft.chance(0.4), indefinite=0.4, adjectives=2, negated=mood.negative)
    french, _ = action(
        draft,
        mood,
        lambda d: noun_phrase(d, wish),
        wish.plural,
        VERBS_FOR[kind, acted_on],
        lambda d: noun_phrase(d, thing._replace(name=NAME)),
    )
    return end(draft, french, mood)


def predicative(draft: Draft) -> list[Word]:
    """The old street wasn't very wide. Were the apples red and ripe?"""
    mood, kind = draft.choose(MOODS), draft.choose((*ACTORS, *KINDS))
    wish = someone(draft, kind)
    french, _ = being(draft, mood, lambda d: noun_phrase(d, wish), wish.plural, second=0.2)
    return end(draft, french, mood)


def who_question(draft: Draft) -> list[Word]:
    """Who crossed the street? Who didn't see Marlo?"""
    mood = draft.choose((QUESTION, QUESTION, DENYING_QUESTION))
    french = [Word("qui", draft.say("who"))]
    acted_on = draft.choose(KINDS)
    verbs = VERBS_FOR[Kind.PERSON, acted_on]
    thing = Wish(acted_on, draft.chance(0.3), negated=mood.negative, name=NAME)
    did = say_do(draft, False, DENIAL) if mood.negative else Support(())
    verb, said = say_verb_form(draft, verbs, False, did)
    french += conjugated(draft, verb, said, did, plural=False, participle=0)
    return end(draft, french + noun_phrase(draft, thing).french, mood)


def why_question(draft: Draft) -> list[Word]:
    """Why did the dog cross the street?"""
    mood = draft.choose((QUESTION, DENYING_QUESTION))
    french = [Word("pourquoi", draft.say("why"))]
    kind, acted_on = draft.choose(ACTORS), draft.choose(ACTED_ON)
    wish = someone(draft, kind)
    thing = Wish(acted_on, draft.chance(0.3), indefinite=0.0)
    clause, _ = action(
        draft,
        mood,
        lambda d: noun_phrase(d, wish),
        wish.plural,
        VERBS_FOR[kind, acted_on],
        lambda d: noun_phrase(d, thing),
    )
    return end(draft, french + clause, mood)
