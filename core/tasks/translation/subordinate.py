"""Sentences with a because- or when-clause; a pronoun in them can mean one noun only."""

from core.tasks.translation.adjectives import PREDICATES
from core.tasks.translation.clauses import (
    BECAUSE,
    MOODS,
    WHEN,
    Mood,
    action,
    being,
    end,
    say_connector,
    say_predicate,
)
from core.tasks.translation.draft import Draft, Word
from core.tasks.translation.phrases import Phrase, Wish, noun_phrase, pronoun
from core.tasks.translation.roles import ACTED_ON, ACTORS, KINDS, NAME, TOLD, someone
from core.tasks.translation.verbs import VERBS_FOR
from core.tasks.translation.words import ANIMATE, Kind


def one_antecedent(draft: Draft) -> list[Word]:
    """The girls laughed because they were happy. Zorbik slept when he came back."""
    mood, kind = draft.choose(MOODS), draft.choose((*ACTORS, *KINDS))
    wish = someone(draft, kind)
    french, subject = action(
        draft, mood, lambda d: noun_phrase(d, wish), wish.plural, VERBS_FOR[kind, None]
    )
    french += say_connector(draft, draft.choose((BECAUSE, BECAUSE, WHEN)))
    french += _about_it_again(draft, subject)
    return end(draft, french, mood)


def _about_it_again(draft: Draft, antecedent: Phrase) -> list[Word]:
    """Say "she was happy" or "she didn't sleep" of somebody, and return it in French."""
    kind = antecedent.mention.kind
    mood = draft.choose(TOLD)
    if kind in ANIMATE and draft.chance(0.3):
        french, _ = action(
            draft,
            mood,
            lambda d: pronoun(d, antecedent.mention),
            antecedent.plural,
            VERBS_FOR[kind, None],
        )
        return french
    subject = pronoun(draft, antecedent.mention)
    return subject.french + say_predicate(draft, subject, PREDICATES[kind], mood)


def clause_first(draft: Draft) -> list[Word]:
    """When the girl arrived, she was happy. Because the street was wide, the dog waited."""
    french = say_connector(draft, draft.choose((BECAUSE, WHEN)), first=True)
    clause, subject = _any_clause(draft)
    draft.say(",")
    french += [*clause, Word(",")]
    if draft.chance(0.6):
        return end(draft, french + _about_it_again(draft, subject))
    main, _ = _any_clause(draft)
    return end(draft, french + main)


def two_clauses(draft: Draft) -> list[Word]:
    """Marlo left when the dogs arrived."""
    french, _ = _any_clause(draft)
    french += say_connector(draft, draft.choose((BECAUSE, WHEN)))
    clause, _ = _any_clause(draft)
    return end(draft, french + clause)


def _any_clause(draft: Draft) -> tuple[list[Word], Phrase]:
    mood, kind = draft.choose(TOLD), draft.choose((*ACTORS, *KINDS))
    wish = someone(draft, kind)
    if draft.chance(0.5):
        return being(draft, mood, lambda d: noun_phrase(d, wish), wish.plural)
    return action(draft, mood, lambda d: noun_phrase(d, wish), wish.plural, VERBS_FOR[kind, None])


def person_and_thing(draft: Draft) -> list[Word]:
    """The woman ate the apple because it was ripe; English tells here what the pronoun means."""
    acted_on = draft.choose(ACTED_ON)
    plurals = draft.choose(((False, False), (False, False), (False, True), (True, False)))
    mood = draft.choose(TOLD)
    person = Wish(Kind.PERSON, plurals[0], name=NAME)
    thing = Wish(acted_on, plurals[1], indefinite=0.0)
    return _two_and_a_pronoun(draft, mood, person, thing)


def man_and_woman(draft: Draft) -> list[Word]:
    """Marlo saw the queen because she was sad."""
    feminine = draft.chance(0.5)
    mood = draft.choose(TOLD)
    subject = Wish(Kind.PERSON, plural=False, feminine=feminine, name=NAME)
    other = Wish(Kind.PERSON, False, not feminine, indefinite=0.0, name=NAME)
    return _two_and_a_pronoun(draft, mood, subject, other)


def _two_and_a_pronoun(draft: Draft, mood: Mood, subject: Wish, other: Wish) -> list[Word]:
    verbs = VERBS_FOR[subject.kind, other.kind]
    french, _ = action(
        draft,
        mood,
        lambda d: noun_phrase(d, subject),
        subject.plural,
        verbs,
        lambda d: noun_phrase(d, other),
    )
    french += say_connector(draft, draft.choose((BECAUSE, BECAUSE, WHEN)))
    again = pronoun(draft, draft.mentions[draft.choose((0, 1))])
    predicates = PREDICATES[again.mention.kind]
    return end(
        draft, french + again.french + say_predicate(draft, again, predicates, draft.choose(TOLD))
    )
