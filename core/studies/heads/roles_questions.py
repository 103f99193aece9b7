"""What a head would have to look at to have a role, for every row of a batch.

B batch, Q queries, K keys, V vocabulary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import torch
from torch import Tensor

from core.batch import Batch, Pair, TokenReference
from core.heads import Kind
from core.studies.heads.roles_sentences import Sentences, TokenLinks


class Role(StrEnum):
    """What a head may be there for: the key at which the largest weight of its rows lies."""

    PREVIOUS = "previous"
    """The token before the row's own; only in self-attention."""
    NEXT = "next"
    """The token after the row's own; only in the encoder, for a decoder does not see it."""
    SAME = "same"
    """A token that is the same as the row's own (in self-attention also that itself)."""
    POSITIONAL = "positional"
    """Whatever stands at one fixed offset, the one that this head picks most often, of the rows
    that can see it; Voita et al. (2019) call a head positional from 90 % on."""
    DELIMITER = "delimiter"
    """A special token or punctuation."""
    RARE = "rare"
    """The rarest of the tokens that the row may see, by their frequency in these sentences."""
    ANTECEDENT = "antecedent"
    """What an ambiguous pronoun stands for. The row is the pronoun's in the encoder, and in
    cross-attention that of the step that writes it."""
    ALIGNED_FED = "aligned_fed"
    """A source token that the word comes from that is the row's input; only in cross-attention,
    which aligns best there (Chen et al. 2020)."""
    ALIGNED_PREDICTED = "aligned_predicted"
    """A source token that the word comes from that the row predicts; only in cross-attention."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of one kind of attention in one batch."""

    kind: Kind
    query_BQ: Tensor
    """Ids of the tokens that stand at the rows: in the decoder what is fed."""
    key_BK: Tensor
    visible_BQK: Tensor
    said_BQ: Tensor
    """True for rows, and for keys, that fill nothing up."""
    said_BK: Tensor

    @property
    def chosen_BQ(self) -> Tensor:
        """True for rows that count: no padding, and with two keys or more to choose from."""
        return self.said_BQ & (self.visible_BQK.sum(dim=-1) >= 2)


def rows_of(kind: Kind, batch: Batch, visible_BQK: Tensor) -> Rows:
    """Return the rows of a kind of attention.

    Args:
        kind: Which.
        batch: What the model was given.
        visible_BQK: True where a query may look; dimensions of size 1 broadcast.
    """
    query_BQ, key_BK = batch.ids(kind.query_side), batch.ids(kind.key_side)
    shape = (*query_BQ.shape, key_BK.shape[1])
    # A mask of the model's own need not hide padding (there may be none to hide).
    said_BK = batch.said(kind.key_side)
    visible_BQK = visible_BQK.expand(shape) & said_BK[:, None]
    return Rows(kind, query_BQ, key_BK, visible_BQK, batch.said(kind.query_side), said_BK)


def role_keys(
    rows: Rows, batch: Batch, pairs: Sequence[Pair], sentences: Sentences
) -> Mapping[Role, Tensor]:
    """Return wanted_BQK for each role that can be asked for, True where a key has it.

    A row without such a key that it may see is not asked. `POSITIONAL` is not here: what is right
    depends on the head.

    Args:
        rows: Of one kind of attention.
        batch: The same pairs as tensors.
        pairs: The sentences of the batch, in its order.
        sentences: What is known of them.
    """
    visible_BQK = rows.visible_BQK
    counts_V = sentences.counts_V(rows.kind.key_side)
    found = {
        Role.SAME: rows.query_BQ[:, :, None] == rows.key_BK[:, None],
        Role.DELIMITER: sentences.delimiters_V(rows.kind.key_side)[rows.key_BK][:, None],
        Role.RARE: _rarest(counts_V[rows.key_BK], visible_BQK),
    }
    if not rows.kind.is_self:
        links = [sentences.links.get(pair, ()) for pair in pairs]
        found[Role.ALIGNED_FED] = _aligned(links, visible_BQK, row_of_first_token=1)
        found[Role.ALIGNED_PREDICTED] = _aligned(links, visible_BQK, row_of_first_token=0)
    else:
        found[Role.PREVIOUS] = _at_offset(-1, visible_BQK)
        found[Role.NEXT] = _at_offset(1, visible_BQK)
    if rows.kind.key_side == "source":
        found[Role.ANTECEDENT] = _antecedents(batch.references, rows)
    return {role: found[role] & visible_BQK for role in Role if role in found}


def ambiguous(references: Sequence[Sequence[TokenReference]]) -> list[TokenReference]:
    """Return the pronouns of a batch that must be understood, in order."""
    return [each for found in references for each in found if each.ambiguous]


def _at_offset(offset: int, visible_BQK: Tensor) -> Tensor:
    n_queries, n_keys = visible_BQK.shape[1:]
    return offsets(n_queries, n_keys)[None] == offset


def offsets(n_queries: int, n_keys: int) -> Tensor:
    """Return how many places each key stands after each query, offsets_QK.

    >>> offsets(2, 3).tolist()
    [[0, 1, 2], [-1, 0, 1]]
    """
    return torch.arange(n_keys)[None] - torch.arange(n_queries)[:, None]


def _rarest(counts_BK: Tensor, visible_BQK: Tensor) -> Tensor:
    """Return where the least frequent visible keys are; several are equally rare."""
    hidden = torch.iinfo(counts_BK.dtype).max
    counts_BQK = counts_BK[:, None].masked_fill(~visible_BQK, hidden)
    return counts_BQK == counts_BQK.min(dim=-1, keepdim=True).values


def _aligned(
    links: Sequence[TokenLinks], visible_BQK: Tensor, *, row_of_first_token: int
) -> Tensor:
    aligned_BQK = torch.zeros_like(visible_BQK)
    for sentence, found in enumerate(links):
        for written, read in found:
            aligned_BQK[sentence, written + row_of_first_token, read] = True
    return aligned_BQK


def _antecedents(references: Sequence[Sequence[TokenReference]], rows: Rows) -> Tensor:
    found_BQK = torch.zeros_like(rows.visible_BQK)
    for sentence, pronouns in enumerate(references):
        for each in ambiguous([pronouns]):
            query = each.rows(rows.kind.query_side)[0]
            found_BQK[sentence, query, list(each.antecedent)] = True
    return found_BQK
