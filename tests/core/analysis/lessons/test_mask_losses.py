import shutil

import numpy as np
import pytest
import torch

from core.analysis.lessons.mask_losses import losses_without
from core.analysis.lessons.masking import LOOK_AHEAD, MASKS, PADDING, Mask
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.metrics import measure
from core.heads import Kind
from core.runs.own_text import give_text
from core.runs.run import load_run


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
