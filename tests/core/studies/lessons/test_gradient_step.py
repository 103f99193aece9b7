from functools import partial

import numpy as np
import pytest
import torch

from core.batch import collate, encode_samples
from core.decoding.sentence import target_as_translation
from core.evaluate.loss import token_loss
from core.labels import as_learned
from core.runs.run import load_run
from core.studies.lessons.gradient_step import gradient_step
from core.tasks.task import Sample
from tests.core.conftest import GALLERY

SENTENCE = "The cat slept."
TARGET = "Le chat a dormi."
RATES = (0.001, 0.05)


@pytest.fixture(scope="module", params=["translate", "gpt2"])
def load(request, one_stack_folder):
    """A function that loads an encoder with a decoder that still learns, or a decoder alone."""
    if request.param == "translate":
        return partial(load_run, GALLERY / "translate-guided", 100)
    return partial(load_run, one_stack_folder(request.param))


@pytest.fixture(scope="module")
def found(load):
    return gradient_step(load(), SENTENCE, TARGET, RATES)


def loss_of(run):
    """The loss of the true tokens, as training computes it, after whatever was fed before them."""
    translation = target_as_translation(run, SENTENCE, TARGET)
    source = torch.tensor([translation.source_ids]) if translation.source_ids else None
    logits_1TV = run.model(source, torch.tensor([translation.fed_ids]))
    labels_1T = torch.tensor([translation.written_ids])
    return token_loss(logits_1TV[:, translation.n_given :], labels_1T)


def test_the_gradients_are_those_of_the_loss_that_training_computes(load, found):
    run = load()
    loss = loss_of(run)
    assert found.loss == pytest.approx(loss.item(), rel=1e-5)
    loss.backward()
    named = {name: each.grad for name, each in run.model.named_parameters()}
    norms = {str(block.site or "output"): block.gradient_norm for block in found.blocks}

    def norm(*names):
        own = [each for name, each in named.items() if name.startswith(names) and each is not None]
        return float(torch.cat([each.flatten() for each in own]).norm())

    layer = ("decoder.0.self_attention.", "decoder.0.residuals.0.")
    assert norms["decoder.0.self"] == pytest.approx(norm(*layer), rel=1e-3)
    last = found.blocks[-1] if found.blocks[-1].site else found.blocks[-2]
    assert last.site.sublayer == "feed_forward"
    # Every parameter belongs to one block, and to one alone.
    assert np.linalg.norm([*norms.values()]) == pytest.approx(norm(""), rel=1e-4)


@pytest.mark.parametrize("at", range(len(RATES)))
def test_the_loss_after_it_is_that_of_a_model_that_an_optimizer_has_updated(load, found, at):
    run = load()
    optimizer = torch.optim.SGD(run.model.parameters(), lr=RATES[at])
    loss_of(run).backward()
    optimizer.step()
    assert found.updated_losses[at] == pytest.approx(loss_of(run).item(), rel=1e-4)


def test_it_lowers_the_loss_and_leaves_the_run_as_it_was(load):
    run = load()
    before = {name: each.clone() for name, each in run.model.state_dict().items()}
    found = gradient_step(run, SENTENCE, TARGET, RATES)
    assert found.updated_losses[0] < found.loss
    assert all(torch.equal(each, before[name]) for name, each in run.model.state_dict().items())
    assert all(each.grad is None for each in run.model.parameters())


def test_it_is_fed_what_training_feeds():
    run = load_run(GALLERY / "copy")
    pairs = encode_samples(run.tokenizer, [Sample("a b c", "a b c")])
    batch = collate(as_learned(pairs, run.model.config, run.tokenizer, None))
    with torch.no_grad():
        loss = token_loss(run.model(*batch.inputs), batch.labels_BT)
    assert gradient_step(run, "a b c", "a b c", (0.1,)).loss == pytest.approx(loss.item(), rel=1e-3)


def test_its_table_has_the_probability_of_each_true_token_before_and_after(found):
    table = found.table()
    assert len({len(column) for column in table.values()}) == 1
    n = len(found.tokens)
    assert table["true_token"][:n] == list(found.tokens)
    assert table["probability"][:n] == pytest.approx(np.exp(found.log_probabilities_T))
    after = [value for value in table["probability_after"] if value is not None]
    assert after == pytest.approx(np.exp(found.updated_RT).ravel())
