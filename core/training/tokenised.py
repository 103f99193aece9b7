"""The user's own pairs as token ids in two flat arrays, in memory or in files of a run's folder.

Millions of pairs need memory only for their lengths: ids are read on demand.
N pairs.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..batch import Pair
from ..tasks import CorpusError, Sample
from ..tokenizer.tokenizer import Tokenizer
from ..tokenizer.words import apart
from ..vocabulary import BOS, EOS

FOLDER = "tokens"
IDS, LENGTHS = "ids.bin", "lengths.bin"
TOKENS = (f"{FOLDER}/{IDS}", f"{FOLDER}/{LENGTHS}")
"""Their paths in a run's folder."""
AT_ONCE = 20_000
"""Pairs that are tokenised at once."""
MOST_WORDS = 500_000
"""Maximum distinct words in a tokenizer's cache, which is then cleared."""
LongestText = np.uint16


@dataclass(frozen=True, slots=True, eq=False)
class TokenisedPairs:
    """Pairs as ids; special tokens are added when a pair is asked for."""

    ids: NDArray[Any]
    """Ids of all texts, concatenated: source, target, source, target …"""
    lengths_N2: NDArray[np.int64]
    """Tokens of each source and target."""
    starts_N: NDArray[np.int64]
    """Where each source begins; its target follows."""

    @classmethod
    def of(cls, samples: Iterable[Sample], tokenizer: Tokenizer) -> Self:
        """Tokenise pairs in memory."""
        blocks = list(_blocks(samples, tokenizer))
        ids = np.concatenate([block.ids for block in blocks])
        return cls._with_lengths(ids, np.concatenate([block.lengths_N2 for block in blocks]))

    @classmethod
    def read(cls, run: Path, tokenizer: Tokenizer) -> Self:
        """Open the files of `write_tokens`; the ids stay on the disk.

        Raises:
            CorpusError: The files are missing, or do not belong together.
        """
        try:
            lengths = np.fromfile(run / FOLDER / LENGTHS, LongestText).reshape(-1, 2)
            ids = np.memmap(run / FOLDER / IDS, _id_type(tokenizer), mode="r")
        except OSError as error:
            raise CorpusError(
                "{run}: the pairs to learn from are not kept here: {folder}/ is missing",
                run=run,
                folder=FOLDER,
            ) from error
        if int(lengths.sum(dtype=np.int64)) != ids.size:
            raise CorpusError(
                "{path}: {ids} and {lengths} do not belong together",
                path=run / FOLDER,
                ids=IDS,
                lengths=LENGTHS,
            )
        return cls._with_lengths(ids, lengths)

    @classmethod
    def _with_lengths(cls, ids: NDArray[Any], lengths: NDArray[Any]) -> Self:
        lengths_N2 = lengths.astype(np.int64)
        ends = lengths_N2.sum(axis=1).cumsum()
        return cls(ids, lengths_N2, ends - lengths_N2.sum(axis=1))

    def __len__(self) -> int:
        """Return how many pairs there are."""
        return len(self.lengths_N2)

    def pair(self, index: int, tokenizer: Tokenizer) -> Pair:
        """Return one pair, special tokens included; its text is as the model sees it."""
        start, (n_source, n_target) = int(self.starts_N[index]), self.lengths_N2[index].tolist()
        source = self.ids[start : start + n_source].tolist()
        target = self.ids[start + n_source : start + n_source + n_target].tolist()
        text = tokenizer.decode(source)
        return Pair(source=(*source, EOS), target=(BOS, *target, EOS), text=text)


def write_tokens(
    run: Path,
    samples: Iterable[Sample],
    tokenizer: Tokenizer,
    max_positions: int,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[int, int]:
    """Write pairs as tokens into a run's folder, in one pass.

    Args:
        run: The folder.
        samples: Any number of samples.
        tokenizer: The run's tokenizer.
        max_positions: Maximum tokens per side, special one included; longer pairs are skipped.
        progress: Called with the number of pairs read so far, every 20,000.

    Returns:
        The numbers of written and of skipped pairs.
    """
    (run / FOLDER).mkdir(parents=True, exist_ok=True)
    n_read = n_written = 0
    with (run / FOLDER / IDS).open("wb") as ids, (run / FOLDER / LENGTHS).open("wb") as lengths:
        for block in _blocks(samples, tokenizer):
            fits = block.lengths_N2.max(axis=1) + 1 <= max_positions
            n_read, n_written = n_read + len(fits), n_written + int(fits.sum())
            ids.write(block.ids[np.repeat(fits, block.lengths_N2.sum(axis=1))].tobytes())
            lengths.write(block.lengths_N2[fits].astype(LongestText).tobytes())
            progress(n_read)
    return n_written, n_read - n_written


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    ids: NDArray[Any]
    lengths_N2: NDArray[np.int64]


def _blocks(samples: Iterable[Sample], tokenizer: Tokenizer) -> Iterator[_Block]:
    """Yield pairs as ids: each different word is split once, as no token reaches over its end."""
    left, id_type = iter(samples), _id_type(tokenizer)
    ids_of: dict[str, bytes] = {}
    while block := list(islice(left, AT_ONCE)):
        rows = [apart(text) for sample in block for text in (sample.source, sample.target)]
        if len(ids_of) > MOST_WORDS:
            ids_of.clear()
        new = [word for word in {word for row in rows for word in row} if word not in ids_of]
        for word, word_ids in zip(new, tokenizer.ids_of_all(new), strict=True):
            ids_of[word] = np.array(word_ids, id_type).tobytes()
        texts = [b"".join(map(ids_of.__getitem__, row)) for row in rows]
        sizes = np.fromiter(map(len, texts), np.int64, len(texts)).reshape(-1, 2)
        ids = np.frombuffer(b"".join(texts), id_type)
        yield _Block(ids, sizes // ids.itemsize)


def _id_type(tokenizer: Tokenizer) -> type[np.unsignedinteger[Any]]:
    return np.uint16 if tokenizer.vocab_size <= 2**16 else np.uint32
