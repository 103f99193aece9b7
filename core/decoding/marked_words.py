"""How sure a model was of each word that it wrote, and which words are marked for that."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.tokenizer.tokenizer import Tokenizer
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
    second: str = ""
    """The second most probable token where it was least sure; empty where that is not known."""
    second_probability: float = 0.0

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
    seconds: Sequence[tuple[int, float]] = (),
) -> tuple[WrittenWord, ...]:
    """Return the words of a text that have a letter or a digit, with how sure the model was.

    Args:
        tokenizer: The target's.
        ids: Of the text, without what ends it.
        probabilities: Of each id.
        unseen: For each word, as `Token.word` counts them, what `WrittenWord.unseen` says; nothing
            where training saw all of the source.
        seconds: For each id the second most probable there, and its probability, if known.
    """
    tokens_of: dict[int, list[int]] = defaultdict(list)
    for place, token in enumerate(tokenizer.describe(ids)):
        tokens_of[token.word].append(place)
    text, at, found = tokenizer.decode(ids), 0, []
    for number, word in enumerate(tokenizer.word_texts(ids)):
        start = text.find(word, at)
        # Signs that cannot be seen are described otherwise than they are written.
        if start < 0 or not any(map(str.isalnum, word)):
            continue
        at = start + len(word)
        of_word = unseen[number] if unseen else ""
        chance = math.prod(probabilities[place] for place in tokens_of[number])
        word_found = WrittenWord(Span(start, at), chance, of_word)
        if seconds:
            least = min(tokens_of[number], key=probabilities.__getitem__)
            second_id, second = seconds[least]
            [told] = tokenizer.describe([second_id])
            word_found = replace(word_found, second=told.text, second_probability=second)
        found.append(word_found)
    return tuple(found)
