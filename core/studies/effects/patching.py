"""Which heads carry the difference between two sentences: activation patching.

The corrupt sentence runs through the model, but one head gets what it mixed in the clean one. Where
that brings the clean sentence's word back, the head carries what makes the difference.

Sources: Vig et al. (2020), "Causal Mediation Analysis for Interpreting Neural NLP"; the measure is
the logit difference of Zhang and Nanda (2024), "Towards Best Practices of Activation Patching in
Language Models".

B batch, Q queries, T target length, E width of one head.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import normalize

from ...batch import Ids, one_row
from ...decoding.generate import decode_steps
from ...decoding.sentence import Translation, model_input, translate
from ...evaluate.exposure import first_difference
from ...heads import Head, Kind, Site
from ...messages import MessageError
from ...model import Patch, Record, Step
from ...model.masks import padding_mask
from ...runs.run import Run
from ...tasks.symbols import is_of_letters
from ...tokenizer.tokenizer import Token
from ...tokenizer.words import written_words
from ...vocabulary import FIRST_ID
from ..heads.comparison import most_alike
from ..heads.findings import task_of
from ..heads.question import heads_of
from .ablation import outcome

Fed = tuple[Tensor | None, Tensor | None]
"""What a model is given: source_1S, None for a decoder alone, and target_1T."""


class PatchingError(MessageError, ValueError):
    """Two sentences that cannot be compared; the message says why."""


@dataclass(frozen=True, slots=True)
class Paired:
    """Two texts with what a model writes after each of them."""

    clean: Translation
    other: Translation
    written: tuple[Ids, Ids]
    """What it writes, its end included where it came to it."""

    @property
    def parting(self) -> int | None:
        """The first step of both at which other tokens are written; None where there is none."""
        n = min(map(len, self.written))
        return first_difference(*(ids[:n] for ids in self.written))

    def fed(self, step: int) -> tuple[Fed, Fed]:
        """Return what writes the token of a step after each text: up to there the clean one's."""
        clean, other = (
            (
                one_row(each.source_ids),
                one_row((*each.fed_ids[: each.n_given + 1], *self.written[0][:step])),
            )
            for each in (self.clean, self.other)
        )
        return clean, other


def paired(run: Run, clean: str, other: str, *, any_length: bool = False) -> Paired:
    """Let a model with a decoder write after two texts.

    Args:
        run: A loaded run.
        clean: The one text.
        other: The other.
        any_length: Whether they may differ in their number of tokens.

    Raises:
        SentenceError: There is no text.
        PatchingError: The texts differ in length, and may not.
    """
    n_clean, n_other = length(run, clean), length(run, other)
    if n_clean != n_other and not any_length:
        raise PatchingError(
            "the sentences have {n_first} and {n_second} tokens, special ones counted: "
            "patching puts each token's values in the place of another's, so both must have "
            "as many",
            n_first=n_clean,
            n_second=n_other,
        )
    ends = run.model.config.eos_ids[:1]
    found = translate(run, clean), translate(run, other)
    one, two = (
        (*each.target_ids[each.n_given :], *(ends if each.finished else ())) for each in found
    )
    return Paired(*found, (one, two))


@dataclass(frozen=True)
class Parting:
    """Two sentences after which other tokens are written, and which the model prefers where."""

    clean: Translation
    corrupt: Translation
    step: int
    """Of the targets: the first at which other tokens are written."""
    clean_token: Token
    corrupt_token: Token
    clean_difference: float
    """log p(clean token) − log p(corrupt token) at that step, for the clean sentence, in nats."""
    corrupt_difference: float
    """The same for the corrupt sentence."""


@dataclass(frozen=True)
class PatchingStudy(Parting):
    """How much of the difference between two sentences each head brings back.

    A share of 0 leaves the corrupt sentence as it is, 1 brings all of the clean one's preference
    back; it may lie beyond both.
    """

    heads: Mapping[Head, float]
    """The share that each head restores."""
    sites: Mapping[Site, float]
    """The share that all heads of a sublayer restore together."""

    def strongest(self, least: float, n: int) -> list[tuple[Head, float]]:
        """Return the heads that restore most, with their shares, the largest first."""
        ranked = sorted(self.heads.items(), key=lambda item: item[1], reverse=True)
        return [(head, share) for head, share in ranked if share >= least][:n]

    def table(self) -> dict[str, list[object]]:
        """Return a row for each head, and one for all heads of each sublayer."""
        rows = [*self.heads.items(), *self.sites.items()]
        return {
            "head": [str(patched) for patched, _share in rows],
            "restored": [share for _patched, share in rows],
            "step": [self.step] * len(rows),
            "difference_from": [self.clean_difference] * len(rows),
            "difference_into": [self.corrupt_difference] * len(rows),
        }


def layer_maps(
    heads: Mapping[Head, float], sites: Mapping[Site, float]
) -> dict[Kind, NDArray[np.float32]]:
    """Return a number of each head as the heads stand in the model.

    Returns:
        Kind of attention → an array of layers × heads; the last column is that of all heads of the
        layer together.
    """
    rows: dict[Kind, list[list[float]]] = {}
    for site, together in sites.items():
        alone = [number for head, number in heads.items() if head.site == site]
        rows.setdefault(site.attention, []).append([*alone, together])
    return {kind: np.array(numbers, np.float32) for kind, numbers in rows.items()}


def patching_study(run: Run, clean: str, corrupt: str) -> PatchingStudy:
    """Patch every head, and every sublayer's heads together, from one sentence into another.

    After both the model is fed the tokens that it writes after either; the measure is taken at the
    step where these part. A decoder alone goes on from both as prompts.

    Raises:
        SentenceError: There is no text.
        PatchingError: The sentences differ in length, or the same is written after both.
    """
    pair = Pair(run, paired(run, clean, corrupt), Step.MIXED)
    heads, sites = heads_of(run.model), run.model.sites()
    alone, together = dict[Head, float](), dict[Site, float]()
    for site in sites:
        mixed_HQE = pair.record.tensors[site, Step.MIXED][0]
        each = torch.arange(n := len(mixed_HQE))
        # In the copy after those of single heads all of them are replaced.
        copies, heads_and_all = torch.cat([each, torch.full_like(each, n)]), each.repeat(2)
        patch = EachCopy(site, Step.MIXED, copies, heads_and_all, mixed_HQE.repeat(2, 1, 1))
        *singly, together[site] = pair.restored(n + 1, patch)
        alone |= dict(zip(site.heads(run.model.config.n_heads), singly, strict=True))
    return PatchingStudy(
        **vars(pair.parting), heads={head: alone[head] for head in heads}, sites=together
    )


@torch.inference_mode()
def patched_translation(run: Run, clean: str, corrupt: str, head: Head) -> Translation:
    """Translate the corrupt sentence with the output that one head has in the clean one.

    In the decoder the head is patched up to the step at which other tokens are written.

    Raises:
        SentenceError: There is no text.
        PatchingError: The sentences differ in length.
    """
    both = paired(run, clean, corrupt)
    record = Record(frozenset({Step.MIXED}), frozenset({head.site}))
    run.model(*both.fed(both.parting or 0)[0], record)
    patch = Patch({head: record.tensors[head.site, Step.MIXED][:, head.index]})
    own = both.other
    return outcome(run, corrupt, own.target_ids[own.n_given :], patch).translation


@dataclass(frozen=True, eq=False)
class EachCopy:
    """A probe over copies of a sentence, in each of which other values are replaced."""

    site: Site
    step: Step
    copies_N: Tensor
    """In which copy each is replaced,"""
    places_N: Tensor
    """and of which of its heads or positions."""
    clean_N: Tensor
    """By what."""

    def sees(self, site: Site) -> bool:
        """The sublayer alone."""
        return site == self.site

    def at(self, _site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Replace the values, each in its own copy."""
        if step is not self.step:
            return tensor
        changed = tensor.clone()
        changed[self.copies_N, self.places_N] = self.clean_N
        return changed


class Pair:
    """Two sentences as they are fed, up to the step at which other tokens are written."""

    @torch.inference_mode()
    def __init__(self, run: Run, both: Paired, recorded: Step) -> None:
        """Run both; of the clean pass, this step is recorded at every site.

        Raises:
            PatchingError: The same is written after both.
        """
        step = both.parting
        if step is None:
            raise PatchingError(
                "the model writes the same after both sentences: there is no difference"
            )
        self._model, self._tokens = run.model, (both.written[0][step], both.written[1][step])
        self.clean, self.corrupt = both.fed(step)
        self.record = Record(frozenset({recorded}))
        clean_token, corrupt_token = run.target_tokenizer.describe(self._tokens)
        self.parting = Parting(
            clean=both.clean,
            corrupt=both.other,
            step=step,
            clean_token=clean_token,
            corrupt_token=corrupt_token,
            clean_difference=self._difference(run.model(*self.clean, self.record)[0, -1]),
            corrupt_difference=self._difference(run.model(*self.corrupt)[0, -1]),
        )
        source_1S, _target_1T = self.corrupt
        self._memory_1SD = None if source_1S is None else run.model.encode(source_1S)

    @torch.inference_mode()
    def restored(self, n: int, patch: EachCopy) -> list[float]:
        """Return the share that a patch restores in each of `n` copies of the corrupt sentence.

        In one pass over all of them: a large model reads its weights once.
        """
        start = self.parting.corrupt_difference
        gap = self.parting.clean_difference - start
        return [
            (self._difference(logits_V) - start) / gap for logits_V in self._logits_BV(n, patch)
        ]

    def _logits_BV(self, n: int, patch: EachCopy) -> Tensor:
        """Return the scores after the last position of `n` copies of the corrupt sentence."""
        source_BS, target_BT = (None if ids is None else ids.expand(n, -1) for ids in self.corrupt)
        if self._memory_1SD is None or source_BS is None or patch.site.in_encoder:
            return cast(Tensor, self._model(source_BS, target_BT, patch)[:, -1])
        assert target_BT is not None
        visible_B1S = padding_mask(source_BS, self._model.config.pad_id)
        memory_BSD = self._memory_1SD.expand(n, -1, -1)
        logits_BTV = self._model.decode(
            target_BT, memory_BSD, visible_B1S, patch, source_BS=source_BS
        )
        return logits_BTV[:, -1]

    def _difference(self, logits_V: Tensor) -> float:
        clean, corrupt = (logits_V[token] for token in self._tokens)
        # The normaliser of both logarithms is the same.
        return float(clean - corrupt)


# ---- a second sentence of equal length


TRIED = 5
"""Sentences that are translated in search of one that is translated differently."""
_CANDIDATES = 256


def length(run: Run, text: str) -> int:
    """Return how many tokens of a text a model is given, special ones counted."""
    given = model_input(run, text)
    return len(given.source_ids or given.prompt)


def second_sentence(run: Run, sentence: str, others: Sequence[str]) -> str:
    """Return a sentence of as many tokens that the model translates differently.

    Of these it is the first that differs in one word: the most similar of `others`, or the sentence
    with one word replaced, where that is a sentence of the task. If there is none, it is the most
    similar of `others`; empty where none has as many tokens.
    """
    n = length(run, sentence)
    fitting = [other for other in others if other != sentence and length(run, other) == n]
    alike = most_alike(sentence, fitting) if fitting else ""
    candidates = [alike] if _differs_in_a_word(sentence, alike) else []
    if (task := task_of(run)) is not None:
        changed = _one_word_changed(run, sentence)
        if not is_of_letters(task):
            changed = filter(task.reference, changed)
        candidates += islice(changed, TRIED)
    before = _predicted(run, sentence) if candidates else ()
    return next((each for each in candidates if _predicted(run, each) != before), alike)


def _predicted(run: Run, sentence: str) -> Ids:
    """Return the translation, or of a decoder alone the first token that it writes."""
    if "encoder" in run.model.config.stacks:
        return translate(run, sentence).target_ids
    prompt = model_input(run, sentence).prompt
    return (next(decode_steps(run.model, None, prompt)).chosen,)


def _one_word_changed(run: Run, sentence: str) -> Iterator[str]:
    """Yield sentences of equal length that differ in one word that the model knows.

    Those come first whose words have the most similar embeddings (by cosine): an animal makes room
    for an animal.
    """
    decode, ids = run.tokenizer.decode, model_input(run, sentence).source_ids
    text = decode(ids)
    known = [
        token
        for token in range(FIRST_ID, run.tokenizer.vocab_size)
        if decode([token]).strip() in run.known_words
    ]
    among = set(known)
    # Of a word that comes again, the last place.
    places = {token: at for at, token in enumerate(ids) if token in among}
    if not places:
        return
    embedding_VD = normalize(run.model.source_embedding.tokens.weight.detach(), dim=1)
    alike_tw = embedding_VD[list(places)] @ embedding_VD[known].T
    best = alike_tw.flatten().topk(min(_CANDIDATES, alike_tw.numel())).indices
    for index in best.tolist():
        at, token = list(places.values())[index // len(known)], known[index % len(known)]
        other = decode((*ids[:at], token, *ids[at + 1 :]))
        if _differs_in_a_word(text, other) and length(run, other) == len(ids):
            yield other


def _differs_in_a_word(text: str, other: str) -> bool:
    """Say whether two texts have one word that differs, in more than capitals or an ending.

    >>> [_differs_in_a_word("the cat", each) for each in ("the Cat", "the cats", "the dog")]
    [False, False, True]
    """
    words, others = (written_words(each.casefold()) for each in (text, other))
    # A token without the space before it would join two words.
    if len(words) != len(others):
        return False
    differing = [(a, b) for a, b in zip(words, others, strict=True) if a != b]
    return len(differing) == 1 and not _begins_with_other(*differing[0])


def _begins_with_other(one: str, two: str) -> bool:
    return one.startswith(two) or two.startswith(one)
