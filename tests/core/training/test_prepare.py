from dataclasses import replace

import pytest

from core.batch import encode_samples
from core.config import ConfigError, ModelConfig
from core.decoding.step import length_limit
from core.labels import SEPARATOR
from core.model import build
from core.runs.checkpoint import newest_checkpoint
from core.runs.run import RunError, read_settings, read_tokenizer
from core.tasks import TASKS, Mixed
from core.tasks.corpus import Corpus, LargeCorpus, read_corpus
from core.tasks.length_filter import fitting
from core.tasks.task import Sample
from core.tokenizer.byte_level import ByteLevelTokenizer
from core.training import prepare as preparing
from core.training.forecast import corpus_report
from core.training.prepare import extend_run, prepare_run, train_tokenizer
from core.training.presets import with_settings
from tests.core.conftest import MINIATURE
from tests.core.training.test_trainer import finish


@pytest.fixture(autouse=True)
def quickly(few_samples):
    """Draw few samples for tokenizers."""


def test_a_tokenizer_learns_from_all_pairs_that_are_at_hand(tmp_path, monkeypatch):
    monkeypatch.setattr(preparing, "TOKENIZER_SAMPLES", 5)
    learned = []
    monkeypatch.setattr(
        ByteLevelTokenizer, "train", lambda texts, *_how, **_more: learned.extend(texts)
    )
    lines = [f"cat {n}\tchat {n}" for n in range(60)]
    (tmp_path / "pairs.tsv").write_text("\n".join(lines))
    for corpus in (read_corpus([tmp_path / "pairs.tsv"]), LargeCorpus([tmp_path / "pairs.tsv"])):
        learned.clear()
        preparing.train_tokenizer(corpus, 290, seed=0)
        assert set(learned[::2]) == {f"cat {n}" for n in range(60)} - {
            each.source for part in ("valid", "test") for each in corpus.part(part)
        }


@pytest.mark.parametrize("apostrophe", ["'", "’"])
def test_a_model_writes_the_apostrophe_that_targets_have(apostrophe):
    pairs = [Sample(f"the cat's {n}", f"l{apostrophe}été {n} d’un") for n in range(20)]
    pairs += [Sample(f"a {n}", f"qu{apostrophe}il {n}") for n in range(20)]
    tokenizer = preparing.train_tokenizer(Corpus("mine", pairs), 290, seed=0)
    for typed in ("l'été", "l’été"):
        assert tokenizer.decode(tokenizer.encode(typed).ids) == f"l{apostrophe}été"


def names_preset(**changes):
    return replace(MINIATURE, model=replace(MINIATURE.model, **changes))


def test_the_names_task_brings_its_own_words(tmp_path):
    n_names = TASKS["names"].vocabulary.n_names
    preset = names_preset(vocab_size=400, shared_names=n_names, pointer=True)
    prepare_run(tmp_path / "run", TASKS["names"], "miniature", preset, "python -m core …")
    settings = read_settings(tmp_path / "run")
    tokenizer = read_tokenizer(tmp_path / "run", settings.model)
    assert tokenizer.vocabulary == TASKS["names"].vocabulary
    assert settings.model.vocab_size == tokenizer.vocab_size
    assert settings.model.pointer


def _repeated(n):
    """Pairs whose targets are their sources, `n` times over."""
    letters = "abcd"
    return [
        Sample(source, " ".join([source] * n))
        for source in (f"{a} {b} {c}" for a in letters for b in letters for c in letters)
    ]


@pytest.mark.parametrize(
    ("like", "changes", "n"),
    [("", {}, 1), ("", {}, 10), ("gpt2", {}, 4), ("", {"decoder": "parallel"}, 10)],
)
def test_every_target_that_was_learned_can_be_written_to_its_end(tmp_path, like, changes, n):
    preset = with_settings(MINIATURE, {"like": like})
    preset = replace(preset, model=replace(preset.model, **changes))
    prepare_run(tmp_path / "run", Corpus("mine", _repeated(n)), "miniature", preset, "python …")
    config = read_settings(tmp_path / "run").model
    tokenizer = read_tokenizer(tmp_path / "run", config)
    model = build(config, seed=0)
    for pair in encode_samples(tokenizer, _repeated(n)[::7]):
        n_target = len(pair.target) - 1
        if config.is_parallel:
            assert config.n_places(len(pair.source)) >= n_target
        elif not config.is_encoder_decoder:
            n_prompt = len(pair.source) + len(tokenizer.encode(SEPARATOR).ids)
            assert length_limit(model, 0, n_prompt) >= n_target
        else:
            assert length_limit(model, len(pair.source)) >= n_target


PAIRS = Corpus("mine", [Sample(f"cat {n}", f"chat {n}") for n in range(90)])
MIXED = Mixed(TASKS["names"], PAIRS)
ALIGNED = {"guide": "decoder.0.cross:0", "guide_to": "alignment"}
GUIDE = {"guide": "encoder.0.self:0"}


@pytest.mark.parametrize(
    ("task", "settings", "message"),
    [
        ("copy", GUIDE, "no pronouns"),
        ("translate", {"guide": "decoder.0.self:0"}, "never sees the source"),
        ("translate", {"guide": "encoder.9.self:0"}, "no head of this model"),
        ("translate", {"guide": "bla"}, "not a head such as"),
        ("copy", ALIGNED | GUIDE, "does not look from the target to"),
        (PAIRS, ALIGNED, "no alignment"),
        ("copy", {"batch_tokens": 64}, "batch_tokens is 64, but the task 'copy' makes"),
        ("copy", {"objective": "minimum_risk"}, "a run to start from is needed"),
        ("copy", {"like": "gpt2", "scheduled_sampling": 0.1}, "for an encoder and a decoder"),
        ("copy", {"like": "bert", "objective": "reinforce"}, "objective is 'reinforce', which is"),
        ("names", {"shared_names": 7}, "shared_names is 7: of the task 'names' "),
        ("names", {"n_encoder_layers": 0}, "it is learned without pairs beside it"),
        (MIXED, {}, "without pairs beside it"),
    ],
)
def test_a_training_that_cannot_be_is_refused_before_anything_is_written(
    tmp_path, task, settings, message
):
    preset, found = with_settings(MINIATURE, settings), TASKS.get(task, task)
    with pytest.raises(ConfigError, match=message):
        prepare_run(tmp_path / "run", found, "miniature", preset, "python -m core …")
    assert not (tmp_path / "run").exists()


def test_a_run_without_its_optimizer_is_not_extended(prepare, tmp_path):
    path = prepare(tmp_path / "run", steps=3)
    finish(path)
    newest_checkpoint(path).with_suffix(".state.safetensors").unlink()
    with pytest.raises(RunError, match="its optimizer was not kept, so it cannot go on"):
        extend_run(path, 5)
    assert read_settings(path).training.steps == 3


SAMPLES = tuple(
    Sample(f"the {animal} saw {n} {things}", f"{n} {things}, the {animal} saw them")
    for animal in ("cat", "dog", "horse")
    for n in range(20)
    for things in ("birds", "trees and flowers")
)


def room_for(n):
    return ModelConfig(vocab_size=290, max_positions=n)


@pytest.mark.parametrize("max_positions", [100, 10])
def test_the_counts_are_those_that_a_training_finds(few_samples, max_positions):
    samples = [*SAMPLES, *SAMPLES[:7], *(Sample(each.source, "other") for each in SAMPLES[:5])]
    corpus = Corpus("mine", samples)
    tokenizer = train_tokenizer(corpus, 290, 0)
    report = corpus_report(corpus, tokenizer, room_for(max_positions))
    kept = fitting(corpus, tokenizer, max_positions)
    assert (report.n_pairs, report.n_sources) == (125, 120)
    parts = [len(kept.part(part)) for part in ("train", "valid", "test")]
    assert [report.n_train, report.n_valid, report.n_test] == parts
    assert report.n_too_long == 125 - len(kept.samples)
    assert (report.n_too_long > 0) == (max_positions < 100)
