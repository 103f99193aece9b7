"""From words to text: capitals, elision, spaces, and where every word came to stand."""

from core.tasks.task import Link, Reference, Sample
from core.tasks.translation.draft import Draft, Mention, Word
from core.tasks.translation.nouns import ASPIRATED_H
from core.tasks.translation.words import Kind
from core.vocabulary import Span

MARKS = frozenset(".,?")
_VOWELS = frozenset("aeiouàâéèêëîïôöùûüœæAEIOUÀÂÉÈÊËÎÏÔÖÙÛÜŒÆ")
_ELIDED = {"le": "l'", "la": "l'", "de": "d'", "ne": "n'", "que": "qu'"}


def begins_with_a_vowel_sound(french: str) -> bool:
    """Say whether a French word makes the word before it elide.

    >>> [begins_with_a_vowel_sound(word) for word in ("âne", "homme", "haricot", "chat")]
    [True, True, False, False]
    """
    return french[0] in _VOWELS or (french[0] == "h" and french not in ASPIRATED_H)


def spelled(draft: Draft, french: list[Word]) -> Sample:
    """Write both sides down and return them with their links and references."""
    source, source_spans = _english_text(draft.english)
    target, target_spans = _french_text(french)
    links = []
    for (_, sources), target_span in zip(french, target_spans, strict=True):
        for index in sources:
            links.append(Link(source_spans[index], target_span))
    references: tuple[Reference, ...] = ()
    if draft.references:
        nouns = tuple(source_spans[mention.position] for mention in draft.mentions)
        references = tuple(
            Reference(
                pronoun=source_spans[index],
                antecedent=source_spans[antecedent.position],
                nouns=nouns,
                target=next(link.target for link in links if link.source is source_spans[index]),
                ambiguous=_is_ambiguous(draft.mentions, antecedent),
            )
            for index, antecedent in draft.references
        )
    return Sample(source, target, tuple(links), references)


def _is_ambiguous(mentions: list[Mention], antecedent: Mention) -> bool:
    """Say whether nouns of both genders could be meant by the pronoun for this antecedent.

    "he" and "she" tell the gender; "it" is never a person; "they" is every plural.
    """
    if antecedent.kind is Kind.PERSON and not antecedent.plural:
        return False
    genders = {
        mention.feminine
        for mention in mentions
        if mention.plural == antecedent.plural and (mention.plural or mention.kind != Kind.PERSON)
    }
    return len(genders) == 2


def _english_text(words: list[str]) -> tuple[str, list[Span]]:
    pieces: list[str] = []
    spans = []
    position = 0
    last = len(words) - 1
    for index, word in enumerate(words):
        if word == "a" and index < last and words[index + 1][0] in "aeiou":
            word = "an"
        if index == 0:
            word = word[0].upper() + word[1:]
        elif word not in MARKS:
            pieces.append(" ")
            position += 1
        end = position + len(word)
        pieces.append(word)
        spans.append(Span(position, end))
        position = end
    return "".join(pieces), spans


def _french_text(words: list[Word]) -> tuple[str, list[Span]]:
    pieces: list[str] = []
    spans = []
    position = 0
    last = len(words) - 1
    glued = True
    for index, (word, _) in enumerate(words):
        elided = (
            word in _ELIDED and index < last and begins_with_a_vowel_sound(words[index + 1].text)
        )
        if elided:
            word = _ELIDED[word]
        if index == 0:
            word = word[0].upper() + word[1:]
        # French puts a space before a question mark, none before a comma or a full stop.
        elif not glued and word not in {".", ","}:
            pieces.append(" ")
            position += 1
        glued = elided
        end = position + len(word)
        pieces.append(word)
        spans.append(Span(position, end))
        position = end
    return "".join(pieces), spans
