"""The sentence patterns, and how often each is drawn."""

from collections.abc import Callable

from core.tasks.translation.adjectives import PREDICATES
from core.tasks.translation.ambiguous import BECAUSE, WHEN, ambiguous, end, say_connector
from core.tasks.translation.clauses import (
    DENIAL,
    DENYING_QUESTION,
    MOODS,
    QUESTION,
    STATEMENT,
    Mood,
    Support,
    action,
    being,
    negated,
    say_adjective,
    say_predicate,
    say_support,
    say_verb,
)
from core.tasks.translation.draft import Draft, Word
from core.tasks.translation.phrases import Phrase, Wish, joined, noun_phrase, pronoun
from core.tasks.translation.relatives import (
    THINGS_ACTED_ON,
    with_object_relative,
    with_subject_relative,
)
from core.tasks.translation.verbs import VERBS_FOR
from core.tasks.translation.words import ANIMATE, Kind

NAME = 0.8
"""How likely a single person has a name, in the patterns with persons."""
KINDS = tuple(Kind)
ACTORS = (Kind.PERSON, Kind.PERSON, Kind.PERSON, Kind.ANIMAL)
JOINED_ACTORS = (
    *((Kind.PERSON, Kind.PERSON),) * 3,
    (Kind.ANIMAL, Kind.ANIMAL),
    (Kind.PERSON, Kind.ANIMAL),
)
JOINED_ANYTHING = (*JOINED_ACTORS, *((kind, kind) for kind in THINGS_ACTED_ON))
TOLD = (STATEMENT, STATEMENT, DENIAL)


def _someone(draft: Draft, kind: Kind, adjectives: int = 1) -> Wish:
    return Wish(kind, draft.chance(0.3), adjectives=adjectives, name=NAME)


def intransitive(draft: Draft) -> list[Word]:
    """The old man arrived. Didn't Marlo sleep?"""
    mood, kind = draft.choose(MOODS), draft.choose((*ACTORS, *KINDS))
    wish = _someone(draft, kind, adjectives=2)
    if mood == STATEMENT:
        wish = wish._replace(name=0.0)
    french, _ = action(draft, mood, lambda d: noun_phrase(d, wish), VERBS_FOR[kind, None])
    return end(draft, french, mood)


def transitive(draft: Draft) -> list[Word]:
    """The boy did not see any small red apples."""
    mood, kind, acted_on = draft.choose(MOODS), draft.choose(ACTORS), draft.choose(KINDS)
    wish = _someone(draft, kind)
    thing = Wish(acted_on, draft.chance(0.4), indefinite=0.4, adjectives=2, negated=mood.negative)
    french, _ = action(
        draft,
        mood,
        lambda d: noun_phrase(d, wish),
        VERBS_FOR[kind, acted_on],
        lambda d: noun_phrase(d, thing._replace(name=NAME)),
    )
    return end(draft, french, mood)


def predicative(draft: Draft) -> list[Word]:
    """The old street wasn't very wide. Were the apples red and ripe?"""
    mood, kind = draft.choose(MOODS), draft.choose(KINDS)
    wish = _someone(draft, kind)
    french, subject = being(draft, mood, lambda d: noun_phrase(d, wish), wish.plural)
    if draft.chance(0.2):
        french.append(Word("et", draft.say("and")))
        french.append(say_adjective(draft, subject, PREDICATES[kind]))
    return end(draft, french, mood)


def joined_subjects(draft: Draft) -> list[Word]:
    """The king and the queen arrived. The apple and the pear were ripe."""
    mood = draft.choose(MOODS)
    how = draft.choose(("is", "acts", "acts on"))
    kinds = draft.choose(JOINED_ANYTHING if how == "is" else JOINED_ACTORS)
    left, right = (_someone(draft, kind, adjectives=0) for kind in kinds)

    def subject_of(draft: Draft) -> Phrase:
        return joined(draft, left, right)

    if how == "is":
        french, _ = being(draft, mood, subject_of, plural=True)
    elif how == "acts":
        french, _ = action(draft, mood, subject_of, VERBS_FOR[kinds[0], None])
    else:
        acted_on = draft.choose(THINGS_ACTED_ON)
        thing = Wish(acted_on, draft.chance(0.4), negated=mood.negative)
        french, _ = action(
            draft, mood, subject_of, VERBS_FOR[kinds[0], acted_on], lambda d: noun_phrase(d, thing)
        )
    return end(draft, french, mood)


def joined_objects(draft: Draft) -> list[Word]:
    """Marlo bought the book and a lamp."""
    kind, acted_on = draft.choose(ACTORS), draft.choose(KINDS)
    wish = _someone(draft, kind)
    left, right = (_someone(draft, acted_on)._replace(indefinite=0.4) for _ in range(2))
    french, _ = action(
        draft,
        STATEMENT,
        lambda d: noun_phrase(d, wish),
        VERBS_FOR[kind, acted_on],
        lambda d: joined(d, left, right),
    )
    return end(draft, french)


def joined_clauses(draft: Draft) -> list[Word]:
    """The boy slept and the girl didn't work. The woman sang and left."""
    kind = draft.choose(ACTORS)
    wish = _someone(draft, kind)
    mood = draft.choose(TOLD)
    french, subject = action(draft, mood, lambda d: noun_phrase(d, wish), VERBS_FOR[kind, None])
    french.append(Word("et", draft.say("and")))
    if mood == STATEMENT and draft.chance(0.4):
        french += say_verb(draft, subject, VERBS_FOR[kind, None], Support(()))
    else:
        kind = draft.choose(ACTORS)
        other = _someone(draft, kind)
        more, _ = action(
            draft, draft.choose(TOLD), lambda d: noun_phrase(d, other), VERBS_FOR[kind, None]
        )
        french += more
    return end(draft, french)


def one_antecedent(draft: Draft) -> list[Word]:
    """The girls laughed because they were happy. Zorbik slept when he came back."""
    mood, kind = draft.choose(MOODS), draft.choose((*ACTORS, *KINDS))
    wish = _someone(draft, kind)
    french, subject = action(draft, mood, lambda d: noun_phrase(d, wish), VERBS_FOR[kind, None])
    french += say_connector(draft, draft.choose((BECAUSE, BECAUSE, WHEN)))
    french += _of_pronoun(draft, subject)
    return end(draft, french, mood)


def _of_pronoun(draft: Draft, antecedent: Phrase) -> list[Word]:
    """Say "she was happy" or "she didn't sleep" of somebody, and return it in French."""
    kind = antecedent.mention.kind
    mood = draft.choose(TOLD)
    if kind in ANIMATE and draft.chance(0.3):
        french, _ = action(
            draft, mood, lambda d: pronoun(d, antecedent.mention), VERBS_FOR[kind, None]
        )
        return french
    subject = pronoun(draft, antecedent.mention)
    return subject.french + say_predicate(draft, subject, PREDICATES[kind], mood)


def clause_first(draft: Draft) -> list[Word]:
    """When the girl arrived, she was happy. Because the street was wide, the dog waited."""
    french = say_connector(draft, draft.choose((BECAUSE, WHEN)))
    clause, subject = _any_clause(draft)
    draft.say(",")
    french += [*clause, Word(",")]
    if draft.chance(0.6):
        return end(draft, french + _of_pronoun(draft, subject))
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
    wish = _someone(draft, kind)
    if draft.chance(0.5):
        return being(draft, mood, lambda d: noun_phrase(d, wish), wish.plural)
    return action(draft, mood, lambda d: noun_phrase(d, wish), VERBS_FOR[kind, None])


def person_and_thing(draft: Draft) -> list[Word]:
    """The woman ate the apple because it was ripe; English tells here what the pronoun means."""
    acted_on = draft.choose(THINGS_ACTED_ON)
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
        draft, mood, lambda d: noun_phrase(d, subject), verbs, lambda d: noun_phrase(d, other)
    )
    french += say_connector(draft, draft.choose((BECAUSE, BECAUSE, WHEN)))
    again = pronoun(draft, draft.mentions[draft.choose((0, 1))])
    predicates = PREDICATES[again.mention.kind]
    return end(
        draft, french + again.french + say_predicate(draft, again, predicates, draft.choose(TOLD))
    )


def who_clause(draft: Draft) -> list[Word]:
    """The girl who sang saw the dog. The box that fell was heavy."""
    kind = draft.choose((*ACTORS, *KINDS))
    wish = Wish(kind, draft.chance(0.3), adjectives=0)
    phrase = with_subject_relative(draft, noun_phrase(draft, wish))
    return end(draft, phrase.french + _says_more(draft, phrase))


def _says_more(draft: Draft, subject: Phrase) -> list[Word]:
    """Go on with a main verb after a subject with a relative clause."""
    kind = subject.mention.kind
    mood = draft.choose(TOLD)
    if draft.chance(0.4):
        return say_predicate(draft, subject, PREDICATES[kind], mood)
    did = say_support(draft, "did", mood) if mood.negative else Support(())
    if draft.chance(0.5) or kind not in ANIMATE:
        return say_verb(draft, subject, VERBS_FOR[kind, None], did)
    acted_on = draft.choose(THINGS_ACTED_ON)
    french = say_verb(draft, subject, VERBS_FOR[kind, acted_on], did)
    thing = Wish(acted_on, draft.chance(0.3), adjectives=0, negated=mood.negative)
    return french + noun_phrase(draft, thing).french


def who_clause_at_the_end(draft: Draft) -> list[Word]:
    """Marlo saw a woman who was tired."""
    kind, other = draft.choose(ACTORS), draft.choose((*ACTORS, *KINDS))
    wish = _someone(draft, kind)
    thing = Wish(other, draft.chance(0.3), indefinite=0.4, adjectives=0)
    french, _ = action(
        draft,
        STATEMENT,
        lambda d: noun_phrase(d, wish),
        VERBS_FOR[kind, other],
        lambda d: with_subject_relative(d, noun_phrase(d, thing)),
    )
    return end(draft, french)


def object_relative(draft: Draft) -> list[Word]:
    """The apple that Anna ate was ripe."""
    thing = Wish(draft.choose(THINGS_ACTED_ON), draft.chance(0.4), indefinite=0.0)
    actor = _someone(draft, draft.choose(ACTORS))
    phrase = with_object_relative(draft, noun_phrase(draft, thing), actor)
    return end(draft, phrase.french + _says_more(draft, phrase))


def who_question(draft: Draft) -> list[Word]:
    """Who crossed the street? Who didn't see Marlo?"""
    mood = draft.choose((QUESTION, QUESTION, DENYING_QUESTION))
    french = [Word("qui", draft.say("who"))]
    acted_on = draft.choose(KINDS)
    verbs = VERBS_FOR[Kind.PERSON, acted_on]
    thing = Wish(acted_on, draft.chance(0.3), negated=mood.negative, name=NAME)
    did = say_support(draft, "did", DENIAL) if mood.negative else Support(())
    if did.tense:
        verb, sources = draft.pick_verb(verbs, lambda each: each.base)
    else:
        verb, sources = draft.pick_verb(verbs, lambda each: each.past)
    french += negated(Word("a", did.tense or sources), did.negation)
    french.append(Word(verb.participle[0], sources))
    return end(draft, french + noun_phrase(draft, thing).french, mood)


def why_question(draft: Draft) -> list[Word]:
    """Why did the dog cross the street?"""
    mood = draft.choose((QUESTION, DENYING_QUESTION))
    french = [Word("pourquoi", draft.say("why"))]
    kind, acted_on = draft.choose(ACTORS), draft.choose(THINGS_ACTED_ON)
    wish = _someone(draft, kind)
    thing = Wish(acted_on, draft.chance(0.3), indefinite=0.0)
    clause, _ = action(
        draft,
        mood,
        lambda d: noun_phrase(d, wish),
        VERBS_FOR[kind, acted_on],
        lambda d: noun_phrase(d, thing),
    )
    return end(draft, french + clause, mood)


SHARES: dict[Callable[[Draft], list[Word]], int] = {
    ambiguous: 53,
    intransitive: 5,
    transitive: 7,
    predicative: 3,
    joined_subjects: 5,
    joined_objects: 2,
    joined_clauses: 3,
    one_antecedent: 3,
    clause_first: 3,
    two_clauses: 3,
    person_and_thing: 4,
    man_and_woman: 4,
    who_clause: 3,
    who_clause_at_the_end: 2,
    object_relative: 3,
    who_question: 1,
    why_question: 2,
}
"""How many of about a hundred sentences follow each pattern."""
PATTERNS = tuple(pattern for pattern, share in SHARES.items() for _ in range(share))


def sentence(draft: Draft) -> list[Word]:
    """Say any sentence of the grammar in English and return it in French."""
    return draft.choose(PATTERNS)(draft)
