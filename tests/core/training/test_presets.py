import itertools
import shlex
from pathlib import Path

import pytest

from core.model import count_parameters
from core.tasks import Sample
from core.tasks.corpus import Corpus
from core.tokenizer.words import has_unspaced
from core.training.forecast import POINTS, learning_rates
from core.training.loop import learning_rate
from core.training.prepare import train_tokenizer
from core.training.presets import (
    PRESETS,
    parse_setting,
    train_command,
    vocabulary_for,
    with_settings,
)


def test_base_is_the_papers_model_with_the_vocabulary_usually_quoted():
    preset = PRESETS["base"]
    # 63.1 million with 37,000 pieces.
    assert round(count_parameters(preset.sized(preset.vocab_size)) / 1e5) == 631
    assert (preset.training.steps, preset.training.warmup) == (100_000, 4000)
    assert preset.training.label_smoothing == 0.1


TINY = PRESETS["tiny"]


@pytest.mark.parametrize(("settings", "cooldown"), [({}, 300), ({"cooldown": 7}, 7)])
def test_fewer_steps_keep_the_share_of_the_cooldown(settings, cooldown):
    training = with_settings(TINY, {"steps": 425, **settings}).training
    assert (training.steps, training.cooldown) == (425, cooldown)


def test_the_command_says_all_that_was_changed():
    settings = {"steps": 9, "n_heads": 2, "tied": False, "dropout": 0.25, "guide": "x"}
    words = shlex.split(train_command(Path("runs/a b"), {"task": ["copy"]}, "tiny", settings))
    beginning = ["python", "-m", "core", "train", "runs/a b", "--task", "copy", "--preset", "tiny"]
    assert words[:9] == beginning
    rest = words[9:]
    assert rest[:2] == ["--steps", "9"]
    assert rest[-2:] == ["--guide", "x"]
    named = dict(parse_setting(text) for text in rest[3:-2:2])
    assert named == {"n_heads": 2, "tied": False, "dropout": 0.25}


WHO = {"the teacher": ("老师", "معلم"), "the pupil": ("学生", "دانش\u200cآموز")}
SAW = {"sees": ("看见了", "می\u200cبیند"), "brings": ("带来了", "می\u200cآورد")}
WHAT = {
    "cats": ("猫", "گربه\u200cها"),
    "books": ("书", "کتاب\u200cها"),
    "birds": ("鸟", "پرنده\u200cها"),
}


def pairs(language):
    """Return pairs of English and Chinese, or Persian with its zero-width non-joiners."""
    at = ("chinese", "persian").index(language)
    for who, saw, what in itertools.product(WHO, SAW, WHAT):
        parts = WHO[who][at], SAW[saw][at], WHAT[what][at]
        said = "".join(parts) + "。" if at == 0 else f"{parts[0]} {parts[2]} را {parts[1]}."
        yield f"{who} {saw} {what}.", said


@pytest.mark.parametrize("language", ["chinese", "persian"])
def test_characters_are_tokens_of_the_vocabulary_and_joined_words_are_whole(few_samples, language):
    corpus = Corpus(language, [Sample(*pair) for pair in pairs(language)])
    size = vocabulary_for(len(corpus.samples), corpus.samples)
    tokenizer = train_tokenizer(corpus, size, 0)
    for sample in corpus.samples[:50]:
        ids = tokenizer.encode(sample.target).ids
        unspaced = has_unspaced(sample.target)
        words = list(sample.target[:-1]) if unspaced else sample.target[:-1].split()
        assert tokenizer.word_texts(ids) == [*words, sample.target[-1]]
        assert not unspaced or len(ids) == len(sample.target)


def test_learning_rates_go_from_the_first_step_to_the_last_and_name_the_peak():
    found = learning_rates(TINY.model, TINY.training)
    assert (min(found), max(found)) == (1, TINY.training.steps)
    assert max(found, key=found.get) == TINY.training.warmup
    assert len(found) <= POINTS + 1
    assert found[1] == learning_rate(1, TINY.model.d_model, TINY.training)
