"""What a model is measured on, in words: held-out sentences, or the pairs that it was given."""

from pathlib import Path

from core.decoding.bounds import PASSES
from core.evaluate.evaluation import held_out_samples
from core.runs.files import PAIRS
from core.runs.metrics import Results, read_evaluation
from core.runs.run import Run, RunError, RunSettings
from core.tasks import NEED_PAIRS, SEVERAL_RIGHT, Mixed
from core.tasks.digits import Digits
from core.tasks.naming import Naming
from core.tasks.symbols import Copying, Defining, Either, Reversing
from core.tasks.translation import Classifying, Everyday, Tagging, Translation
from pages.frame import cached
from pages.frame.language import N_, _, n_, number, percent
from pages.frame.recipe import Recipe

_LETTERS, _GRAMMAR, _NAMES, _IMAGES = "letters", "grammar", "names", "images"
_KINDS = {
    **dict.fromkeys((Copying.name, Reversing.name, Either.name, Defining.name), _LETTERS),
    **dict.fromkeys((Translation.name, Everyday.name, Tagging.name, Classifying.name), _GRAMMAR),
    Naming.name: _NAMES,
    Digits.name: _IMAGES,
}
"""A task's name → what its held-out samples are; of others they are pairs."""
_SEED = 0
"""Which of them are counted makes no difference."""


TASK_LABELS = {
    "copy": N_("copies rows of letters"),
    "reverse": N_("writes rows of letters backwards"),
    "either": N_("copies rows of letters or writes them backwards"),
    "define": N_("writes what letters stand for"),
    "names": N_("translates words and copies names"),
    "tag": N_("tags the part of speech of each word"),
    "classify": N_("says whether the subject is singular or plural"),
    "digits": N_("reads a digit in an image of 16 patches"),
    "translate": N_("translates English to French"),
    "everyday": N_("translates everyday English to French"),
    PAIRS: N_("learned pairs from a file"),
}
"""Task → what a model that learned it does."""


def reads_images(task: str) -> bool:
    """Return whether a task reads images, in whose words the controls then speak."""
    return _KINDS.get(task) == _IMAGES


def of_model(path: Path) -> str:
    """Return what a run's model does, and how well, in a few words; empty where it is not known."""
    try:
        settings = cached.settings(path)
        evaluation = cached.read(read_evaluation, cached.Folder(path))
    except RunError:
        return ""
    does = TASK_LABELS.get(settings.task)
    if does is None:
        return ""
    if evaluation is None:
        return _(does)
    if own := evaluation.get("own_pairs"):
        return _("{does}, BLEU {bleu}").format(does=_(does), bleu=number(own["bleu"], 0))
    return _("{does}, {share} right").format(does=_(does), share=percent(evaluation["exact_match"]))


def of_results(settings: RunSettings, results: Results) -> str:
    """Return in words the held-out samples that a run's figures were counted among."""
    n = results.n or 0
    if settings.beside_own_pairs and results.while_training:
        return _half_own(n)
    return of_task(settings.task, n)


def of_task(task: str, n: int) -> str:
    """Return a number of held-out sentences of a task in words: what an evaluation counted."""
    words = {
        _LETTERS: n_("{n} held-out row of letters", "{n} held-out rows of letters", n),
        _GRAMMAR: n_(
            "{n} held-out sentence of the grammar", "{n} held-out sentences of the grammar", n
        ),
        _NAMES: n_("{n} held-out sentence with names", "{n} held-out sentences with names", n),
        _IMAGES: n_("{n} held-out image", "{n} held-out images", n),
    }
    pairs = n_("{n} held-out pair of its file", "{n} held-out pairs of its file", n)
    return words.get(_KINDS.get(task, ""), pairs)


def cut(n: int) -> list[str]:
    """Return the number of outputs that were cut at the length limit, as a sentence."""
    words = n_(
        "{n} output was cut at the length limit.", "{n} outputs were cut at the length limit.", n
    )
    return [words] if n else []


def counted(settings: RunSettings) -> list[str]:
    """Return how right sentences are counted where that is not as everywhere."""
    words = []
    if settings.model.is_parallel:
        text = _("Written in passes (mask-predict): {n}.")
        words.append(text.format(n=number(PASSES)))
    if settings.task in SEVERAL_RIGHT:
        words.append(_("A source has two right targets: either counts as right."))
    return words


def own_pairs(settings: RunSettings, n: int) -> str:
    """Return a number of held-out pairs in words that were learned beside a task's sentences."""
    if settings.task in NEED_PAIRS:
        return n_("{n} held-out everyday sentence", "{n} held-out everyday sentences", n)
    return n_("{n} held-out pair of its file", "{n} held-out pairs of its file", n)


def sentences(run: Run, n: int) -> str:
    """Return a number of held-out sentences in words; of an opened model the visitor's own."""
    if not run.settings.model.is_encoder_decoder and run.settings.has_lines:
        return n_("{n} line of your own", "{n} lines of your own", n)
    if not run.settings.model.is_encoder_decoder and run.settings.is_opened:
        # They read whatever they are given.
        return n_("{n} English sentence", "{n} English sentences", n)
    if run.settings.is_opened:
        return n_("{n} pair of your own", "{n} pairs of your own", n)
    if isinstance(cached.task(run.path), Mixed):
        return _half_own(n)
    return of_task(run.settings.task, n)


def _half_own(n: int) -> str:
    return n_(
        "{n} held-out sentence, half of them pairs of its file",
        "{n} held-out sentences, half of them pairs of its file",
        n,
    )


def drawn(run: Run, n: int, seed: int) -> str:
    """Return a number of sentences in words, with the seed where one drew them."""
    words = sentences(run, n)
    are_all = run.settings.is_opened and run.settings.task == PAIRS and most(run, n + 1) == n
    if run.settings.has_lines or are_all:
        return words
    return _("{sentences}, seed {seed}").format(sentences=words, seed=seed)


def most(run: Run, n: int) -> int:
    """Return on how many sentences a run can be measured where `n` are asked for."""
    if run.settings.task != PAIRS:
        return n
    try:
        return Recipe(_count, run.path, n).result()
    except RunError:
        # The measurement shows why it cannot be done.
        return n


def _count(run: Run, n: int) -> int:
    return len(held_out_samples(run, n, _SEED))


def n_sentences(n: int) -> str:
    """Return a number of sentences."""
    return n_("{n} sentence", "{n} sentences", n)


def pronouns(n: int) -> str:
    """Return a number of pronouns that may stand for either of two nouns."""
    return n_("{n} ambiguous pronoun", "{n} ambiguous pronouns", n)
