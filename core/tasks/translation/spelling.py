"""From words to text: capitals, elision, spaces, and the span of every word."""

from collections.abc import Sequence

from ...vocabulary import Span
from ..task import Link, Reference, Sample
from .draft import Draft, Mention, Word
from .lexicon import ASPIRATED_H, Kind

_VOWELS = frozenset("aeiouàâéèêëîïôöùûüœæAEIOUÀÂÉÈÊËÎÏÔÖÙÛÜŒÆ")
_ELIDED = {"le": "l'", "la": "l'", "de": "d'", "ne": "n'", "que": "qu'"}


def begins_with_a_vowel_sound(french: str) -> bool:
    """Say whether a French word makes the word before it elide.

    >>> [begins_with_a_vowel_sound(word) for word in ("âne", "homme", "haricot", "chat")]
    [True, True, False, False]
    """
    return french[0] in _VOWELS or (french[0] == "h" and french not in ASPIRATED_H)


def spelled(draft: Draft, french: Sequence[Word]) -> Sample:
    """Return a sentence and its translation as text, with links and references."""
    source, source_spans = english_text(draft.english)
    target, target_spans = _french_text([word.text for word in french])
    links = tuple(
        Link(source_spans[index], target_span)
        for (_, sources), target_span in zip(french, target_spans, strict=True)
        for index in sources
    )
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
    return Sample(source, target, links, references)


def _is_ambiguous(mentions: Sequence[Mention], antecedent: Mention) -> bool:
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


def english_text(words: Sequence[str]) -> tuple[str, list[Span]]:
    """Return an English sentence as text, and the span of every word."""
    following = [*words[1:], "."]
    texts = [
        "an" if word == "a" and after[0] in "aeiou" else word
        for word, after in zip(words, following, strict=True)
    ]
    return _joined(texts, [word in {".", ",", "?"} for word in words])


def _french_text(words: Sequence[str]) -> tuple[str, list[Span]]:
    following = [*words[1:], "."]
    texts = [
        _ELIDED[word] if word in _ELIDED and begins_with_a_vowel_sound(after) else word
        for word, after in zip(words, following, strict=True)
    ]
    elided = [text is not word for text, word in zip(texts, words, strict=True)]
    # French puts a space before a question mark, none before a comma or a full stop.
    glued = [
        after or word in {".", ","} for after, word in zip([True, *elided[:-1]], words, strict=True)
    ]
    return _joined(texts, glued)


def _joined(words: Sequence[str], glued: Sequence[bool]) -> tuple[str, list[Span]]:
    """Join words to a text with a capital; no space stands before a word that is glued."""
    text, spans = "", []
    for word, is_glued in zip(words, glued, strict=True):
        shown = word if text else word[0].upper() + word[1:]
        text += shown if is_glued or not text else f" {shown}"
        spans.append(Span(len(text) - len(shown), len(text)))
    return text, spans
