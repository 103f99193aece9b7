"""Clauses: passé composé with "avoir" and "être", imparfait of "être", negation, questions."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from core.tasks.translation.adjectives import PREDICATES
from core.tasks.translation.draft import Draft, Sources, Word
from core.tasks.translation.phrases import Phrase
from core.tasks.translation.words import Adjective, Verb, form_index

SubjectOf = Callable[[Draft], Phrase]


class Mood(NamedTuple):
    """What a main clause does."""

    question: bool = False
    negative: bool = False


STATEMENT = Mood()
DENIAL = Mood(negative=True)
QUESTION = Mood(question=True)
DENYING_QUESTION = Mood(question=True, negative=True)
MOODS = (STATEMENT,) * 9 + (DENIAL,) * 6 + (QUESTION,) * 4 + (DENYING_QUESTION,)


DEGREES = (("very", "très"), ("too", "trop"))

BECAUSE, WHEN, BUT = "because", "when", "but"


class Support(NamedTuple):
    """Where "did", "was" or "were" and its negation stand; in "didn't" both are one word."""

    tense: Sources
    negation: Sources = ()


def say_support(draft: Draft, word: str, mood: Mood) -> Support:
    """Say "did", "was" or "were", with "not" or "n't" when negative."""
    if not mood.negative:
        return Support(draft.say(word))
    # "Did not the dog …?" is no longer English: questions always contract.
    if mood.question or draft.chance(0.5):
        both = draft.say(word + "n't")
        return Support(both, both)
    return Support(draft.say(word), draft.say("not"))


def negated(verb: Word, negation: Sources) -> list[Word]:
    """Put "ne" and "pas" around a verb form when there is a negation."""
    if not negation:
        return [verb]
    return [Word("ne", negation), verb, Word("pas", negation)]


def say_past(draft: Draft, verbs: Sequence[Verb], did: Support) -> tuple[Verb, Sources]:
    """Say a verb in the past: "crossed", or "cross" after "did"."""
    if did.tense:
        return draft.pick_verb(verbs, lambda each: each.base)
    return draft.pick_verb(verbs, lambda each: each.past)


def say_verb(draft: Draft, subject: Phrase, verbs: Sequence[Verb], did: Support) -> list[Word]:
    """Say a verb in the past and return the passé composé; `did` is empty for "crossed"."""
    verb, sources = say_past(draft, verbs, did)
    singular, plural = ("est", "sont") if verb.etre else ("a", "ont")
    auxiliary = Word(plural if subject.plural else singular, did.tense or sources)
    # With "être" the participle agrees with the subject; with "avoir" it does not.
    form = form_index(subject.feminine, subject.plural) if verb.etre else 0
    return [*negated(auxiliary, did.negation), Word(verb.participle[form], sources)]


def say_predicate(
    draft: Draft,
    subject: Phrase,
    adjectives: Sequence[Adjective],
    mood: Mood = STATEMENT,
    support: Support | None = None,
) -> list[Word]:
    """Say "was (very) wide" and return it in the imparfait; `support` when "was" has been said."""
    if support is None:
        support = say_support(draft, "were" if subject.plural else "was", mood)
    verb = Word("étaient" if subject.plural else "était", support.tense)
    degree: list[Word] = []
    if draft.chance(0.4):
        adjectives = [each for each in adjectives if each.gradable]
        english, french = draft.choose(DEGREES)
        degree.append(Word(french, draft.say(english)))
    adjective = say_adjective(draft, subject, adjectives)
    return [*negated(verb, support.negation), *degree, adjective]


def say_adjective(draft: Draft, subject: Phrase, adjectives: Sequence[Adjective]) -> Word:
    """Say an adjective of the subject; in French it agrees."""
    adjective, sources = draft.pick_adjective(adjectives)
    return Word(adjective.french[form_index(subject.feminine, subject.plural)], sources)


def action(
    draft: Draft,
    mood: Mood,
    subject_of: SubjectOf,
    verbs: Sequence[Verb],
    object_of: SubjectOf | None = None,
) -> tuple[list[Word], Phrase]:
    """Say a main clause with a full verb; return it in French, and its subject."""
    french: list[Word] = []
    did = Support(())
    if mood.question:
        did = say_support(draft, "did", mood)
        french += [Word("est-ce", did.tense), Word("que", did.tense)]
    subject = subject_of(draft)
    if mood == DENIAL:
        did = say_support(draft, "did", mood)
    french += subject.french
    french += say_verb(draft, subject, verbs, did)
    if object_of is not None:
        french += object_of(draft).french
    return french, subject


def being(
    draft: Draft, mood: Mood, subject_of: SubjectOf, plural: bool
) -> tuple[list[Word], Phrase]:
    """Say a main clause with "was" or "were"; return it in French, and its subject."""
    french: list[Word] = []
    support = None
    if mood.question:
        support = say_support(draft, "were" if plural else "was", mood)
        french += [Word("est-ce", support.tense), Word("que", support.tense)]
    subject = subject_of(draft)
    french += subject.french
    french += say_predicate(draft, subject, PREDICATES[subject.mention.kind], mood, support)
    return french, subject


def say_connector(draft: Draft, connector: str) -> list[Word]:
    """Say what joins two clauses."""
    if connector == BUT:
        draft.say(",")
        return [Word(","), Word("mais", draft.say("but"))]
    sources = draft.say(connector)
    if connector == WHEN:
        return [Word("quand", sources)]
    return [Word("parce", sources), Word("que", sources)]


def end(draft: Draft, french: list[Word], mood: Mood = STATEMENT) -> list[Word]:
    """Say the last mark."""
    mark = "?" if mood.question else "."
    draft.say(mark)
    french.append(Word(mark))
    return french
