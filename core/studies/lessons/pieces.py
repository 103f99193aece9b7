"""How a text becomes tokens: byte pair encoding, merge by merge (Sennrich et al. 2016)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from ...decoding.sentence import SentenceError
from ...runs.run import Run
from ...tokenizer.fast_tokenizer import FILE, Written
from ...tokenizer.tokenizer import Token, Tokenizer, readable
from ..cells import Table, stacked

Pieces = Sequence[bytes]
Pair = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Merge:
    """A merge, and the pieces of a text after it."""

    rank: int
    """The tokenizer learned it as this one, from 1 on; 0 before the first merge."""
    joined: str
    pieces: str
    """With dots between them, words apart; ␣ is the space before a word."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A text and its tokens."""

    ids: tuple[int, ...]
    tokens: tuple[Token, ...]
    n_merges: int
    """All merges of the tokenizer; 0 if it joins no pairs."""
    merges: tuple[Merge, ...]
    """Those that lead to the tokens, after the bytes or characters that they join."""

    def table(self) -> Table:
        """Return a row for each merge, the beginning first, then one for each token."""
        names = "rank", "joined", "pieces"
        merges = {name: [getattr(each, name) for each in self.merges] for name in names}
        return stacked(merges, {"token": [each.text for each in self.tokens], "id": self.ids})


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
    made = [[tokenizer.piece(each) for _, each in word] for _, word in by_word]
    ranks, of_bytes = _merges(tokenizer)
    words = [_symbols(b"".join(pieces), of_bytes=of_bytes) for pieces in made]
    merges = [Merge(0, "", _written(words))]
    while pairs := [pair for word in words for pair in pairwise(word) if pair in ranks]:
        pair = min(pairs, key=ranks.__getitem__)
        words = [_joined(word, pair) for word in words]
        merges.append(Merge(ranks[pair] + 1, " + ".join(map(_text, pair)), _written(words)))
    # Some tokenizers join no pairs, look whole words up first, or mark their ends.
    known = len(merges) > 1 and words == made
    return Cut(ids, tokens, len(ranks), tuple(merges) if known else ())


def _merges(tokenizer: Tokenizer) -> tuple[Mapping[Pair, int], bool]:
    """Return the rank of each pair that is joined, and whether words begin as bytes."""
    stored = json.loads(tokenizer.files().get(FILE, b"{}"))
    if stored.get("model", {}).get("type") != "BPE":
        return {}, False
    form, merges = Written(stored), stored["model"]["merges"]
    pairs = [each.split(" ") if isinstance(each, str) else each for each in merges]
    ranks = {(form.piece(a), form.piece(b)): rank for rank, (a, b) in enumerate(pairs)}
    return ranks, form.is_bytes


def _symbols(word: bytes, *, of_bytes: bool) -> list[bytes]:
    """Return the bytes of a word, or its characters.

    >>> [len(_symbols("早上好".encode(), of_bytes=each)) for each in (True, False)]
    [9, 3]
    """
    if of_bytes:
        return [word[at : at + 1] for at in range(len(word))]
    return [each.encode() for each in word.decode(errors="replace")]


def _joined(word: Pieces, pair: Pair) -> list[bytes]:
    """Return the pieces of a word with each occurrence of a pair joined, from the left.

    >>> _joined([b"n", b"n", b"n"], (b"n", b"n"))
    [b'nn', b'n']
    """
    made, rest = [], list(word)
    while rest:
        if tuple(rest[:2]) == pair:
            rest[:2] = [b"".join(pair)]
        made.append(rest.pop(0))
    return made


def _written(words: Sequence[Pieces]) -> str:
    return " ".join("·".join(map(_text, word)) for word in words)


def _text(piece: bytes) -> str:
    return f"␣{readable(piece)}" if piece.startswith(b" ") and len(piece) > 1 else readable(piece)
