"""What goes with what in an experiment: runs that differ in guidance, sentences of equal length.

V vocabulary, D model width; small t and w count tokens of a sentence, and whole words known.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from torch.nn.functional import normalize

from core.analysis.effects.interventions import BeforeAfter, before_after
from core.analysis.effects.silencing import every_head
from core.analysis.heads.comparison import most_alike
from core.decoding.sentence import fitting_source, translate
from core.evaluate.intervals import wilson
from core.heads import Head
from core.model import Silence
from core.runs.run import Run, RunSettings
from core.vocabulary import FIRST_ID

TRIED = 5
"""Sentences that are translated in search of one that is translated differently."""
_CANDIDATES = 64


def counterparts(settings: RunSettings, others: Mapping[str, RunSettings]) -> list[str]:
    """Return the runs of the same task and sizes that were guided where this one was not.

    Args:
        settings: Of a run, guided or free.
        others: Name → settings of all runs.

    Returns:
        Names; first those whose training differs in nothing but guidance.
    """
    fitting = [
        name
        for name, other in others.items()
        if (other.task, other.model) == (settings.task, settings.model)
        and bool(other.training.guide) != bool(settings.training.guide)
    ]
    return sorted(fitting, key=lambda name: _unguided(others[name]) != _unguided(settings))


def _unguided(settings: RunSettings) -> object:
    return replace(settings.training, guide="", guide_weight=0.0)


def guided_head(run: Run) -> Head | None:
    """Return the head that was told where to look; None where there was none."""
    try:
        head = Head.parse(run.settings.training.guide)
    except ValueError:
        return None
    return head if head in every_head(run.model) else None


def length(run: Run, sentence: str) -> int:
    """Return how many tokens the encoder reads, EOS counted.

    Raises:
        SentenceError: There is no text.
    """
    return len(fitting_source(run, sentence)[0])


def alike_in_length(run: Run, sentence: str, others: Sequence[str]) -> str:
    """Return, of other sentences with as many tokens, the most similar.

    Where there is none, it is the sentence itself with one word changed, as `one_word_changed`
    does it.

    Raises:
        SentenceError: There is no text.
    """
    n = length(run, sentence)
    fitting = [other for other in others if other != sentence and length(run, other) == n]
    return most_alike(sentence, fitting) if fitting else one_word_changed(run, sentence)


def one_word_changed(run: Run, sentence: str) -> str:
    """Return the sentence with one word replaced by another that the model knows.

    The word's embedding is as near to the other's as can be (by cosine), so that an animal makes
    room for an animal. Sentences that are translated differently come first; empty where no word
    of the sentence is known.

    Raises:
        SentenceError: There is no text.
    """
    found = list(islice(_one_word_changed(run, sentence), TRIED))
    if not found:
        return ""
    before = translate(run, sentence).target_ids
    differing = (each for each in found if translate(run, each).target_ids != before)
    return next(differing, found[0])


def _one_word_changed(run: Run, sentence: str) -> Iterator[str]:
    """Yield sentences of equal length that differ in one word, the most similar word first."""
    ids = fitting_source(run, sentence)[0]
    text = run.tokenizer.decode(ids)
    known = [
        token
        for token in range(FIRST_ID, run.tokenizer.vocab_size)
        if run.tokenizer.decode([token]).strip() in run.known_words
    ]
    # Of a word that comes again, the last place.
    places = {token: at for at, token in enumerate(ids) if token in set(known)}
    if not places:
        return
    embedding_VD = normalize(run.model.source_embedding.tokens.weight.detach(), dim=1)
    alike_tw = embedding_VD[list(places)] @ embedding_VD[known].T
    best = alike_tw.flatten().topk(min(_CANDIDATES, alike_tw.numel())).indices
    for index in best.tolist():
        at, token = list(places.values())[index // len(known)], known[index % len(known)]
        other = run.tokenizer.decode((*ids[:at], token, *ids[at + 1 :]))
        pairs = zip(text.split(), other.split(), strict=False)
        # A token without the space before it would join two words.
        one_word = len(text.split()) == len(other.split()) and sum(a != b for a, b in pairs) == 1
        if one_word and length(run, other) == len(ids):
            yield other


def silenced_outcome(run: Run, sentence: str, head: Head) -> BeforeAfter:
    """Translate a sentence with the model as it is, and with one head silenced.

    Raises:
        SentenceError: There is no text.
    """
    return before_after(run, sentence, Silence.of([head]))


def share_interval(share: float, n: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share of `n` that was measured."""
    return wilson(round(share * n), n)
