"""How sure a model was of each word that it wrote, and which words are marked as unsure."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..tokenizer.tokenizer import Tokenizer
from ..vocabulary import Span

UNSURE = 0.4
"""Words below this probability are marked.

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
    """Product of its tokens' probabilities, each given the prefix."""
    unseen: str = ""
    """The source word that the decoder attended to most, if it never occurred in training."""
    second: str = ""
    """The second most probable token at its least certain step; empty if unknown."""
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
        tokenizer: The target's tokenizer.
        ids: Ids of the text, without EOS.
        probabilities: Probability of each id.
        unseen: For each word, as `Token.word` counts them, what `WrittenWord.unseen` says; empty
            if training saw all of the source.
        seconds: For each id the second most probable there, and its probability, if known.
    """
    tokens_of: dict[int, list[int]] = defaultdict(list)
    for place, token in enumerate(tokenizer.describe(ids)):
        tokens_of[token.word].append(place)
    text, at, found = tokenizer.decode(ids), 0, []
    for number, word in enumerate(tokenizer.word_texts(ids)):
        start = text.find(word, at)
        # Invisible characters are described differently from how they are written.
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
