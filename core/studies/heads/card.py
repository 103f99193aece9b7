"""What one head does on held-out sentences: where it points most.

Only rows with a choice count: those that may see two keys or more. B batch, Q queries, K keys,
R rows of all sentences together.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.batch import Pair, collate
from core.heads import Head, Kind, Side
from core.model import Record, Step, Transformer
from core.runs.run import Run
from core.studies.heads.question import Rows, read
from core.studies.heads.roles import N_SENTENCES, SEED, is_delimiter
from core.studies.heads.texts import batches_of, pairs_read
from core.tokenizer.tokenizer import Token

N_ROWS = 4
"""Number of sentences that are kept: those in which the head points most."""
Describes = Mapping[Side, Callable[[Sequence[int]], tuple[Token, ...]]]
"""Side → what makes of its ids tokens as people read them."""


@dataclass(frozen=True, slots=True, eq=False)
class HeadRow:
    """One row of a head in a held-out sentence."""

    sentence: int
    """Which one of those that were drawn."""
    text: str
    """The source sentence, or what a model of one stack reads."""
    queries: tuple[Token, ...]
    keys: tuple[Token, ...]
    predicted: Token | None
    """What the decoder is to write in this row; None in the encoder."""
    query: int
    key: int
    """With the largest weight; of equal ones the first."""
    weights_K: NDArray[np.float32]
    visible_K: NDArray[np.bool_]
    on_word: bool
    """Whether the largest weight lies on one key alone that says something of the head: no special
    token, no punctuation, and in self-attention no token of the same text."""
    pair: tuple[str, str]
    """The words of the row's token (in cross-attention the one to be written, in the decoder's
    self-attention the one fed) and of the token with the largest weight."""

    @property
    def weight(self) -> float:
        """The largest."""
        return float(self.weights_K[self.key])


@dataclass(frozen=True, slots=True, eq=False)
class HeadCard:
    """What one head does."""

    head: Head
    strongest: tuple[HeadRow, ...]
    """Rows with the largest weights, one of a sentence, of different pairs where there are such;
    on words, or on what else there is where the head never points at one."""
    n_rows: int
    """Rows with a choice."""
    n_sentences: int


def head_card(run: Run, head: Head, n: int = N_SENTENCES, seed: int = SEED) -> HeadCard:
    """Return what a head does on up to `n` held-out sentences, the decoder fed the true targets."""
    pairs = pairs_read(run, n, seed)
    describe: Describes = {
        "source": run.tokenizer.describe,
        "target": run.target_tokenizer.describe,
    }
    return study_head(run.model, pairs, head, describe)


def study_head(
    model: Transformer,
    pairs: Sequence[Pair],
    head: Head,
    describe: Describes,
) -> HeadCard:
    """Return what a head does in these sentences."""
    rows = list(_rows(model, pairs, head, describe))
    words = [row for row in rows if row.on_word]
    return HeadCard(
        head=head,
        strongest=strongest(words or rows),
        n_rows=len(rows),
        n_sentences=len(pairs),
    )


def strongest(rows: Sequence[HeadRow], n: int = N_ROWS) -> tuple[HeadRow, ...]:
    """Return the rows with the largest weights, at most one of a sentence.

    Weights that read alike, with two digits, count as equal, and then the order of the sentences
    decides. The same pair of tokens comes again only where there are too few different ones.
    """
    best: dict[int, HeadRow] = {}
    for row in rows:
        if row.sentence not in best or row.weight > best[row.sentence].weight:
            best[row.sentence] = row
    ranked = sorted(best.values(), key=lambda row: (-round(row.weight, 2), row.sentence))
    first_of_pair = {row.pair: row for row in reversed(ranked)}
    others = [row for row in ranked if first_of_pair[row.pair] is not row]
    different = [row for row in ranked if first_of_pair[row.pair] is row]
    return tuple([*different, *others][:n])


@torch.inference_mode()
def _rows(
    model: Transformer,
    pairs: Sequence[Pair],
    head: Head,
    describe: Describes,
) -> Iterator[HeadRow]:
    """Yield the rows of a head that have a choice."""
    place = {pair: number for number, pair in enumerate(pairs)}
    for group in batches_of(pairs, model.config.pad_id):
        batch, record = collate(group, model.config.pad_id), Record(sites=frozenset([head.site]))
        read(model, batch, record)
        rows = Rows.of(head.kind, batch, record.tensors[head.site, Step.VISIBLE])
        weights_BQK = record.weights(head.site)[:, head.index].float().cpu()
        weights_BQK = weights_BQK.masked_fill(~rows.visible_BQK, 0)
        for at, pair in enumerate(group):
            # The last token of a target is predicted and never fed.
            target = describe["target"](pair.target)
            sides = {"source": describe["source"](pair.source), "target": target[:-1]}
            queries, keys = (sides[side] for side in head.kind.sides)
            for query in torch.nonzero(rows.chosen_BQ[at]).flatten().tolist():
                weights_K = weights_BQK[at, query, : len(keys)].numpy().copy()
                key = int(weights_K.argmax())
                predicted = None if head.kind is Kind.ENCODER_SELF else target[query + 1]
                own = _word(queries, query)
                if predicted is not None and not head.kind.is_self:
                    own = _word(target, query + 1)
                yield HeadRow(
                    sentence=place[pair],
                    text=pair.text,
                    queries=queries,
                    keys=keys,
                    predicted=predicted,
                    query=query,
                    key=key,
                    weights_K=weights_K,
                    visible_K=rows.visible_BQK[at, query, : len(keys)].numpy().copy(),
                    on_word=_is_on_word(queries[query], keys[key], weights_K, head.kind),
                    pair=(own, _word(keys, key)),
                )


def _word(tokens: Sequence[Token], at: int) -> str:
    """Return the word that a token is a piece of."""
    return "".join(each.text for each in tokens if each.word == tokens[at].word)


def _is_on_word(query: Token, key: Token, weights_K: NDArray[np.float32], kind: Kind) -> bool:
    is_same = kind.is_self and query.text == key.text
    return (weights_K == weights_K.max()).sum() == 1 and not is_same and not is_delimiter(key)
