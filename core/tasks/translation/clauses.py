"""Clauses: present, passé composé and imparfait, negation, questions."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from core.tasks.translation.adjectives import PREDICATES
from core.tasks.translation.draft import Draft, Sources, Word
from core.tasks.translation.phrases import Phrase, words_of
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
_WAS_AND_IS = (("était", "étaient"), ("est", "sont"))

BECAUSE, WHEN, BUT = "because", "when", "but"


class Support(NamedTuple):
    """Where "did", "was", "is" … and its negation stand; in "didn't" both are one word."""

    tense: Sources
    negation: Sources = ()


def say_do(draft: Draft, plural: bool, mood: Mood) -> Support:
    """Say "did", "does" or "do", with "not" or "n't" when negative."""
    now = "do" if plural else "does"
    return _say_support(draft, now if draft.present else "did", mood)


def say_be(draft: Draft, plural: bool, mood: Mood) -> Support:
    """Say "was", "were", "is" or "are", with "not" or "n't" when negative."""
    singular, several = ("is", "are") if draft.present else ("was", "were")
    return _say_support(draft, several if plural else singular, mood)


def _say_support(draft: Draft, word: str, mood: Mood) -> Support:
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


def say_verb_form(
    draft: Draft, verbs: Sequence[Verb], plural: bool, did: Support
) -> tuple[Verb, Sources]:
    """Say a verb: "crossed", "crosses", or "cross" after "did"; `did` is empty without it."""
    if did.tense or (draft.present and plural):
        return draft.pick_verb(verbs, lambda each: each.base)
    if draft.present:
        return draft.pick_verb(verbs, lambda each: each.third)
    return draft.pick_verb(verbs, lambda each: each.past)


def conjugated(  # noqa: PLR0913
    draft: Draft, verb: Verb, said: Sources, did: Support, *, plural: bool, participle: int
) -> list[Word]:
    """Return a verb in French: present, imparfait or passé composé.

    Args:
        draft: Its tense.
        verb: What was said.
        said: Where.
        did: What was said before it, with the negation.
        plural: Of the subject.
        participle: The form (see `form_index`) of its participle, if it has one.
    """
    if one_word := verb.present if draft.present else verb.imperfect:
        return negated(Word(one_word[plural], (*did.tense, *said)), did.negation)
    singular, several = ("est", "sont") if verb.etre else ("a", "ont")
    auxiliary = Word(several if plural else singular, did.tense or said)
    return [*negated(auxiliary, did.negation), Word(verb.participle[participle], said)]


def say_verb(draft: Draft, subject: Phrase, verbs: Sequence[Verb], did: Support) -> list[Word]:
    """Say a verb and return it in French; `did` is empty for "crossed" and "crosses"."""
    verb, said = say_verb_form(draft, verbs, subject.plural, did)
    # With "être" the participle agrees with the subject; with "avoir" it does not.
    form = form_index(subject.feminine, subject.plural) if verb.etre else 0
    return conjugated(draft, verb, said, did, plural=subject.plural, participle=form)


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
        subject: Of which it is said.
        adjectives: One of which is said.
        mood: Whether it is denied.
        support: "was", when it has been said.
        second: How likely "and" with another adjective follows.
    """
    support = support or say_be(draft, subject.plural, mood)
    adjectives = [each for each in adjectives if each.common_forms(subject.nouns)]
    degree: list[Word] = []
    if draft.chance(0.4):
        adjectives = [each for each in adjectives if _has_degrees(each, subject)]
        english, french = draft.choose(DEGREES)
        degree.append(Word(french, draft.say(english)))
    adjective, said = draft.pick_adjective(adjectives)
    verbs = (("avait", "avaient"), ("a", "ont")) if adjective.having else _WAS_AND_IS
    verb = Word(verbs[draft.present][subject.plural], support.tense)
    words = [*negated(verb, support.negation), *degree]
    if adjective.having:
        return [*words, Word(adjective.having, said)]
    words += _agreeing(adjective, subject, said)
    if second and draft.chance(second):
        words.append(Word("et", draft.say("and")))
        adjective, said = draft.pick_adjective([each for each in adjectives if not each.having])
        words += _agreeing(adjective, subject, said)
    return words


def _has_degrees(adjective: Adjective, subject: Phrase) -> bool:
    # Nothing is "très à sec".
    forms = adjective.common_forms(subject.nouns)
    return adjective.gradable and forms is not None and " " not in forms[0]


def _agreeing(adjective: Adjective, subject: Phrase, said: Sources) -> list[Word]:
    """Return an adjective of the subject in French, with which it agrees."""
    forms = adjective.common_forms(subject.nouns) or adjective.french
    return words_of(forms[form_index(subject.feminine, subject.plural)], said)


def action(  # noqa: PLR0913
    draft: Draft,
    mood: Mood,
    subject_of: SubjectOf,
    plural: bool,
    verbs: Sequence[Verb],
    object_of: SubjectOf | None = None,
) -> tuple[list[Word], Phrase]:
    """Say a main clause with a full verb, whose subject is plural or not.

    Returns:
        The clause in French, and its subject.
    """
    french: list[Word] = []
    did = Support(())
    if mood.question:
        did = say_do(draft, plural, mood)
        french += [Word("est-ce", did.tense), Word("que", did.tense)]
    subject = subject_of(draft)
    if mood == DENIAL:
        did = say_do(draft, plural, mood)
    french += subject.french
    french += say_verb(draft, subject, verbs, did)
    if object_of is not None:
        french += object_of(draft).french
    return french, subject


def being(
    draft: Draft, mood: Mood, subject_of: SubjectOf, plural: bool, second: float = 0.0
) -> tuple[list[Word], Phrase]:
    """Say a main clause with "was", "were", "is" or "are"; return it in French, and its subject."""
    french: list[Word] = []
    support = None
    if mood.question:
        support = say_be(draft, plural, mood)
        french += [Word("est-ce", support.tense), Word("que", support.tense)]
    subject = subject_of(draft)
    french += subject.french
    predicates = PREDICATES[subject.mention.kind]
    french += say_predicate(draft, subject, predicates, mood, support, second)
    return french, subject


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


def end(draft: Draft, french: list[Word], mood: Mood = STATEMENT) -> list[Word]:
    """Say the last mark."""
    mark = "?" if mood.question else "."
    draft.say(mark)
    french.append(Word(mark))
    return french
