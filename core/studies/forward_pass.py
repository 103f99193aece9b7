"""One forward pass as a whole: every head's weights, every addition, and what comes out on top.

K positions of a stack, L depths, T tokens fed to the decoder, N best tokens.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from ..batch import one_row
from ..decoding.step import mask_special_tokens
from ..heads import Head, Site, Stack
from ..inspection import Inspection, inspect_sentence
from ..model import Probes, Record, Silence, Step
from ..runs.run import Run
from ..tokenizer.tokenizer import token_texts
from .cells import Table, stacked
from .lessons.layers import Lens, Stream, recorded_lens, recorded_streams

N_BEST = 5


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """The most probable next tokens of each position of the decoder."""

    ids_TN: NDArray[np.int64]
    """Best first."""
    probabilities_TN: NDArray[np.float64]
    next_ids: tuple[int, ...]
    """The token that follows each in the text, at its end EOS if the model has one."""
    next_probabilities: NDArray[np.float64]
    """Of these tokens: teacher forcing trains the model to raise them."""


@dataclass(frozen=True, slots=True, eq=False)
class ForwardPass:
    """A sentence on its way through all layers; the weights of its heads are the inspection's."""

    inspection: Inspection
    streams: Mapping[Stack, Stream]
    lens: Lens | None
    """What each layer of the decoder would write; None without a decoder that writes in order."""
    best: Best | None
    """What it writes; None in the same cases."""
    fills: Mapping[int, tuple[tuple[int, float], ...]]
    """Of an encoder alone: the tokens most probable at each position that is masked, or gets a tag
    or the class, best first, each with its probability."""

    @property
    def sublayers(self) -> tuple[tuple[Site, NDArray[np.float64]], ...]:
        """Each sublayer with the norms of what it adds, added_K, in the order of the data."""
        return tuple(
            (site, added_K)
            for stream in self.streams.values()
            for site, added_K in zip(stream.sites[1:], stream.added_LK, strict=True)
        )

    def table(self) -> Table:
        """Return a row for each sublayer and position: what it adds, and its largest weight."""
        attention = self.inspection.attention
        return stacked(
            *(
                {
                    "sublayer": [str(site)] * len(added_K),
                    "position": range(len(added_K)),
                    "added": added_K.tolist(),
                    "largest_weight": attention[site].weights_HQK.max(axis=(0, 2)).tolist()
                    if site in attention
                    else [None] * len(added_K),
                }
                for site, added_K in self.sublayers
            )
        )

    def attention(self) -> tuple[Inspection, list[str], list[str], tuple[int, int]]:
        """Return what `seq2see.attention` shows: weights, rows, columns, and the first head."""
        inspection = self.inspection
        target, source = map(token_texts, (inspection.fed_tokens, inspection.source_tokens))
        return inspection, target, source, (0, 0)


@torch.inference_mode()
def forward_pass(run: Run, inspection: Inspection, silenced: tuple[Head, ...] = ()) -> ForwardPass:
    """Follow a sentence from the embeddings to the next words, on the tokens of an inspection.

    Args:
        run: A loaded run.
        inspection: Of a sentence by this run, without the same heads.
        silenced: Heads whose output is left out.
    """
    model, translation = run.model, inspection.translation
    record = Record(frozenset({Step.STREAM_OUT, Step.ADDED}))
    probe = Probes((Silence.of(silenced), record)) if silenced else record
    logits_BTV = model(one_row(translation.source_ids), one_row(translation.fed_ids), probe)
    writes = bool(translation.fed_ids) and not model.config.is_parallel
    best, fills = None, {}
    if writes:
        chances_TV = mask_special_tokens(logits_BTV[0], model.config).double().softmax(dim=-1)
        top = chances_TV.topk(min(N_BEST, chances_TV.shape[-1]))
        next_ids = (*translation.target_ids, *model.config.eos_ids[:1])[: len(chances_TV)]
        next_probabilities = chances_TV[range(len(next_ids)), next_ids]
        best = Best(top.indices.numpy(), top.values.numpy(), next_ids, next_probabilities.numpy())
    elif model.config.is_encoder_only and model.config.has_output:
        fills = _fills(run, translation.source_ids, logits_BTV[0])
    return ForwardPass(
        inspection=inspection,
        streams=recorded_streams(model, record),
        lens=recorded_lens(model, record, logits_BTV) if writes else None,
        best=best,
        fills=fills,
    )


def _fills(
    run: Run, ids: Sequence[int], logits_SV: torch.Tensor
) -> dict[int, tuple[tuple[int, float], ...]]:
    """Return the most probable tokens at each position that is predicted, with probabilities."""
    masked = [at for at, token in enumerate(ids) if token == run.tokenizer.mask_id]
    masked += run.model.config.labelled(len(ids))
    chances_MV = mask_special_tokens(logits_SV[masked], run.model.config).double().softmax(dim=-1)
    top = chances_MV.topk(min(N_BEST, chances_MV.shape[-1]))
    rows = zip(masked, top.indices.tolist(), top.values.tolist(), strict=True)
    return {at: tuple(zip(tokens, chances, strict=True)) for at, tokens, chances in rows}


def pass_of(run: Run, sentence: str, target: str | None) -> ForwardPass:
    """Follow a sentence and its target, by default what the model writes; see `inspect_sentence`.

    Raises:
        SentenceError: There is no text.
    """
    return forward_pass(run, inspect_sentence(run, sentence, target))
