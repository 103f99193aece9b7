"""How many tokens texts have, without keeping the tokens."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from core.tokenizer import Tokenizer

_AT_ONCE = 20_000
Lengths = NDArray[np.int64]


def token_counts(tokenizer: Tokenizer, texts: Sequence[str]) -> Lengths:
    """Return how many tokens each text has, special tokens left out.

    No token reaches over a space, so that each different word is split only once.

    Args:
        tokenizer: Any.
        texts: As `read_pairs` leaves them, with single spaces.
    """
    words = list(dict.fromkeys(word for text in texts for word in text.split()))
    counts = dict(zip(words, _encoded_lengths(tokenizer, words), strict=True))
    return np.array([sum(map(counts.__getitem__, text.split())) for text in texts])


def _encoded_lengths(tokenizer: Tokenizer, words: Sequence[str]) -> Iterator[int]:
    # In parts: encodings are far larger than their words.
    for start in range(0, len(words), _AT_ONCE):
        for encoding in tokenizer.encode_all(words[start : start + _AT_ONCE]):
            yield len(encoding.ids)
