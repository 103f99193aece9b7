"""What models of one stack learn from pairs, and what they then write."""

import random
from dataclasses import replace

import pytest
import torch

from core.batch import collate, encode_samples, pad
from core.decoding.bounds import PASSES
from core.decoding.generate import decode_steps, generate
from core.decoding.sentence import model_input, reference_ids, translate
from core.decoding.targets import generate_targets
from core.evaluate.evaluation import evaluate
from core.inspection import inspect_sentence
from core.labels import as_learned, held_out_as_learned, longest_side, prompt_of, text_of
from core.model import build
from core.runs.run import load_run
from core.studies.opening.examples import known_continuation
from core.tasks import TASKS
from core.training.prepare import prepare_run, train_tokenizer
from core.training.presets import with_settings
from core.training.trainer import train_run
from core.vocabulary import BOS, EOS, PAD
from tests.core.conftest import MINIATURE, draw_few

SAMPLES = TASKS["copy"].held_out_samples(20)


@pytest.fixture(
    scope="module", params=["bert", "gpt2", pytest.param("llama", marks=pytest.mark.slow)]
)
def like(request):
    return request.param


@pytest.fixture(scope="module")
def small(like):
    """A model of one stack with a tokenizer of its own."""
    with pytest.MonkeyPatch.context() as patch:
        draw_few(patch)
        preset = with_settings(MINIATURE, {"like": like, "dropout": 0.0})
        tokenizer = train_tokenizer(TASKS["copy"], 290, 0, preset.model)
        return build(preset.sized(tokenizer.vocab_size), 1).eval(), tokenizer


@pytest.fixture(scope="module")
def folder(like, one_stack_folder):
    """A finished run of one stack; nobody may change it."""
    return one_stack_folder(like)


@pytest.mark.parametrize("n_tokens", [34, 35])
def test_a_source_and_its_target_have_room_for_each_other(small, n_tokens):
    model, tokenizer = small
    config = replace(model.config, max_positions=n_tokens)
    side = longest_side(config, tokenizer)
    sources = [sample for sample in TASKS["copy"].held_out_samples(300)]
    pairs = encode_samples(tokenizer, sources)
    fit = [pair for pair in pairs if len(pair.source) <= side and len(pair.target) - 1 <= side]
    longest = max(fit, key=lambda pair: len(pair.source))
    assert len(longest.source) == side
    [learned] = held_out_as_learned([longest], config, tokenizer)
    fed = learned.source or learned.target[:-1]
    assert n_tokens - 1 <= len(fed) <= n_tokens


def test_what_is_predicted_is_the_target_and_what_is_read_is_one_text(small):
    model, tokenizer = small
    pairs = encode_samples(tokenizer, SAMPLES)
    learned = as_learned(pairs, model.config, tokenizer, random.Random(0))
    for sample, pair, one in zip(SAMPLES, pairs, learned, strict=True):
        whole = tokenizer.encode(text_of(sample.source, sample.target)).ids
        assert len(one.labels) == len(one.source or one.target[1:])
        if one.target:
            assert one.source == ()
            assert one.target == (BOS, *whole, EOS)
            # Row i predicts what is fed as row i + 1.
            n = len(pair.target) - 1
            assert one.labels == (*[PAD] * (len(whole) + 1 - n), *pair.target[1:])
        else:
            labels = one.labels
            masked = [at for at, label in enumerate(labels) if label != PAD]
            given = len(tokenizer.encode(prompt_of(sample.source)).ids)
            assert masked and masked[0] >= given
            # With what is predicted in the place of masks it is the whole text.
            pairs_of = zip(one.source, labels, strict=True)
            assert tuple(label or token for token, label in pairs_of) == (*whole, EOS)
            assert {one.source[at] for at in masked} == {tokenizer.mask_id}


def test_any_number_of_tokens_is_masked_and_held_out_ones_are_always_the_same(small):
    model, tokenizer = small
    pairs = encode_samples(tokenizer, SAMPLES)
    one, other = (held_out_as_learned(pairs, model.config, tokenizer) for _ in range(2))
    assert one == other
    if model.config.stacks == ("encoder",):
        counts = [
            sum(
                label != PAD
                for label in as_learned([pairs[0]], model.config, tokenizer, rng)[0].labels
            )
            for rng in map(random.Random, range(60))
        ]
        assert set(counts) == set(range(1, len(pairs[0].target) - 1))


@pytest.mark.slow
def test_what_is_written_side_by_side_is_what_is_written_alone(small):
    model, tokenizer = small
    pairs = encode_samples(tokenizer, SAMPLES)
    said = generate_targets(model, pairs, tokenizer)
    assert said == [generate_targets(model, [pair], tokenizer)[0] for pair in pairs]
    if model.config.stacks == ("encoder",):
        assert [len(ids) for ids in said] == [len(pair.target) - 1 for pair in pairs]
        return
    for pair, ids in zip(pairs[:5], said, strict=False):
        prompt = (BOS, *pair.source[:-1], *tokenizer.encode("=").ids)
        assert ids == tuple(step.chosen for step in decode_steps(model, None, prompt=prompt))


def test_a_run_of_one_stack_is_read_again_and_looked_into(folder, like):
    run = load_run(folder)
    assert not run.settings.is_opened
    if like == "bert":
        found = inspect_sentence(run, "k d a f = k [MASK] a f")
        assert [token.text for token in found.source_tokens][-5:] == ["k", "MASK", "a", "f", "EOS"]
        assert found.translation.text.startswith("k d a f = k")
        return
    found = inspect_sentence(run, prompt_of("k d a f"))
    fed = [token.text for token in found.fed_tokens]
    assert fed[: found.translation.n_given + 1] == ["BOS", "k", "d", "a", "f", "="]
    # What it is to write is known, and ends with EOS as all texts that it learned from.
    assert known_continuation(run, "k d a f =") == "k d a f"
    assert known_continuation(run, "k d a f") is None
    given = model_input(run, "k d a f =")
    assert reference_ids(run, given, "k d a f") == (*run.tokenizer.encode("k d a f").ids, EOS)


def test_a_training_that_goes_on_is_bit_for_bit_the_one_that_never_stopped(
    like, folder, tmp_path, few_samples
):
    preset = with_settings(MINIATURE, {"like": like, "steps": 6, "checkpoint_every": 3})
    path = tmp_path / "run"
    prepare_run(path, TASKS["copy"], "miniature", preset, "python -m core train …")
    steps = train_run(path)
    for _ in range(3):
        next(steps)
    steps.close()
    for _ in train_run(path):
        pass
    one, other = load_run(folder).model.saved(), load_run(path).model.saved()
    assert all(torch.equal(one[name], other[name]) for name in one)


def places_of(pair, config):
    """What stands at the places of a parallel decoder, EOS at those that are left over."""
    n = config.n_places(len(pair.source))
    return (*pair.target[1:], *[EOS] * n)[:n]


def test_a_parallel_decoder_learns_the_masked_places_of_the_target_and_where_it_ends(parallel_run):
    model, tokenizer = parallel_run.model, parallel_run.tokenizer
    assert tokenizer.mask_id == model.config.mask_id
    pairs = encode_samples(tokenizer, SAMPLES)
    learned = as_learned(pairs, model.config, tokenizer, random.Random(0))
    for pair, one in zip(pairs, learned, strict=True):
        assert one.source == pair.source
        batch = collate([one])
        fed, labels = batch.fed_BT[0].tolist(), batch.labels_BT[0].tolist()
        assert (fed[0], labels[0]) == (BOS, PAD)
        masked = [at for at, token in enumerate(fed) if token == tokenizer.mask_id]
        assert masked == [at for at, label in enumerate(labels) if label != PAD]
        # With what is predicted in the place of masks it is the whole target.
        read = tuple(label or token for token, label in zip(fed[1:], labels[1:], strict=True))
        assert read == places_of(pair, model.config)
    assert held_out_as_learned(pairs, model.config, tokenizer) == held_out_as_learned(
        pairs, model.config, tokenizer
    )


def test_what_a_parallel_decoder_writes_is_what_its_evaluation_counts(parallel_run):
    model, tokenizer = parallel_run.model, parallel_run.tokenizer
    pairs = encode_samples(tokenizer, TASKS["either"].held_out_samples(12))
    said = generate_targets(model, pairs, tokenizer)
    assert said == generate(model, pad([pair.source for pair in pairs]))
    evaluation = evaluate(parallel_run, n=12)
    assert evaluation["passes"] == PASSES
    assert evaluation["pronoun"] is None
    by_hand = [one for one, pair in zip(said, pairs, strict=True) if pair.is_right(one)]
    assert evaluation["exact_match"] == len(by_hand) / 12
    assert translate(parallel_run, "a b c d e f").target_ids == tuple(
        token for token in generate(model, pad([pairs_source(tokenizer)]))[0] if token != EOS
    )


def pairs_source(tokenizer):
    return (*tokenizer.encode("a b c d e f").ids, EOS)
