"""Clauses: present, passé composé and imparfait, negation, questions."""

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from .draft import Draft, Sources, Word
from .lexicon import PREDICATES, VERBS_FOR, Adjective, Verb, is_plural
from .phrases import Nominal, Phrase, words_of


class Mood(NamedTuple):
    """Whether a main clause asks, and whether it denies."""

    question: bool = False
    negative: bool = False


STATEMENT = Mood()
DENIAL = Mood(negative=True)
QUESTION = Mood(question=True)
NEGATIVE_QUESTION = Mood(question=True, negative=True)
BECAUSE, WHEN, BUT = "because", "when", "but"

Auxiliary = tuple[tuple[str, str], tuple[str, str]]
"""Singular and plural in the past, then in the present."""
DO: Auxiliary = (("did", "did"), ("does", "do"))
BE: Auxiliary = (("was", "were"), ("is", "are"))
_ETRE: Auxiliary = (("était", "étaient"), ("est", "sont"))
_AVOIR: Auxiliary = (("avait", "avaient"), ("a", "ont"))
_DEGREES = (("very", "très"), ("too", "trop"))


class Support(NamedTuple):
    """The positions of "did", "was" … and of its negation, which are one word in "didn't"."""

    tense: Sources = ()
    negation: Sources = ()


NO_SUPPORT = Support()


class Clause(NamedTuple):
    """A clause in French, and its subject."""

    french: list[Word]
    subject: Phrase


def say_auxiliary(draft: Draft, auxiliary: Auxiliary, plural: bool, mood: Mood) -> Support:
    """Say an auxiliary, with "not" or "n't" when negative."""
    word = auxiliary[draft.present][plural]
    if not mood.negative:
        return Support(draft.say(word))
    # "Did not the dog …?" is no longer English: questions always contract.
    if mood.question or draft.chance(0.5):
        both = draft.say(word + "n't")
        return Support(both, both)
    return Support(draft.say(word), draft.say("not"))


def _negated(verb: Word, negation: Sources) -> list[Word]:
    """Put "ne" and "pas" around a verb form when there is a negation."""
    if not negation:
        return [verb]
    return [Word("ne", negation), verb, Word("pas", negation)]


def say_verb(
    draft: Draft,
    verbs: Sequence[Verb],
    subject_form: int,
    support: Support = NO_SUPPORT,
    object_form: int = 0,
) -> list[Word]:
    """Say a verb ("crossed", "crosses", or "cross" after "did") and return it in French.

    Args:
        draft: The sentence so far.
        verbs: The options.
        subject_form: The gender and number of the subject.
        support: "did" and its negation, where it was said.
        object_form: Gender and number of an object before the verb, with which the participle
            agrees after "avoir".
    """
    plural = is_plural(subject_form)
    inflected = "third" if draft.present else "past"
    without_ending = support.tense or (draft.present and plural)
    verb, sources = draft.pick_new(verbs, attrgetter("base" if without_ending else inflected))
    finite = ("VBP" if plural else "VBZ") if draft.present else "VBD"
    draft.verb_tags[sources[0]] = "VB" if support.tense else finite
    if one_word := verb.present if draft.present else verb.imperfect:
        return _negated(Word(one_word[plural], (*support.tense, *sources)), support.negation)
    auxiliary = Word((_ETRE if verb.etre else _AVOIR)[True][plural], support.tense or sources)
    participle = verb.participle[subject_form if verb.etre else object_form]
    return [*_negated(auxiliary, support.negation), Word(participle, sources)]


def say_predicate(  # noqa: PLR0913
    draft: Draft,
    subject: Phrase,
    adjectives: Sequence[Adjective],
    mood: Mood = STATEMENT,
    support: Support | None = None,
    second: float = 0.0,
) -> list[Word]:
    """Say "was (very) wide" and return it in French.

    Args:
        draft: The sentence so far.
        subject: The subject.
        adjectives: The options.
        mood: Whether it is negative.
        support: "was", where it was said.
        second: The probability of "and" with another adjective.
    """
    plural = is_plural(subject.form)
    support = support or say_auxiliary(draft, BE, plural, mood)
    adjectives = [each for each in adjectives if each.common_forms(subject.nouns)]
    degree: list[Word] = []
    if draft.chance(0.4):
        adjectives = [each for each in adjectives if _has_degrees(each, subject)]
        english, french = draft.choose(_DEGREES)
        degree.append(Word(french, draft.say(english)))
    adjective, sources = draft.pick_new(adjectives, lambda each: each.english)
    auxiliary = _AVOIR if adjective.noun_after_avoir else _ETRE
    verb = Word(auxiliary[draft.present][plural], support.tense)
    words = [*_negated(verb, support.negation), *degree]
    if adjective.noun_after_avoir:
        return [*words, Word(adjective.noun_after_avoir, sources)]
    words += _agreeing(adjective, subject, sources)
    if second and draft.chance(second):
        words.append(Word("et", draft.say("and")))
        others = [each for each in adjectives if not each.noun_after_avoir]
        adjective, sources = draft.pick_new(others, lambda each: each.english)
        words += _agreeing(adjective, subject, sources)
    return words


def _has_degrees(adjective: Adjective, subject: Phrase) -> bool:
    # Nothing is "très à sec".
    forms = adjective.common_forms(subject.nouns)
    return adjective.gradable and forms is not None and " " not in forms[0]


def _agreeing(adjective: Adjective, subject: Phrase, sources: Sources) -> list[Word]:
    """Return an adjective in French, in the gender and number of the subject."""
    forms = adjective.common_forms(subject.nouns) or adjective.french
    return words_of(forms[subject.form], sources)


def action(draft: Draft, mood: Mood, subject: Nominal, thing: Nominal | None = None) -> Clause:
    """Say a main clause with a full verb and an object, or without one."""
    french: list[Word] = []
    support = NO_SUPPORT
    if mood.question:
        support = say_auxiliary(draft, DO, subject.plural, mood)
        french += [Word("est-ce", support.tense), Word("que", support.tense)]
    phrase = subject.say(draft)
    if mood == DENIAL:
        support = say_auxiliary(draft, DO, subject.plural, mood)
    verbs = VERBS_FOR[subject.kind, thing.kind if thing else None]
    french += phrase.french + say_verb(draft, verbs, phrase.form, support)
    if thing:
        french += thing.say(draft).french
    return Clause(french, phrase)


def being(draft: Draft, mood: Mood, subject: Nominal, second: float = 0.0) -> Clause:
    """Say a main clause with "was", "were", "is" or "are"."""
    french: list[Word] = []
    support = None
    if mood.question:
        support = say_auxiliary(draft, BE, subject.plural, mood)
        french += [Word("est-ce", support.tense), Word("que", support.tense)]
    phrase = subject.say(draft)
    french += phrase.french
    french += say_predicate(draft, phrase, PREDICATES[subject.kind], mood, support, second)
    return Clause(french, phrase)


def say_connector(draft: Draft, connector: str, *, first: bool = False) -> list[Word]:
    """Say what joins two clauses, between them or first of all."""
    if connector == BUT:
        draft.say(",")
        return [Word(","), Word("mais", draft.say("but"))]
    sources = draft.say(connector)
    if connector == WHEN:
        return [Word("quand", sources)]
    if first:
        return [Word("comme", sources)]
    return [Word("parce", sources), Word("que", sources)]


def end(draft: Draft, french: Sequence[Word], mood: Mood = STATEMENT) -> list[Word]:
    """Say the last mark."""
    mark = "?" if mood.question else "."
    draft.say(mark)
    return [*french, Word(mark)]
