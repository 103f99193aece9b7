"""How a text becomes tokens: byte pair encoding, merge by merge (Sennrich et al. 2016)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from ...decoding.sentence import SentenceError
from ...runs.run import Run
from ...tokenizer.fast_tokenizer import FILE, Written
from ...tokenizer.tokenizer import Token, Tokenizer, readable
from .cells import Table

Pieces = tuple[bytes, ...]
Pair = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Merge:
    """The pieces of a text after a merge."""

    rank: int
    """Of the merge among all, from 1 on: the tokenizer learned it as that one."""
    joined: tuple[str, str]
    words: tuple[tuple[str, ...], ...]
    """The pieces of each word; ␣ is the space before it."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A text and its tokens."""

    ids: tuple[int, ...]
    tokens: tuple[Token, ...]
    begin: tuple[tuple[str, ...], ...]
    """The bytes or characters of each word; empty where no merges are known that lead to `ids`."""
    merges: tuple[Merge, ...]
    n_merges: int
    """All merges of the tokenizer; 0 if it joins no pairs."""

    def table(self) -> Table:
        """Return a row for each merge, the beginning first."""
        merges = self.merges
        return {
            "rank": [None, *(each.rank for each in merges)],
            "joined": ["", *("+".join(each.joined) for each in merges)],
            "pieces": [written(self.begin), *(written(each.words) for each in merges)],
        }


def written(words: Sequence[Sequence[str]]) -> str:
    """Return pieces with dots between them, words apart.

    >>> written([["sing", "ing"], ["."]])
    'sing·ing .'
    """
    return " ".join(map("·".join, words))


def cut(run: Run, text: str) -> Cut:
    """Cut a text as the run's source tokenizer does.

    Raises:
        SentenceError: There is no text.
    """
    tokenizer = run.tokenizer
    ids = tokenizer.encode(text).ids
    if not ids:
        raise SentenceError("there is no text to translate")
    tokens = tokenizer.describe(ids)
    by_word = groupby(zip(tokens, ids, strict=True), lambda each: each[0].word)
    words = [tuple(tokenizer.piece(each) for _, each in group) for _, group in by_word]
    ranks, of_bytes = _merges(tokenizer)
    symbols = [_symbols(b"".join(word), of_bytes=of_bytes) for word in words]
    begin, merges = _shown(symbols), []
    while pairs := [p for word in symbols for p in pairwise(word) if p in ranks]:
        pair = min(pairs, key=ranks.__getitem__)
        symbols = [_joined(word, pair) for word in symbols]
        left, right = map(_text, pair)
        merges.append(Merge(ranks[pair] + 1, (left, right), _shown(symbols)))
    # Some tokenizers look whole words up first, or mark their ends.
    known = bool(ranks) and symbols == words
    return Cut(ids, tokens, begin if known else (), tuple(merges) if known else (), len(ranks))


def _merges(tokenizer: Tokenizer) -> tuple[Mapping[Pair, int], bool]:
    """Return the rank of each pair that is joined, and whether words begin as bytes."""
    stored = json.loads(tokenizer.files().get(FILE, b"{}"))
    if stored.get("model", {}).get("type") != "BPE":
        return {}, False
    form = Written(stored)
    pairs = [
        each.split(" ") if isinstance(each, str) else each for each in stored["model"]["merges"]
    ]
    ranks = {(form.piece(a), form.piece(b)): rank for rank, (a, b) in enumerate(pairs)}
    return ranks, form.is_bytes


def _symbols(word: bytes, *, of_bytes: bool) -> Pieces:
    """Return the bytes of a word, or its characters.

    >>> [len(_symbols("早上好".encode(), of_bytes=each)) for each in (True, False)]
    [9, 3]
    """
    if of_bytes:
        return tuple(word[at : at + 1] for at in range(len(word)))
    return tuple(each.encode() for each in word.decode(errors="replace"))


def _joined(word: Pieces, pair: Pair) -> Pieces:
    """Return the pieces of a word with each occurrence of a pair joined, from the left.

    >>> _joined((b"n", b"n", b"n"), (b"n", b"n"))
    (b'nn', b'n')
    """
    made: list[bytes] = []
    rest = list(word)
    while rest:
        if tuple(rest[:2]) == pair:
            rest[:2] = [b"".join(pair)]
        made.append(rest.pop(0))
    return tuple(made)


def _shown(words: Sequence[Pieces]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(_text, word)) for word in words)


def _text(piece: bytes) -> str:
    return f"␣{readable(piece)}" if piece.startswith(b" ") and len(piece) > 1 else readable(piece)
