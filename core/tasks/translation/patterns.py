"""The sentence patterns, and how often each is drawn."""

from collections.abc import Callable

from .clauses import (
    BECAUSE,
    BUT,
    DENIAL,
    DO,
    NEGATIVE_QUESTION,
    NO_SUPPORT,
    QUESTION,
    STATEMENT,
    WHEN,
    Clause,
    Mood,
    action,
    being,
    end,
    say_auxiliary,
    say_connector,
    say_predicate,
    say_verb,
)
from .draft import Draft, Word
from .lexicon import (
    ANIMATE,
    DISTINCTIVE,
    KINDS,
    PREDICATES,
    VERBS_FOR,
    Kind,
    form_index,
)
from .phrases import Coordination, Nominal, NounPhrase, Phrase, Pronoun

PRESENT = 0.25
"""The probability of the present tense."""
NAME = 0.8
"""The probability of a name for a single person."""
MOODS = (STATEMENT,) * 9 + (DENIAL,) * 6 + (QUESTION,) * 4 + (NEGATIVE_QUESTION,)
DECLARATIVE = (STATEMENT, STATEMENT, DENIAL)
"""The moods of a clause that cannot be a question."""
ACTORS = (Kind.PERSON, Kind.PERSON, Kind.PERSON, Kind.ANIMAL)
ACTED_ON = (Kind.ANIMAL, Kind.PLACE, Kind.THING, Kind.FOOD)
SUBJECTS = (*ACTORS, *KINDS)


def some(draft: Draft, kind: Kind, adjectives: int = 1) -> NounPhrase:
    """Return a noun phrase for one or several of a kind, for a person mostly a name."""
    return NounPhrase(kind, draft.chance(0.3), adjectives=adjectives, name=NAME)


# Sentences of one clause.


def intransitive(draft: Draft) -> list[Word]:
    """The old man arrived. Didn't Marlo sleep?"""
    mood, kind = draft.choose(MOODS), draft.choose(SUBJECTS)
    subject = some(draft, kind, adjectives=2)
    if mood == STATEMENT:
        subject = subject._replace(name=0.0)
    return end(draft, action(draft, mood, subject).french, mood)


def transitive(draft: Draft) -> list[Word]:
    """The boy did not see any small red apples."""
    mood, kind, acted_on = draft.choose(MOODS), draft.choose(ACTORS), draft.choose(KINDS)
    subject = some(draft, kind)
    thing = NounPhrase(acted_on, draft.chance(0.4), None, 0.4, 2, mood.negative, NAME)
    return end(draft, action(draft, mood, subject, thing).french, mood)


def predicative(draft: Draft) -> list[Word]:
    """The old street wasn't very wide. Were the apples red and ripe?"""
    mood, kind = draft.choose(MOODS), draft.choose(SUBJECTS)
    return end(draft, being(draft, mood, some(draft, kind), second=0.2).french, mood)


def who_question(draft: Draft) -> list[Word]:
    """Who crossed the street? Who didn't see Marlo?"""
    mood = draft.choose((QUESTION, QUESTION, NEGATIVE_QUESTION))
    french = [Word("qui", draft.say("who"))]
    acted_on = draft.choose(KINDS)
    thing = NounPhrase(acted_on, draft.chance(0.3), negated=mood.negative, name=NAME)
    support = say_auxiliary(draft, DO, False, DENIAL) if mood.negative else NO_SUPPORT
    masculine = form_index(feminine=False, plural=False)
    french += say_verb(draft, VERBS_FOR[Kind.PERSON, acted_on], masculine, support)
    return end(draft, french + thing.say(draft).french, mood)


def why_question(draft: Draft) -> list[Word]:
    """Why did the dog cross the street?"""
    mood = draft.choose((QUESTION, NEGATIVE_QUESTION))
    french = [Word("pourquoi", draft.say("why"))]
    kind, acted_on = draft.choose(ACTORS), draft.choose(ACTED_ON)
    subject = some(draft, kind)
    thing = NounPhrase(acted_on, draft.chance(0.3), indefinite=0.0)
    return end(draft, french + action(draft, mood, subject, thing).french, mood)


# Sentences with "and". The owl and Marla may sleep; the owl and the street do little together.

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
    left, right = (some(draft, kind, adjectives=0) for kind in kinds)
    subject = Coordination(left, right)
    if how == "is":
        return end(draft, being(draft, mood, subject).french, mood)
    thing = None
    if how == "acts on":
        thing = NounPhrase(draft.choose(ACTED_ON), draft.chance(0.4), negated=mood.negative)
    return end(draft, action(draft, mood, subject, thing).french, mood)


def joined_objects(draft: Draft) -> list[Word]:
    """Marlo bought the book and a lamp."""
    kind, acted_on = draft.choose(ACTORS), draft.choose(KINDS)
    subject = some(draft, kind)
    left, right = (some(draft, acted_on)._replace(indefinite=0.4) for _ in range(2))
    return end(draft, action(draft, STATEMENT, subject, Coordination(left, right)).french)


def joined_clauses(draft: Draft) -> list[Word]:
    """The boy slept and the girl didn't work. The woman sang and left."""
    kind = draft.choose(ACTORS)
    first = some(draft, kind)
    mood = draft.choose(DECLARATIVE)
    french, subject = action(draft, mood, first)
    french.append(Word("et", draft.say("and")))
    if mood == STATEMENT and draft.chance(0.4):
        return end(draft, french + say_verb(draft, VERBS_FOR[kind, None], subject.form))
    second = some(draft, draft.choose(ACTORS))
    return end(draft, french + action(draft, draft.choose(DECLARATIVE), second).french)


# Relative clauses: "who sang", qui a chanté; "that the boy ate", que le garçon a mangé(e)(s).


class WithRelative(NounPhrase):
    """A noun phrase with "who …" or "that …", whose subject it is."""

    def say(self, draft: Draft) -> Phrase:
        """Say both in English and return them in French."""
        phrase, kind = super().say(draft), self.kind
        sources = draft.say("who" if kind is Kind.PERSON else "that")
        french = [*phrase.french, Word("qui", sources)]
        how = draft.choose(("is", "acts", "acts on") if kind in ANIMATE else ("is", "acts"))
        if how == "is":
            french += say_predicate(draft, phrase, PREDICATES[kind])
        elif how == "acts":
            french += say_verb(draft, VERBS_FOR[kind, None], phrase.form)
        else:
            acted_on = draft.choose(ACTED_ON)
            french += say_verb(draft, VERBS_FOR[kind, acted_on], phrase.form)
            french += NounPhrase(acted_on, draft.chance(0.3), adjectives=0).say(draft).french
        return phrase._replace(french=french)


def who_clause(draft: Draft) -> list[Word]:
    """The girl who sang saw the dog. The box that fell was heavy."""
    kind = draft.choose(SUBJECTS)
    subject = WithRelative(kind, draft.chance(0.3), adjectives=0).say(draft)
    return end(draft, subject.french + _main_verb(draft, subject))


def who_clause_at_the_end(draft: Draft) -> list[Word]:
    """Marlo saw a woman who was tired."""
    kind, other = draft.choose(ACTORS), draft.choose(SUBJECTS)
    subject = some(draft, kind)
    thing = WithRelative(other, draft.chance(0.3), indefinite=0.4, adjectives=0)
    return end(draft, action(draft, STATEMENT, subject, thing).french)


def object_relative(draft: Draft) -> list[Word]:
    """The apple that Anna ate was ripe."""
    thing = NounPhrase(draft.choose(ACTED_ON), draft.chance(0.4), indefinite=0.0)
    actor = some(draft, draft.choose(ACTORS))
    phrase = thing.say(draft)
    french = [*phrase.french, Word("que", draft.say("that"))]
    subject = actor.say(draft)
    verbs = VERBS_FOR[actor.kind, thing.kind]
    # With "avoir" the participle agrees with an object that comes before it.
    verb = say_verb(draft, verbs, subject.form, object_form=phrase.form)
    return end(draft, [*french, *subject.french, *verb, *_main_verb(draft, phrase)])


def _main_verb(draft: Draft, subject: Phrase) -> list[Word]:
    """Say the main verb after a subject with a relative clause."""
    kind = subject.mention.kind
    mood = draft.choose(DECLARATIVE)
    if draft.chance(0.4):
        return say_predicate(draft, subject, PREDICATES[kind], mood)
    plural = subject.mention.plural
    support = say_auxiliary(draft, DO, plural, mood) if mood.negative else NO_SUPPORT
    if draft.chance(0.5) or kind not in ANIMATE:
        return say_verb(draft, VERBS_FOR[kind, None], subject.form, support)
    acted_on = draft.choose(ACTED_ON)
    french = say_verb(draft, VERBS_FOR[kind, acted_on], subject.form, support)
    thing = NounPhrase(acted_on, draft.chance(0.3), adjectives=0, negated=mood.negative)
    return french + thing.say(draft).french


# Sentences with a because- or when-clause; a pronoun in them can mean one noun only.


def one_antecedent(draft: Draft) -> list[Word]:
    """The girls laughed because they were happy. Zorbik slept when he came back."""
    mood, kind = draft.choose(MOODS), draft.choose(SUBJECTS)
    french, subject = action(draft, mood, some(draft, kind))
    french += say_connector(draft, draft.choose((BECAUSE, BECAUSE, WHEN)))
    return end(draft, french + _pronoun_clause(draft, subject), mood)


def _pronoun_clause(draft: Draft, antecedent: Phrase) -> list[Word]:
    """Say "she was happy" or "she didn't sleep" of an antecedent, and return it in French."""
    pronoun = Pronoun(antecedent.mention)
    mood = draft.choose(DECLARATIVE)
    if pronoun.kind in ANIMATE and draft.chance(0.3):
        return action(draft, mood, pronoun).french
    return being(draft, mood, pronoun).french


def clause_first(draft: Draft) -> list[Word]:
    """When the girl arrived, she was happy. Because the street was wide, the dog waited."""
    french = say_connector(draft, draft.choose((BECAUSE, WHEN)), first=True)
    clause, subject = _any_clause(draft)
    draft.say(",")
    french += [*clause, Word(",")]
    if draft.chance(0.6):
        return end(draft, french + _pronoun_clause(draft, subject))
    return end(draft, french + _any_clause(draft).french)


def two_clauses(draft: Draft) -> list[Word]:
    """Marlo left when the dogs arrived."""
    french, _ = _any_clause(draft)
    french += say_connector(draft, draft.choose((BECAUSE, WHEN)))
    return end(draft, french + _any_clause(draft).french)


def _any_clause(draft: Draft) -> Clause:
    mood, kind = draft.choose(DECLARATIVE), draft.choose(SUBJECTS)
    subject = some(draft, kind)
    return (being if draft.chance(0.5) else action)(draft, mood, subject)


def person_and_thing(draft: Draft) -> list[Word]:
    """The woman ate the apple because it was ripe; English tells here what the pronoun means."""
    acted_on = draft.choose(ACTED_ON)
    plurals = draft.choose(((False, False), (False, False), (False, True), (True, False)))
    mood = draft.choose(DECLARATIVE)
    person = NounPhrase(Kind.PERSON, plurals[0], name=NAME)
    thing = NounPhrase(acted_on, plurals[1], indefinite=0.0)
    return _two_and_a_pronoun(draft, mood, person, thing)


def man_and_woman(draft: Draft) -> list[Word]:
    """Marlo saw the queen because she was sad."""
    feminine = draft.chance(0.5)
    mood = draft.choose(DECLARATIVE)
    subject = NounPhrase(Kind.PERSON, False, feminine, name=NAME)
    other = NounPhrase(Kind.PERSON, False, not feminine, indefinite=0.0, name=NAME)
    return _two_and_a_pronoun(draft, mood, subject, other)


def _two_and_a_pronoun(draft: Draft, mood: Mood, subject: Nominal, thing: Nominal) -> list[Word]:
    french, _ = action(draft, mood, subject, thing)
    french += say_connector(draft, draft.choose((BECAUSE, BECAUSE, WHEN)))
    pronoun = Pronoun(draft.mentions[draft.choose((0, 1))]).say(draft)
    predicates = PREDICATES[pronoun.mention.kind]
    french += pronoun.french
    return end(draft, french + say_predicate(draft, pronoun, predicates, draft.choose(DECLARATIVE)))


# "The animal didn't cross the street because it was too tired." Two nouns of the same number and
# (nearly always) of opposite gender, of two sorts; then an adjective that describes one sort only.
# The antecedent, its gender and its number are drawn independently, so that neither place nor
# gender nor number gives the answer away.

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
    """The animal didn't cross the street because it was too tired."""
    plural = draft.chance(0.4)
    kinds = draft.choose(PAIRS[plural])
    feminine = draft.chance(0.5)
    # A few pairs of one gender keep the opposite gender from being a rule without exception.
    other = feminine if draft.chance(0.06) else not feminine
    mood, connector = draft.choose(FRAMES)
    # What does not exist ("didn't eat an apple") is no antecedent.
    indefinite = 0.0 if mood == DENIAL else 0.12
    subject = NounPhrase(kinds[0], plural, feminine, indefinite)
    thing = NounPhrase(kinds[1], plural, other, indefinite)
    french, _ = action(draft, mood, subject, thing)
    french += say_connector(draft, connector)
    which = draft.choose((0, 1))
    pronoun = Pronoun(draft.mentions[which]).say(draft)
    predicates = DISTINCTIVE[kinds[which], kinds[1 - which]]
    second = DENIAL if draft.chance(0.15) else STATEMENT
    return end(
        draft, french + pronoun.french + say_predicate(draft, pronoun, predicates, second), mood
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
PATTERNS = tuple(pattern for pattern, share in SHARES.items() for _ in range(share))


def sentence(draft: Draft) -> list[Word]:
    """Say any sentence of the grammar in English and return it in French."""
    draft.present = draft.chance(PRESENT)
    return draft.choose(PATTERNS)(draft)
