"""Relative clauses: "who sang", qui a chanté; "that the boy ate", que le garçon a mangé(e)(s)."""

from core.tasks.translation.adjectives import PREDICATES
from core.tasks.translation.clauses import (
    STATEMENT,
    Support,
    action,
    conjugated,
    end,
    say_do,
    say_predicate,
    say_verb,
    say_verb_form,
)
from core.tasks.translation.draft import Draft, Word
from core.tasks.translation.phrases import Phrase, Wish, noun_phrase
from core.tasks.translation.roles import ACTED_ON, ACTORS, KINDS, TOLD, someone
from core.tasks.translation.verbs import VERBS_FOR
from core.tasks.translation.words import ANIMATE, Kind, form_index


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
        acted_on = draft.choose(ACTED_ON)
        french += say_verb(draft, phrase, VERBS_FOR[kind, acted_on], Support(()))
        french += noun_phrase(draft, Wish(acted_on, draft.chance(0.3), adjectives=0)).french
    return phrase._replace(french=french)


def with_object_relative(draft: Draft, phrase: Phrase, actor: Wish) -> Phrase:
    """Add "that the boy ate": the phrase is its object, and stands before the verb."""
    sources = draft.say("that")
    subject = noun_phrase(draft, actor)
    verbs = VERBS_FOR[actor.kind, phrase.mention.kind]
    verb, said = say_verb_form(draft, verbs, subject.plural, Support(()))
    # With "avoir" the participle agrees with an object that comes before it.
    agreeing = form_index(phrase.feminine, phrase.plural)
    words = conjugated(draft, verb, said, Support(()), plural=subject.plural, participle=agreeing)
    return phrase._replace(french=[*phrase.french, Word("que", sources), *subject.french, *words])


def who_clause(draft: Draft) -> list[Word]:
    """The girl who sang saw the dog. The box that fell was heavy."""
    kind = draft.choose((*ACTORS, *KINDS))
    wish = Wish(kind, draft.chance(0.3), adjectives=0)
    phrase = with_subject_relative(draft, noun_phrase(draft, wish))
    return end(draft, phrase.french + _says_more(draft, phrase))


def who_clause_at_the_end(draft: Draft) -> list[Word]:
    """Marlo saw a woman who was tired."""
    kind, other = draft.choose(ACTORS), draft.choose((*ACTORS, *KINDS))
    wish = someone(draft, kind)
    thing = Wish(other, draft.chance(0.3), indefinite=0.4, adjectives=0)
    french, _ = action(
        draft,
        STATEMENT,
        lambda d: noun_phrase(d, wish),
        wish.plural,
        VERBS_FOR[kind, other],
        lambda d: with_subject_relative(d, noun_phrase(d, thing)),
    )
    return end(draft, french)


def object_relative(draft: Draft) -> list[Word]:
    """The apple that Anna ate was ripe."""
    thing = Wish(draft.choose(ACTED_ON), draft.chance(0.4), indefinite=0.0)
    actor = someone(draft, draft.choose(ACTORS))
    phrase = with_object_relative(draft, noun_phrase(draft, thing), actor)
    return end(draft, phrase.french + _says_more(draft, phrase))


def _says_more(draft: Draft, subject: Phrase) -> list[Word]:
    """Go on with a main verb after a subject with a relative clause."""
    kind = subject.mention.kind
    mood = draft.choose(TOLD)
    if draft.chance(0.4):
        return say_predicate(draft, subject, PREDICATES[kind], mood)
    did = say_do(draft, subject.plural, mood) if mood.negative else Support(())
    if draft.chance(0.5) or kind not in ANIMATE:
        return say_verb(draft, subject, VERBS_FOR[kind, None], did)
    acted_on = draft.choose(ACTED_ON)
    french = say_verb(draft, subject, VERBS_FOR[kind, acted_on], did)
    thing = Wish(acted_on, draft.chance(0.3), adjectives=0, negated=mood.negative)
    return french + noun_phrase(draft, thing).french
