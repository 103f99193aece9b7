import shutil

import numpy as np
import pytest
import torch

from core.evaluate.evaluation import held_out_pairs
from core.evaluate.metrics import measure
from core.heads import Kind
from core.runs.own_text import give_text
from core.runs.run import load_run
from core.studies.lessons.mask_losses import losses_in_texts, losses_without, masks_of
from core.studies.lessons.masking import LOOK_AHEAD, MASKS, PADDING, Mask
from core.tasks import TASKS
from core.training.prepare import prepare_run
from core.training.settings import with_settings
from core.training.trainer import train_run
from tests.core.conftest import MINIATURE


@pytest.fixture(scope="module")
def measured(copy_run):
    return {each.without: each for each in losses_without(copy_run, 60)}


def test_every_mask_is_left_out_once_and_all_together(measured):
    assert list(measured) == [(), *((mask,) for mask in MASKS), MASKS]


def test_with_all_masks_it_is_the_models_own_loss(copy_run, measured):
    quality = measure(copy_run.model, held_out_pairs(copy_run, 60, 0), copy_run.tokenizer)
    assert measured[()].loss == pytest.approx(quality.loss, rel=1e-4)
    assert measured[()].token_accuracy == pytest.approx(quality.token_accuracy, abs=1e-3)


def test_behind_the_look_ahead_mask_the_targets_padding_is_out_of_sight(measured):
    without = measured[Mask(Kind.DECODER_SELF, PADDING),]
    assert without.loss == pytest.approx(measured[()].loss, rel=1e-6)


def test_the_masks_of_a_model_from_elsewhere_hide_its_own_padding(opened_path, tmp_path):
    # Marian fills up with its last token; what this project fills up with ends its texts.
    shutil.copytree(opened_path("marian"), tmp_path / "marian")
    pairs = "the animal\tla rue\nit was too tired\til dormait\nWhat is it?\tl'été dernier\n"
    give_text(tmp_path / "marian", pairs.encode(), "pairs")
    found = {each.without: each for each in losses_without(load_run(tmp_path / "marian"), 60)}
    # Behind the look-ahead mask the targets' padding is out of sight.
    without = found[Mask(Kind.DECODER_SELF, PADDING),]
    assert without.loss == pytest.approx(found[()].loss, rel=1e-5)


def test_without_look_ahead_the_loss_is_that_of_a_pass_that_sees_every_word(copy_run, measured):
    """One sentence at a time there is no padding: only the look-ahead mask is left to take away."""
    total, n_tokens = 0.0, 0
    for pair in held_out_pairs(copy_run, 60, 0):
        source, target = torch.tensor([pair.source]), torch.tensor([pair.target])
        total += unmasked_loss(copy_run.model, source, target)
        n_tokens += target.shape[1] - 1
    found = measured[Mask(Kind.DECODER_SELF, LOOK_AHEAD),]
    assert found.loss == pytest.approx(total / n_tokens, rel=1e-3)


def unmasked_loss(model, source_1S, target_1T):
    """The decoder layer by layer, with self-attention as the encoder has it."""
    with torch.inference_mode():
        memory = model.encode(source_1S)
        x = model.target_embedding(target_1T[:, :-1])
        for layer in model.decoder:
            around_self, around_cross, around_feed_forward = layer.residuals
            attention, cross = layer.self_attention, layer.cross_attention
            x = around_self(x, lambda y, a=attention: a(y, a.keys_values(y), None, None))
            x = around_cross(x, lambda y, a=cross: a(y, a.keys_values(memory), None, None))
            x = around_feed_forward(x, layer.feed_forward)
        logits = model.output(model.decoder_norm(x))[0].double().numpy()
    labels = target_1T[0, 1:].numpy()
    peaks = logits.max(axis=-1)
    normaliser = peaks + np.log(np.exp(logits - peaks[:, None]).sum(axis=-1))
    return float((normaliser - logits[np.arange(len(labels)), labels]).sum())


TEXTS = ("The animal did not cross the street.", "it was", "The capital of France is Paris.")


def unmasked_alone(model, ids_1T):
    """The loss of a decoder alone in which every token sees all: layer by layer, without masks."""
    with torch.inference_mode():
        x = model.target_embedding(ids_1T)
        for layer in model.decoder:
            around_self, around_feed_forward = layer.residuals
            x = around_self(x, lambda y, a=layer.self_attention: a(y, a.keys_values(y), None, None))
            x = around_feed_forward(x, layer.feed_forward)
        return model.logits(x)[0].double().log_softmax(dim=-1)


def test_losses_of_texts_are_those_of_plain_passes_over_each(opened_path):
    run = load_run(opened_path("gpt2"))
    found = {each.without: each for each in losses_in_texts(run, TEXTS)}
    look_ahead = Mask(Kind.DECODER_SELF, LOOK_AHEAD)
    assert masks_of(run.model.config) == (look_ahead,)
    assert list(found) == [(), (look_ahead,)]
    losses, right = [], []
    for text in TEXTS:
        ids = torch.tensor([run.tokenizer.encode(text).ids])
        with torch.no_grad():
            shares = run.model(None, ids[:, :-1])[0].double().log_softmax(dim=-1)
        losses += (-shares[range(ids.shape[1] - 1), ids[0, 1:]]).tolist()
        right += (shares.argmax(dim=-1) == ids[0, 1:]).tolist()
    assert found[()].loss == pytest.approx(np.mean(losses), abs=1e-5)
    assert found[()].token_accuracy == pytest.approx(np.mean(right))
    # One text at a time, every token sees all others of its text.
    [text] = TEXTS[:1]
    [_, seen] = losses_in_texts(run, [text])
    ids = torch.tensor([run.tokenizer.encode(text).ids])
    shares = unmasked_alone(run.model, ids[:, :-1])
    expected = -shares[range(ids.shape[1] - 1), ids[0, 1:]].mean()
    assert seen.loss == pytest.approx(float(expected), abs=1e-5)


def test_of_texts_of_one_token_nothing_comes_next(opened_path):
    run = load_run(opened_path("gpt2"))
    [token] = run.tokenizer.encode("a").ids
    assert losses_in_texts(run, ["a", "a"]) == ()


@pytest.mark.parametrize("like", ["gpt2", "bert"])
def test_a_model_of_one_stack_is_measured_on_what_it_learned(like, tmp_path, few_samples):
    preset = with_settings(MINIATURE, {"like": like, "steps": 2})
    prepare_run(tmp_path / "run", TASKS["copy"], "miniature", preset, "python -m core train …")
    for _ in train_run(tmp_path / "run"):
        pass
    run = load_run(tmp_path / "run")
    found = {each.without: each for each in losses_without(run, 30)}
    quality = measure(run.model, held_out_pairs(run, 30, 0), run.tokenizer)
    assert found[()].loss == pytest.approx(quality.loss, rel=1e-4)
    assert found[()].token_accuracy == pytest.approx(quality.token_accuracy, abs=1e-3)
    masks = masks_of(run.model.config)
    kind = Kind.DECODER_SELF if like == "gpt2" else Kind.ENCODER_SELF
    assert {mask.attention for mask in masks} == {kind}
    assert len(masks) == (2 if like == "gpt2" else 1)
    others = [found[mask,].loss for mask in masks if mask.name == LOOK_AHEAD]
    assert all(loss != pytest.approx(quality.loss, rel=1e-6) for loss in others)
