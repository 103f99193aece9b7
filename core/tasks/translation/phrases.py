"""Noun phrases and pronouns: articles, the place and agreement of adjectives, coordination."""

from collections.abc import Sequence
from typing import NamedTuple

from core.tasks.translation.adjectives import AFTER_NOUN, BEFORE_NOUN, SET_PHRASES
from core.tasks.translation.draft import Draft, Mention, Sources, Word
from core.tasks.translation.nouns import NOUNS_OF
from core.tasks.translation.spelling import begins_with_a_vowel_sound
from core.tasks.translation.words import Adjective, Kind, Noun, form_index

DEFINITE = ("le", "la", "les", "les")
INDEFINITE = ("un", "une", "des", "des")
PRONOUNS = ("il", "elle", "ils", "elles")


class Phrase(NamedTuple):
    """What a verb needs to know of a subject or an object."""

    french: list[Word]
    feminine: bool
    plural: bool
    mention: Mention
    """The noun or name; of two joined by "and" the first."""
    nouns: tuple[Noun, ...]
    """All that an adjective would be said of; a name is none."""


class Wish(NamedTuple):
    """What a noun phrase is to be like."""

    kind: Kind
    plural: bool
    feminine: bool | None = None
    """None: any gender."""
    indefinite: float = 0.25
    """How likely "a" or "some" is, instead of "the"."""
    adjectives: int = 1
    """How many it may have."""
    negated: bool = False
    """True for the object of a negated verb."""
    name: float = 0.0
    """How likely a name is, instead of one person."""


def noun_phrase(draft: Draft, wish: Wish) -> Phrase:
    """Say a noun phrase in English and return it in French."""
    if wish.name and wish.kind is Kind.PERSON and not wish.plural and draft.chance(wish.name):
        name, mention = draft.mention_name(wish.feminine)
        return Phrase([Word(name, (mention.position,))], mention.feminine, False, mention, ())
    definite, article = _say_article(draft, wish)
    before, after = _say_adjectives(draft, wish)
    nouns: Sequence[Noun] = NOUNS_OF[wish.kind, wish.feminine]
    for adjective, _ in (*before, *after):
        said = adjective.english
        nouns = [noun for noun in nouns if (said, noun.english[0]) not in SET_PHRASES]
    mention = draft.mention_noun(nouns, wish.plural)
    assert mention.noun is not None
    form = form_index(mention.feminine, wish.plural)
    noun = mention.noun.french[wish.plural]
    if definite:
        determiner = DEFINITE[form]
    # "pas un" and "pas des" become "pas de"; "des" becomes "de" before an adjective.
    elif wish.negated or (before and wish.plural):
        determiner = "de"
    else:
        determiner = INDEFINITE[form]
    french = [Word(determiner, article)]
    for adjective, sources in before:
        liaison = form == 0 and begins_with_a_vowel_sound(noun)
        forms = adjective.forms_with(mention.noun)
        regular = forms is adjective.french
        french.append(Word(adjective.liaison if liaison and regular else forms[form], sources))
    french.append(Word(noun, (mention.position,)))
    for adjective, sources in after:
        french += words_of(adjective.forms_with(mention.noun)[form], sources)
    return Phrase(french, mention.feminine, wish.plural, mention, (mention.noun,))


def words_of(french: str, sources: Sources) -> list[Word]:
    """Return what may be two words ("à sec") as words with the same sources."""
    return [Word(text, sources) for text in french.split()]


def _say_article(draft: Draft, wish: Wish) -> tuple[bool, Sources]:
    """Say "the", "a", "some" or, under a negation, "any"; True for the first."""
    if not (wish.indefinite and draft.chance(wish.indefinite)):
        return True, draft.say("the")
    if not wish.plural:
        return False, draft.say("a")
    return False, draft.say("any" if wish.negated else "some")


def _say_adjectives(
    draft: Draft, wish: Wish
) -> tuple[list[tuple[Adjective, Sources]], list[tuple[Adjective, Sources]]]:
    """Say up to two adjectives; return those before and those after the French noun."""
    before, after = [], []
    if wish.adjectives and draft.chance(0.16):
        before.append(draft.pick_adjective(BEFORE_NOUN[wish.kind]))
    if wish.adjectives > len(before) and draft.chance(0.16):
        after.append(draft.pick_adjective(AFTER_NOUN[wish.kind]))
    return before, after


def joined(draft: Draft, first: Wish, second: Wish) -> Phrase:
    """Say two noun phrases with "and": a plural, feminine only when both are."""
    left = noun_phrase(draft, first)
    conjunction = draft.say("and")
    right = noun_phrase(draft, second)
    french = [*left.french, Word("et", conjunction), *right.french]
    nouns = (*left.nouns, *right.nouns)
    return Phrase(french, left.feminine and right.feminine, True, left.mention, nouns)


def pronoun(draft: Draft, antecedent: Mention) -> Phrase:
    """Say he, she, it or they for a noun or name that has been said."""
    if antecedent.plural:
        english = "they"
    elif antecedent.kind is Kind.PERSON:
        english = "she" if antecedent.feminine else "he"
    else:
        english = "it"
    sources = draft.say(english)
    draft.references.append((sources[0], antecedent))
    feminine, plural = antecedent.feminine, antecedent.plural
    french = [Word(PRONOUNS[form_index(feminine, plural)], sources)]
    nouns = () if antecedent.noun is None else (antecedent.noun,)
    return Phrase(french, feminine, plural, antecedent, nouns)
