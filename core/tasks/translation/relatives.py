"""Relative clauses: "who sang", qui a chanté; "that the boy ate", que le garçon a mangé(e)(s)."""

from core.tasks.translation.adjectives import PREDICATES
from core.tasks.translation.clauses import Support, say_predicate, say_verb
from core.tasks.translation.draft import Draft, Word
from core.tasks.translation.phrases import Phrase, Wish, noun_phrase
from core.tasks.translation.verbs import VERBS_FOR
from core.tasks.translation.words import ANIMATE, Kind, form_index

THINGS_ACTED_ON = (Kind.ANIMAL, Kind.PLACE, Kind.THING, Kind.FOOD)


def with_subject_relative(draft: Draft, phrase: Phrase) -> Phrase:
    """Add "who …" (for things and animals "that …") whose subject is the phrase."""
    kind = phrase.mention.kind
    sources = draft.say("who" if kind is Kind.PERSON else "that")
    french = [*phrase.french, Word("qui", sources)]
    how = draft.choose(("is", "acts", "acts on") if kind in ANIMATE else ("is", "acts"))
    if how == "is":
        french += say_predicate(draft, phrase, PREDICATES[kind])
    elif how == "acts":
        french += say_verb(draft, phrase, VERBS_FOR[kind, None], Support(()))
    else:
        acted_on = draft.choose(THINGS_ACTED_ON)
        french += say_verb(draft, phrase, VERBS_FOR[kind, acted_on], Support(()))
        french += noun_phrase(draft, Wish(acted_on, draft.chance(0.3), adjectives=0)).french
    return phrase._replace(french=french)


def with_object_relative(draft: Draft, phrase: Phrase, actor: Wish) -> Phrase:
    """Add "that the boy ate": the phrase is its object, and stands before the verb."""
    sources = draft.say("that")
    subject = noun_phrase(draft, actor)
    verbs = VERBS_FOR[actor.kind, phrase.mention.kind]
    verb, said = draft.pick_verb(verbs, lambda each: each.past)
    auxiliary = Word("ont" if subject.plural else "a", said)
    # With "avoir" the participle agrees with an object that comes before it.
    participle = Word(verb.participle[form_index(phrase.feminine, phrase.plural)], said)
    french = [*phrase.french, Word("que", sources), *subject.french, auxiliary, participle]
    return phrase._replace(french=french)
