"""How sure a model was of each word that it wrote, and which words are marked for that."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.tokenizer import Tokenizer
from core.vocabulary import Span

UNSURE = 0.4
"""A word that is less probable is marked.

Of 500 held-out everyday sentences, gallery/everyday writes 2,701 words; 349 of them are less
probable than this, and 79 % of these are wrong by the reference, of all words 32 %. The table for
other thresholds stands in docs/quality.md; python -m benchmarks.marked_words PAIRS makes it.
"""


@dataclass(frozen=True, slots=True)
class WrittenWord:
    """A word of a translation."""

    span: Span
    """Its characters in the translation's text."""
    probability: float
    """Product of its tokens' probabilities, each after all that was written before it."""
    unseen: str = ""
    """The source word that the decoder looked at most for it, where training never saw that."""

    @property
    def is_unsure(self) -> bool:
        """Whether it is marked for its probability."""
        return self.probability < UNSURE

    @property
    def is_doubtful(self) -> bool:
        """Whether it is marked at all."""
        return self.is_unsure or bool(self.unseen)


def written_words(
    tokenizer: Tokenizer,
    ids: Sequence[int],
    probabilities: Sequence[float],
    unseen: Sequence[str] = (),
) -> tuple[WrittenWord, ...]:
    """Return the words of a text that have a letter or a digit, with how sure the model was.

    Args:
        tokenizer: The target's.
        ids: Of the text, without what ends it.
        probabilities: Of each id.
        unseen: For each word, as `Token.word` counts them, what `WrittenWord.unseen` says; nothing
            where training saw all of the source.
    """
    chances: dict[int, float] = {}
    for token, probability in zip(tokenizer.describe(ids), probabilities, strict=True):
        chances[token.word] = chances.get(token.word, 1.0) * probability
    text, at, found = tokenizer.decode(ids), 0, []
    for number, word in enumerate(tokenizer.word_texts(ids)):
        start = text.find(word, at)
        # Signs that cannot be seen are described otherwise than they are written.
        if start < 0 or not any(map(str.isalnum, word)):
            continue
        at = start + len(word)
        of_word = unseen[number] if unseen else ""
        found.append(WrittenWord(Span(start, at), chances[number], of_word))
    return tuple(found)
