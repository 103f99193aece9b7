"""An encoder alone that predicts tags, or a class: what it learns, and what is said of it."""

import random
from dataclasses import replace

import pytest
import torch

from core.batch import collate, encode_samples
from core.config import ConfigError
from core.decoding.targets import generate_targets
from core.evaluate.evaluation import held_out_pairs
from core.inspection import inspect_sentence
from core.labels import as_learned
from core.model import Silence
from core.runs.run import load_run
from core.studies.forward_pass import forward_pass
from core.tasks import PREDICTS, TASKS, Sample
from core.training.prepare import prepare_run
from core.training.presets import PRESETS, with_settings
from core.training.trainer import train_run
from core.vocabulary import PAD
from tests.core.conftest import MINIATURE

SENTENCE = "Do the dogs cross the street?"


@pytest.fixture(scope="module")
def run(labelling_folder):
    return load_run(labelling_folder)


def test_each_word_is_labelled_where_it_stands_and_a_sentence_where_eos_stands(run):
    task = TASKS[run.settings.task]
    pairs = encode_samples(run.tokenizer, task.held_out_samples(20))
    learned = as_learned(pairs, run.model.config, run.tokenizer, random.Random(0))
    for pair, one in zip(pairs, learned, strict=True):
        assert (one.source, one.target) == (pair.source, ())
        n = len(pair.source) - 1
        labels = pair.target[1:-1]
        tags = run.model.config.predicts == "tags"
        assert one.labels == ((*labels, PAD) if tags else (*[PAD] * n, *labels))


def test_what_is_predicted_is_the_same_in_a_pass_in_an_inspection_and_beside_others(run):
    inspection = inspect_sentence(run, SENTENCE)
    said = inspection.translation.text
    fills = forward_pass(run, inspection).fills
    best = [ids[0][0] for ids in fills.values()]
    assert run.tokenizer.decode(best) == said
    n = len(inspection.source_tokens) - 1
    assert [*fills] == ([*range(n)] if run.model.config.predicts == "tags" else [n])
    [pair] = encode_samples(run.tokenizer, [Sample(SENTENCE, "")])
    assert generate_targets(run.model, [pair], run.tokenizer)[0][:-1] == tuple(best)


def test_a_sentence_is_known_however_it_is_written(run):
    text = inspect_sentence(
        run, "When the kings didn’t arrive, the QUEEN slept!"
    ).translation.source
    assert text == "when the kings didn't arrive the queen slept"
    assert TASKS[run.settings.task].makes(text)


def test_it_is_measured_by_right_labels_and_not_by_bleu(run):
    assert 0 <= run.evaluation["exact_match"] <= run.evaluation["token_accuracy"] <= 1
    assert not {"bleu", "chrf"} & set(run.evaluation)


def test_a_model_that_predicts_labels_learns_no_other_task(tmp_path):
    preset = with_settings(MINIATURE, {"predicts": "tags"})
    with pytest.raises(ConfigError, match="predicts is tags; of a model that learns .* tokens"):
        prepare_run(tmp_path / "run", TASKS["copy"], "miniature", preset, "")
    with pytest.raises(ConfigError, match="for an encoder alone"):
        replace(preset.model, n_decoder_layers=1)


def right(run, *, silent=False):
    """Return the share of held-out sentences whose labels are all right."""
    model, pairs = run.model, held_out_pairs(run, 500, 1)
    batch = collate(as_learned(pairs, model.config, run.tokenizer, random.Random(0)))
    heads = [head for site in model.sites() for head in site.heads(model.config.n_heads)]
    with torch.inference_mode():
        logits_BSV = model(*batch.inputs, Silence.of(heads if silent else ()))
    right_BS = (logits_BSV.argmax(dim=-1) == batch.labels_BT) | ~batch.predicted_BT
    return right_BS.all(dim=-1).float().mean().item()


def learned(path, task, **settings):
    preset = with_settings(PRESETS["tiny"], {"predicts": PREDICTS[task], "steps": 400, **settings})
    prepare_run(path, TASKS[task], "tiny", preset, "python -m core train …")
    for _ in train_run(path):
        pass
    return load_run(path)


@pytest.mark.slow
def test_tags_are_learned_and_without_attention_verbs_in_their_base_form_are_guessed(tmp_path):
    run = learned(tmp_path / "run", "tag")
    assert right(run) > 0.97
    assert 0.7 < right(run, silent=True) < 0.93


@pytest.mark.slow
def test_a_class_is_learned_and_without_order_or_attention_it_is_a_coin(tmp_path):
    run = learned(tmp_path / "run", "classify")
    assert right(run) > 0.95
    # Four standard deviations of 500 fair coins are 0.09.
    assert abs(right(run, silent=True) - 0.5) < 0.09
    unordered = learned(tmp_path / "unordered", "classify", positions="none")
    assert abs(right(unordered) - 0.5) < 0.09
