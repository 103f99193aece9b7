"""How a sentence differs from those that a model learned from, in words."""

from core.inspection import Inspection
from core.runs.run import Run
from core.tasks.familiarity import (
    N_DRAWN,
    Familiarity,
    familiarity,
    longest_learned,
    nearest_words,
)
from core.tokenizer.words import has_unspaced, written_words
from pages.frame import cached
from pages.frame.language import _, n_, number, plain
from pages.frame.listed import listed

MOST_RESPELLED = 3
"""For so many unknown words those are named that are spelled like them."""


def _too_long(run: Run, sentence: str) -> list[str]:
    """Return that a sentence has more words than those that the model learned from."""
    n_words, longest = len(written_words(sentence)), cached.of_run(_longest, run.path)
    if longest is None or n_words <= longest:
        return []
    if has_unspaced(sentence):
        longer = n_(
            "It has {n} character, the longest of {drawn} training sentences {longest}.",
            "It has {n} characters, the longest of {drawn} training sentences {longest}.",
            n_words,
        )
    else:
        longer = n_(
            "It has {n} word between spaces, the longest of {drawn} training sentences {longest}.",
            "It has {n} words between spaces, the longest of {drawn} training sentences {longest}.",
            n_words,
        )
    return [longer.format(n=number(n_words), drawn=number(N_DRAWN), longest=number(longest))]


def _longest(run: Run) -> int | None:
    task = cached.task(run.path)
    # Texts of other kinds of models are no sources alone.
    if task is None or not run.settings.model.is_encoder_decoder:
        return None
    return longest_learned(task)


def unfamiliar(run: Run, inspection: Inspection) -> list[str]:
    """Return how a sentence differs from those that the model learned from."""
    found = cached.of_run(_familiarity, run.path, inspection.translation.source)
    words = sorted(inspection.unknown_words)[:MOST_RESPELLED]
    nearest = {
        word: cached.of_run(_nearest, run.path, word)
        for word in dict.fromkeys(inspection.source_words[at] for at in words)
    }
    said = [
        _("Known words that are spelled like “{word}”: {words}.").format(
            word=plain(word), words=listed(map(plain, known))
        )
        for word, known in nearest.items()
        if known
    ]
    if found is not None and not found.made:
        none = _("Training used {form}; this is none, so what was measured does not hold for it.")
        said.append(none.format(form=_(found.form)))
    return said + _too_long(run, inspection.translation.source)


def _familiarity(run: Run, sentence: str) -> Familiarity | None:
    return familiarity(cached.task(run.path), sentence)


def _nearest(run: Run, word: str) -> list[str]:
    return nearest_words(word, run.known_words)
