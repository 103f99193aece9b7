from dataclasses import fields, replace

import pytest
import torch

from core.batch import encode_source
from core.model import build
from core.model.building import count_parameters
from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.experiment import BASE, Expected
from core.studies.experiments.measures import EXACT_MATCH
from core.tasks import TASKS
from core.training.prepare import train_tokenizer


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_every_variant_can_be_trained_and_differs_from_the_base_in_what_it_says(experiment):
    assert experiment.task in TASKS
    base = experiment.preset(experiment.variant(BASE), 2)
    # What others start from is trained before them, in another way.
    first = {each.start for each in experiment.variants}
    for variant in experiment.variants:
        found = experiment.preset(variant, 2)
        assert found.training.seed == 2
        differing = {
            each.name
            for part in ("model", "training")
            for each in fields(getattr(base, part))
            if getattr(getattr(found, part), each.name) != getattr(getattr(base, part), each.name)
        }
        if variant.name not in first:
            same = {"steps", "batch_size", "evaluate_every", "checkpoint_every"}
            assert not differing & same, variant.name
        # Heads of another number have another width.
        widths = {"d_k", "d_v"}
        assert differing - widths == set(variant.changes) - widths, variant.name
        assert count_parameters(found.model) > 0


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_what_a_question_speaks_of_is_among_its_variants_and_measures(experiment):
    names = [each.name for each in experiment.variants]
    assert BASE in names and len(set(names)) == len(names)
    first = {each.name for each in experiment.variants if not each.start}
    assert {each.start for each in experiment.variants} <= {"", *first}
    assert {each.against for each in experiment.variants} <= set(names)
    assert {*experiment.vanishing} <= {"", *names}
    assert experiment.by_distance or any(each.expected for each in experiment.variants)
    judged = experiment.measure(experiment.judged_by)
    assert judged or experiment.judged_by == EXACT_MATCH
    # "As good" needs the margin, which is one of shares.
    within = {Expected.AS_GOOD, Expected.NO_MORE}
    if judged and not judged.share:
        assert not any(each.expected in within for each in experiment.variants)


@pytest.mark.parametrize(
    ("mixing", "knows"),
    [
        *(("none", False), ("gru", False), ("convolution", False)),
        *(("attention", True), ("gru_two_way", True), ("average", True), ("fixed", True)),
    ],
)
def test_what_a_letter_stands_for_only_a_reader_knows_that_mixes_it_with_what_comes_later(
    mixing, knows, few_samples
):
    experiment, task = EXPERIMENTS["mixing"], TASKS["define"]
    preset = experiment.preset(experiment.variant(BASE), 0)
    tokenizer = train_tokenizer(task, preset.vocab_size, 0, preset.model)
    config = replace(preset.sized(tokenizer.vocab_size), encoder_mixing=mixing)
    model = build(config, seed=1).eval()
    # Two rows that are alike but for what their letters stand for.
    one, other = (encode_source(tokenizer, each.source) for each in task.examples)
    with torch.no_grad():
        logits = [model(torch.tensor([each]), torch.tensor([[1]])) for each in (one, other)]
    assert torch.equal(*logits) != knows
