"""Everything that a model's heads do with one sentence, as plain arrays.

H heads, Q queries, K keys.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.batch import pad
from core.decoding.sentence import Translation, given_translation, translate
from core.decoding.step import sayable
from core.model import Record, Site, Step
from core.runs.run import Run
from core.tokenizer import Token


@dataclass(frozen=True, slots=True, eq=False)
class SiteAttention:
    """What one attention sublayer did."""

    weights_HQK: NDArray[np.float32]
    visible_QK: NDArray[np.bool_]
    """True where a query was allowed to look."""


@dataclass(frozen=True, eq=False)
class Inspection:
    """One sentence, what was fed and predicted, and every head's weights."""

    translation: Translation
    source_tokens: tuple[Token, ...]
    """With EOS at the end: the rows of encoder maps, the columns of encoder and cross maps."""
    fed_tokens: tuple[Token, ...]
    """BOS first: the rows of decoder and cross maps, the columns of decoder maps."""
    predicted_tokens: tuple[Token, ...]
    """The most probable next token of each decoder row."""
    source_words: tuple[str, ...]
    """The text of each word that `Token.word` of a source token counts."""
    fed_words: tuple[str, ...]
    unknown_words: frozenset[int]
    """The source's words (as `Token.word` counts them) that training never saw."""
    attention: Mapping[Site, SiteAttention]
    seconds: float
    """What translating and recording took."""


def inspect_sentence(run: Run, sentence: str, target: str | None = None) -> Inspection:
    """Record every head's weights in one pass over a sentence and its target.

    The pass is teacher-forced, by default on the model's own translation: no row of the decoder
    sees later tokens, so its maps are those that decoding step by step had.

    Args:
        run: A loaded run.
        sentence: The source; cut where it is longer than the model's positions.
        target: Feed this instead of the model's own translation.

    Raises:
        SentenceError: There is no text.
    """
    started = time.perf_counter()
    if target is None:
        translation = translate(run, sentence)
    else:
        translation = given_translation(run, sentence, target)
    fed_ids = translation.fed_ids
    record = Record()
    with torch.inference_mode():
        logits_BTV = run.model(pad([translation.source_ids]), pad([fed_ids]), record)
    words = run.tokenizer.word_texts(translation.source_ids)
    return Inspection(
        translation=translation,
        source_tokens=run.tokenizer.describe(translation.source_ids),
        fed_tokens=run.tokenizer.describe(fed_ids),
        predicted_tokens=run.tokenizer.describe(sayable(logits_BTV[0]).argmax(dim=-1).tolist()),
        source_words=tuple(words),
        fed_words=tuple(run.tokenizer.word_texts(fed_ids)),
        # The last word is EOS.
        unknown_words=frozenset(
            index for index, word in enumerate(words[:-1]) if word not in run.known_words
        ),
        attention={site: _attention(record, site) for site in run.model.sites()},
        seconds=time.perf_counter() - started,
    )


def _attention(record: Record, site: Site) -> SiteAttention:
    weights_HQK = record.weights(site)[0].numpy()
    visible_QK = record.tensors[site, Step.VISIBLE][0].numpy()
    return SiteAttention(weights_HQK, np.broadcast_to(visible_QK, weights_HQK.shape[1:]))
