"""Noun phrases and pronouns: articles, the place and agreement of adjectives, coordination."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from .draft import Draft, Mention, Sources, Word
from .lexicon import (
    AFTER_NOUN,
    BEFORE_NOUN,
    NOUNS_OF,
    SET_PHRASES,
    Adjective,
    Kind,
    Noun,
    form_index,
)
from .spelling import begins_with_a_vowel_sound

DEFINITE = ("le", "la", "les", "les")
INDEFINITE = ("un", "une", "des", "des")
PRONOUNS = ("il", "elle", "ils", "elles")


class Phrase(NamedTuple):
    """A subject or an object that was said: its French words, and what agrees with it."""

    french: list[Word]
    form: int
    """Its gender and number, see `form_index`."""
    mention: Mention
    """The noun or name; of two joined by "and" the first."""
    nouns: tuple[Noun, ...]
    """All nouns that an adjective would describe; a name is none."""


class Nominal(Protocol):
    """The description of a subject or an object that can be said."""

    @property
    def kind(self) -> Kind:
        """Decides the verbs."""

    @property
    def plural(self) -> bool:
        """Decides the forms of the verbs."""

    def say(self, draft: Draft) -> Phrase:
        """Say it in English and return it in French."""


class NounPhrase(NamedTuple):
    """An article, adjectives and a noun; or a name."""

    kind: Kind
    plural: bool
    feminine: bool | None = None
    """None: any gender."""
    indefinite: float = 0.25
    """The probability of "a" or "some" instead of "the"."""
    adjectives: int = 1
    """The most adjectives."""
    negated: bool = False
    """True for the object of a negated verb."""
    name: float = 0.0
    """The probability of a name for one person."""

    def say(self, draft: Draft) -> Phrase:
        """Say it in English and return it in French."""
        may_be_name = self.name and self.kind is Kind.PERSON and not self.plural
        if may_be_name and draft.chance(self.name):
            name, mention = draft.mention_name(self.feminine)
            form = form_index(mention.feminine, False)
            return Phrase([Word(name, (mention.position,))], form, mention, ())
        definite, article = self._say_article(draft)
        before, after = self._say_adjectives(draft)
        nouns: Sequence[Noun] = NOUNS_OF[self.kind, self.feminine]
        for adjective, _ in (*before, *after):
            english = adjective.english
            nouns = [each for each in nouns if (english, each.english[0]) not in SET_PHRASES]
        noun, mention = draft.mention_noun(nouns, self.plural)
        form = form_index(noun.feminine, self.plural)
        if definite:
            determiner = DEFINITE[form]
        # "pas un" and "pas des" become "pas de"; "des" becomes "de" before an adjective.
        elif self.negated or (before and self.plural):
            determiner = "de"
        else:
            determiner = INDEFINITE[form]
        french = [Word(determiner, article)]
        for adjective, sources in before:
            forms, text = adjective.forms_with(noun), noun.french[self.plural]
            liaison = form == 0 and begins_with_a_vowel_sound(text) and forms is adjective.french
            french.append(Word(adjective.before_vowel if liaison else forms[form], sources))
        french.append(Word(noun.french[self.plural], (mention.position,)))
        for adjective, sources in after:
            french += words_of(adjective.forms_with(noun)[form], sources)
        return Phrase(french, form, mention, (noun,))

    def _say_article(self, draft: Draft) -> tuple[bool, Sources]:
        """Say "the", "a", "some" or, after a negation, "any"; True for the first."""
        if not (self.indefinite and draft.chance(self.indefinite)):
            return True, draft.say("the")
        if not self.plural:
            return False, draft.say("a")
        return False, draft.say("any" if self.negated else "some")

    def _say_adjectives(
        self, draft: Draft
    ) -> tuple[list[tuple[Adjective, Sources]], list[tuple[Adjective, Sources]]]:
        """Say up to two adjectives; return those before and those after the French noun."""
        before, after = [], []
        if self.adjectives and draft.chance(0.16):
            before.append(draft.pick_new(BEFORE_NOUN[self.kind], lambda each: each.english))
        if self.adjectives > len(before) and draft.chance(0.16):
            after.append(draft.pick_new(AFTER_NOUN[self.kind], lambda each: each.english))
        return before, after


class Coordination(NamedTuple):
    """Two noun phrases joined by "and": a plural, feminine only when both are."""

    first: NounPhrase
    second: NounPhrase
    plural: bool = True

    @property
    def kind(self) -> Kind:
        """The kind of the first."""
        return self.first.kind

    def say(self, draft: Draft) -> Phrase:
        """Say both in English and return them in French."""
        left = self.first.say(draft)
        conjunction = draft.say("and")
        right = self.second.say(draft)
        french = [*left.french, Word("et", conjunction), *right.french]
        both_feminine = bool(left.form % 2 and right.form % 2)
        nouns = (*left.nouns, *right.nouns)
        return Phrase(french, form_index(both_feminine, True), left.mention, nouns)


class Pronoun(NamedTuple):
    """The pronoun for a noun or a name of the sentence."""

    antecedent: Mention

    @property
    def kind(self) -> Kind:
        """The antecedent's."""
        return self.antecedent.kind

    @property
    def plural(self) -> bool:
        """The antecedent's number."""
        return self.antecedent.plural

    def say(self, draft: Draft) -> Phrase:
        """Say he, she, it or they and return the French pronoun."""
        antecedent = self.antecedent
        if antecedent.plural:
            english = "they"
        elif antecedent.kind is Kind.PERSON:
            english = "she" if antecedent.feminine else "he"
        else:
            english = "it"
        sources = draft.say(english)
        draft.references.append((sources[0], antecedent))
        form = form_index(antecedent.feminine, antecedent.plural)
        nouns = () if antecedent.noun is None else (antecedent.noun,)
        return Phrase([Word(PRONOUNS[form], sources)], form, antecedent, nouns)


def words_of(french: str, sources: Sources) -> list[Word]:
    """Return what may be two words ("à sec") as words with the same sources."""
    return [Word(text, sources) for text in french.split()]
