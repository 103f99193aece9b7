"""In which layer and at which word the difference between two sentences stands.

The corrupt sentence runs through the model, but one vector, of one layer at one position, is the
one that the clean sentence has there. Where that brings the clean sentence's word back, the
difference goes through this vector.

Source: Meng et al. (2022), "Locating and Editing Factual Associations in GPT" (causal tracing),
here from sentence to sentence and without noise.

B batch, L layers, P positions of the corrupt text, D model width.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...evaluate.exposure import first_difference
from ...heads import Kind, Site, Stack
from ...model import Record, Step
from ...runs.run import Run
from ...tokenizer.tokenizer import Token
from .patching import EachCopy, Pair, Parting, paired

LARGEST = 4096
"""Positions of all copies in one pass: more need more memory than they save time."""


class Part(StrEnum):
    """The part of each layer whose vector is copied."""

    STREAM = "stream"
    """The residual stream after the embedding, and after each layer."""
    ATTENTION = "attention"
    """What self-attention adds to it."""
    FEED_FORWARD = "feed_forward"
    """What the feed-forward layer adds to it."""

    @property
    def step(self) -> Step:
        """The step of a sublayer that is copied."""
        return Step.STREAM_OUT if self is Part.STREAM else Step.ADDED


@dataclass(frozen=True)
class PositionPatching(Parting):
    """How much of the difference between two sentences each vector of the reading stack restores.

    Of an encoder–decoder that is the encoder, of a decoder alone the decoder.
    """

    part: Part
    stack: Stack
    sites: tuple[Site, ...]
    """After which sublayer the vectors of each row are copied."""
    tokens: tuple[Token, ...]
    """Of the corrupt text, with what the decoder alone wrote up to the step."""
    partners_P: tuple[int | None, ...]
    """The position of the clean text whose vector each gets; see `partners`."""
    differs_P: tuple[bool, ...]
    """Whether the clean text has another token there."""
    shares_LP: NDArray[np.float64]
    """The share that each vector restores, 0 without a partner."""

    @property
    def tried_P(self) -> NDArray[np.bool_]:
        """True where there is a vector to copy."""
        return np.array([partner is not None for partner in self.partners_P])

    def strongest(self, rows: slice) -> tuple[int, int, float]:
        """Return row, position and share of the vector that restores most, of some rows."""
        tried_LP = np.where(self.tried_P, self.shares_LP, -np.inf)[rows]
        row, at = (int(each) for each in np.unravel_index(tried_LP.argmax(), tried_LP.shape))
        return range(len(self.sites))[rows][row], at, float(tried_LP[row, at])

    def table(self) -> dict[str, list[object]]:
        """Return a row for each vector that was copied."""
        cells = [
            (layer, at, partner)
            for layer in range(len(self.sites))
            for at, partner in enumerate(self.partners_P)
            if partner is not None
        ]
        return {
            "part": [str(self.part)] * len(cells),
            "after": [str(self.sites[layer]) for layer, _at, _partner in cells],
            "position": [at for _layer, at, _partner in cells],
            "token": [self.tokens[at].text for _layer, at, _partner in cells],
            "copied_from": [partner for _layer, _at, partner in cells],
            "restored": [float(self.shares_LP[layer, at]) for layer, at, _partner in cells],
            "step": [self.step] * len(cells),
            "difference_from": [self.clean_difference] * len(cells),
            "difference_into": [self.corrupt_difference] * len(cells),
        }


def partners(clean: Sequence[int], corrupt: Sequence[int]) -> tuple[int | None, ...]:
    """Return which position of the clean text gives its vector to each of the corrupt one.

    Up to the first token that differs both are counted from the start, from there on from the end.
    None where the clean text has no position left.

    >>> partners((1, 5, 6, 2), (1, 7, 8, 6, 2))
    (0, None, 1, 2, 3)
    """
    same, shift = _n_same(clean, corrupt), len(clean) - len(corrupt)
    from_end = [at + shift if at + shift >= same else None for at in range(same, len(corrupt))]
    return (*range(same), *from_end)


def _n_same(clean: Sequence[int], corrupt: Sequence[int]) -> int:
    """Return how many tokens both texts begin with; the last one is counted from the end."""
    n = min(len(clean), len(corrupt)) - 1
    found = first_difference(clean[:n], corrupt[:n])
    return n if found is None else found


def position_patching(run: Run, clean: str, corrupt: str, part: Part) -> PositionPatching:
    """Copy each vector of a part, layer by layer and position by position; see `patching_study`.

    The sentences may differ in length.

    Raises:
        SentenceError: There is no text.
        PatchingError: The same is written after both.
    """
    pair = Pair(run, paired(run, clean, corrupt, any_length=True), part.step)
    stack = run.model.config.stacks[0]
    ids, from_ids = (_read(fed) for fed in (pair.corrupt, pair.clean))
    sites, copied = _rows(pair.record, part, stack), partners(from_ids, ids)
    # Whatever comes before the first other token is the same where nothing later is seen.
    first = _n_same(from_ids, ids) if Kind.self_of(stack).causal else 0
    asked = [at for at, partner in enumerate(copied) if partner is not None and at >= first]
    shares_LP = np.zeros((len(sites), len(ids)))
    for row, site in enumerate(sites):
        shares_LP[row, asked] = _restored(pair, site, part.step, asked, copied)
    tokenizer = run.target_tokenizer if pair.corrupt[0] is None else run.tokenizer
    return PositionPatching(
        **vars(pair.parting),
        part=part,
        stack=stack,
        sites=sites,
        tokens=tokenizer.describe(ids),
        partners_P=copied,
        differs_P=tuple(
            partner is None or from_ids[partner] != token
            for token, partner in zip(ids, copied, strict=True)
        ),
        shares_LP=shares_LP,
    )


def _read(fed: tuple[Tensor | None, Tensor | None]) -> tuple[int, ...]:
    """Return the tokens that the reading stack is given."""
    source_1S, target_1T = fed
    ids_1P = target_1T if source_1S is None else source_1S
    assert ids_1P is not None
    return tuple(ids_1P[0].tolist())


def _rows(record: Record, part: Part, stack: Stack) -> tuple[Site, ...]:
    """Return the sites of a part, from the bottom of a stack to its top."""
    sites = [site for site, step in record.tensors if step is part.step and site.stack == stack]
    if part is Part.STREAM:
        last = {(site.layer, site.sublayer == "embedding"): site for site in sites}
        return tuple(last.values())
    wanted = Kind.self_of(stack).sublayer if part is Part.ATTENTION else part.value
    return tuple(site for site in sites if site.sublayer == wanted)


def _restored(
    pair: Pair, site: Site, step: Step, asked: Sequence[int], copied: Sequence[int | None]
) -> list[float]:
    """Return the share that the vector of each asked position restores."""
    clean_PD, found = pair.record.tensors[site, step][0], list[float]()
    n = max(1, LARGEST // len(copied))
    for places_N in torch.tensor(asked).split(n):
        clean_ND = clean_PD[[copied[each] for each in places_N.tolist()]]
        copies_N = torch.arange(len(places_N))
        patch = EachCopy(site, step, copies_N, places_N, clean_ND)
        found += pair.restored(len(places_N), patch)
    return found
