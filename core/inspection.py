"""All heads' weights on one sentence, as plain arrays, between tokens or words.

H heads, Q queries, K keys; small q and k count words.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .batch import one_row
from .decoding.marked_words import WrittenWord, written_words
from .decoding.sentence import Translation, target_as_translation, translate
from .decoding.step import mask_special_tokens
from .heads import Head, Kind, Side, Site
from .model import Probes, Record, Silence, Step
from .runs.run import Run
from .tokenizer.tokenizer import Token

Weight = TypeVar("Weight", np.float32, np.float64)
Layers = tuple[NDArray[np.float32], ...]


@dataclass(frozen=True, slots=True, eq=False)
class SiteAttention:
    """Weights of one attention sublayer, and the uniform weights they are compared with."""

    weights_HQK: NDArray[np.float32]
    even_QK: NDArray[np.float64]
    """From `even_weights`: weights of a head that attends to all visible tokens equally, the
    baseline of all statements about the weights. Between words a key gets as much as its
    tokens do together, and a query the mean of its tokens' rows, as in `merge_weights`."""

    @property
    def visible_QK(self) -> NDArray[np.bool_]:
        """True where a query may look; between words, where any of its tokens may."""
        return self.even_QK > 0


@dataclass(frozen=True, eq=False)
class Inspection:
    """One sentence, its fed and predicted tokens, and every head's weights."""

    translation: Translation
    source_tokens: tuple[Token, ...]
    """With EOS at the end: the rows of encoder maps, the columns of encoder and cross maps. None
    for a decoder alone."""
    fed_tokens: tuple[Token, ...]
    """BOS first: the rows of decoder and cross maps, the columns of decoder maps. None for an
    encoder alone."""
    end_token: Token | None
    """What comes after the last token that was fed: EOS, or what came when the limit was reached.
    None for an encoder alone."""
    predicted_tokens: tuple[Token, ...]
    """The most probable next token of each decoder row; of an encoder alone, the most probable
    token at each place of the source. None of a parallel decoder: it guesses at places that are
    hidden from it, and in this pass none is."""
    source_words: tuple[str, ...]
    """The text of each word that `Token.word` of a source token counts."""
    fed_words: tuple[str, ...]
    unknown_words: frozenset[int]
    """The source's words (as `Token.word` counts them) that training never saw."""
    attention: Mapping[Site, SiteAttention]
    seconds: float
    """Time for translating and recording."""
    n_typed: int = 0
    """The number of fed tokens that come from the user, not from the model: of a decoder alone its
    prompt; beside an encoder, where the target's language is chosen, the tokens up to that one."""
    written: tuple[WrittenWord, ...] = ()
    """The words of the model's own translation. None of another text, and none of a parallel
    decoder, whose words come in any order."""

    def tokens_of(self, side: Side) -> tuple[Token, ...]:
        """Return the tokens of the source, or those fed: of a map, rows or columns."""
        return self.source_tokens if side == "source" else self.fed_tokens

    def sites_of(self, kind: Kind) -> tuple[Site, ...]:
        """Return the sublayers of a kind of attention, by layer."""
        return tuple(site for site in self.attention if site.attention is kind)

    def weights_of(self, head: Head) -> NDArray[np.float32]:
        """Return a head's weights_QK."""
        return self.attention[head.site].weights_HQK[head.index]

    def layers_of(self, kind: Kind) -> Layers:
        """Return weights_HQK of each layer with a kind of attention."""
        return tuple(self.attention[site].weights_HQK for site in self.sites_of(kind))

    @property
    def encoder_attentions(self) -> Layers | None:
        """weights_BHQK of each layer, B = 1, as models of `transformers` return them."""
        return _batched(self.layers_of(Kind.ENCODER_SELF))

    @property
    def decoder_attentions(self) -> Layers | None:
        """weights_BHQK of each layer, B = 1; None without a decoder."""
        return _batched(self.layers_of(Kind.DECODER_SELF))

    @property
    def cross_attentions(self) -> Layers | None:
        """weights_BHQK of each layer, B = 1; None of a stack alone."""
        return _batched(self.layers_of(Kind.CROSS))


def _batched(layers: Layers) -> Layers | None:
    return tuple(weights_HQK[None] for weights_HQK in layers) or None


def inspect_sentence(
    run: Run, sentence: str, target: str | None = None, silenced: tuple[Head, ...] = ()
) -> Inspection:
    """Record every head's weights in one pass over a sentence and its target.

    The pass is teacher-forced, by default on the model's own translation: no row of the decoder
    sees later tokens, so its maps are those that decoding step by step had. A parallel decoder
    sees all of its finished text in this pass, and no mask token.

    Args:
        run: A loaded run.
        sentence: The source; cut if it is longer than the model's positions.
        target: Fed instead of the model's own translation.
        silenced: Heads whose output is left out, also while the model translates; none of a
            parallel decoder.

    Raises:
        SentenceError: There is no text.
    """
    silence = Silence.of(silenced) if silenced else None
    started = time.perf_counter()
    if target is None:
        translation = translate(run, sentence, silence)
    else:
        translation = target_as_translation(run, sentence, target)
    fed_ids = translation.fed_ids
    record = Record()
    with torch.inference_mode():
        probe = record if silence is None else Probes((silence, record))
        logits_BTV = run.model(one_row(translation.source_ids), one_row(fed_ids), probe)
    # An encoder may have no output projection.
    has_scores = run.model.config.has_output and not run.model.config.is_parallel
    logits_KV = mask_special_tokens(logits_BTV[0], run.model.config) if has_scores else None
    guessed = [] if logits_KV is None else logits_KV.argmax(dim=-1).tolist()
    if guessed and not fed_ids:
        translation = replace(translation, text=_filled_in(run, translation.source_ids, guessed))
    words = run.tokenizer.word_texts(translation.source_ids)
    alone = bool(fed_ids) and not translation.source_ids
    attention = {site: _attention(record, site) for site in run.model.sites()}
    unknown = _unknown(run, words)
    own = target is None and bool(fed_ids) and not alone
    return Inspection(
        translation=translation,
        source_tokens=run.tokenizer.describe(translation.source_ids),
        fed_tokens=run.target_tokenizer.describe(fed_ids),
        end_token=_end(run, fed_ids, guessed),
        predicted_tokens=run.target_tokenizer.describe(guessed),
        source_words=tuple(words),
        fed_words=tuple(run.target_tokenizer.word_texts(fed_ids)),
        unknown_words=unknown,
        attention=attention,
        seconds=time.perf_counter() - started,
        n_typed=translation.n_given + 1 if alone or translation.n_given else 0,
        written=_written(run, translation, logits_KV, _unseen(run, translation, unknown, attention))
        if own and logits_KV is not None
        else (),
    )


def _written(
    run: Run, translation: Translation, logits_KV: Tensor, unseen: Sequence[str]
) -> tuple[WrittenWord, ...]:
    """Return the words of a translation: the pass that records what heads do has their scores."""
    n_given, target_ids = translation.n_given, translation.target_ids[translation.n_given :]
    ids = torch.tensor(target_ids, dtype=torch.long, device=logits_KV.device)
    rows_TV = logits_KV[n_given : n_given + len(ids)]
    scores_T = rows_TV.gather(1, ids[:, None])[:, 0] - rows_TV.logsumexp(dim=-1)
    probabilities = scores_T.exp().tolist()
    # What was written is the most probable.
    top = rows_TV.topk(2)
    chances_T = (top.values[:, 1] - rows_TV.logsumexp(dim=-1)).exp()
    seconds = list(zip(top.indices[:, 1].tolist(), chances_T.tolist(), strict=True))
    return written_words(run.target_tokenizer, target_ids, probabilities, unseen, seconds)


def _unseen(
    run: Run,
    translation: Translation,
    unknown: frozenset[int],
    attention: Mapping[Site, SiteAttention],
) -> list[str]:
    """Return, for each word that is written, the source word looked at most if it is unknown.

    What counts is the mean of the last cross-attention's heads. In a model that copies, a word that
    training never saw is as good as any: nothing is returned.
    """
    crossing = [site for site in attention if site.attention is Kind.CROSS]
    if not unknown or not crossing or run.model.config.pointer:
        return []
    target_ids = translation.target_ids[translation.n_given :]
    mean_QS = attention[crossing[-1]].weights_HQK.mean(axis=0)
    mean_TS = mean_QS[translation.n_given :][: len(target_ids)]
    source = run.tokenizer.describe(translation.source_ids)
    target = run.target_tokenizer.describe(target_ids)
    if not target:
        return []
    words_tT = _membership([token.word for token in target])
    looked_ts = words_tT @ mean_TS @ _membership([token.word for token in source]).T
    texts = run.tokenizer.word_texts(translation.source_ids)
    # The last word is EOS.
    most_t = looked_ts[:, :-1].argmax(axis=1).tolist()
    return [texts[at] if at in unknown else "" for at in most_t]


def _end(run: Run, fed_ids: Sequence[int], guessed: Sequence[int]) -> Token | None:
    if not fed_ids:
        return None
    end_id = guessed[-1] if guessed else run.model.config.eos_ids[0]
    return run.target_tokenizer.describe([end_id])[0]


def _filled_in(run: Run, ids: Sequence[int], guessed: Sequence[int]) -> str:
    """Return the tags or the class of a text, or the text with the guesses for its mask tokens.

    Empty for a text without mask tokens.
    """
    if run.model.config.labels_text:
        return run.tokenizer.decode([guessed[at] for at in run.model.config.labelled(len(ids))])
    mask = run.tokenizer.mask_id
    if mask not in ids:
        return ""
    pairs = zip(ids, guessed, strict=True)
    return run.tokenizer.decode([guess if token == mask else token for token, guess in pairs])


def _unknown(run: Run, words: Sequence[str]) -> frozenset[int]:
    """Return the indices of words that training never saw, if its words are known."""
    if not run.known_words:
        return frozenset()
    # The last word is EOS.
    return frozenset(at for at, word in enumerate(words[:-1]) if word not in run.known_words)


def _attention(record: Record, site: Site) -> SiteAttention:
    weights_HQK = record.weights(site)[0].numpy()
    even_QK = even_weights(record.tensors[site, Step.VISIBLE][0].numpy())
    return SiteAttention(weights_HQK, np.broadcast_to(even_QK, weights_HQK.shape[1:]))


def even_weights(visible_QK: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the weights of a head that attends to all visible tokens equally; 0 if there are none.

    >>> even_weights(np.array([[True, False, False], [True, True, False]])).tolist()
    [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]
    """
    return visible_QK / np.maximum(visible_QK.sum(axis=-1, keepdims=True), 1)


def merge_weights(
    weights_HQK: NDArray[Weight], query_words: Sequence[int], key_words: Sequence[int]
) -> NDArray[Weight]:
    """Return weights_Hqk between words: rows averaged, columns summed, so that rows sum to 1.

    >>> weights = np.array([[[0.25, 0.25, 0.5], [0.5, 0.5, 0.0]]], np.float32)
    >>> merge_weights(weights, [0, 0], [0, 0, 1]).tolist()
    [[[0.75, 0.25]]]
    """
    rows_qQ, columns_kK = (
        _membership(words).astype(weights_HQK.dtype) for words in (query_words, key_words)
    )
    means_qQ = rows_qQ / rows_qQ.sum(axis=1, keepdims=True)
    merged_Hqk: NDArray[Weight] = means_qQ @ weights_HQK @ columns_kK.T
    # A mean of rows that sum to 1 may end a rounding error above it.
    return np.minimum(merged_Hqk, merged_Hqk.dtype.type(1))


def merge_tokens(tokens: Sequence[Token], texts: Sequence[str]) -> tuple[Token, ...]:
    """Return one token for each word; `texts` are the words'."""
    special = {token.word: token.special for token in tokens}
    return tuple(Token(text, special[word], word) for word, text in enumerate(texts))


def merged(inspection: Inspection) -> Inspection:
    """Return the inspection between words instead of subwords."""
    fed = [token.word for token in inspection.fed_tokens]
    attention = {}
    for site, old in inspection.attention.items():
        kind = site.attention
        queries, keys = (
            [token.word for token in inspection.tokens_of(side)] for side in kind.sides
        )
        attention[site] = SiteAttention(
            merge_weights(old.weights_HQK, queries, keys),
            merge_weights(old.even_QK, queries, keys),
        )
    # A word that what is written goes on with counts as typed.
    n_typed = fed[inspection.n_typed - 1] + 1 if inspection.n_typed else 0
    last_rows = [row for row, word in enumerate(fed) if fed[row + 1 : row + 2] != [word]]
    return replace(
        inspection,
        source_tokens=merge_tokens(inspection.source_tokens, inspection.source_words),
        fed_tokens=merge_tokens(inspection.fed_tokens, inspection.fed_words),
        # What follows a word is what its last token predicts.
        predicted_tokens=tuple(
            inspection.predicted_tokens[row] for row in last_rows if inspection.predicted_tokens
        ),
        attention=attention,
        n_typed=n_typed,
    )


def _membership(words: Sequence[int]) -> NDArray[np.bool_]:
    """Return a matrix of word × token with True where the token belongs to the word."""
    counted = np.asarray(words)
    return np.asarray(np.arange(counted.max() + 1)[:, None] == counted)
