"""Which heads carry the difference between two sentences."""

from dataclasses import dataclass, replace

import pytest
import torch

from core.batch import pad
from core.decoding.sentence import SentenceError, translate
from core.heads import Head, Kind, Site
from core.model import Patch, Record, Step, build
from core.runs.run import load_run
from core.studies.effects.patching import (
    PatchingError,
    layer_maps,
    length,
    paired,
    patching_study,
    second_sentence,
)
from core.studies.effects.position_patching import Part, position_patching
from tests.core.conftest import GALLERY

TIRED = "The animal didn't cross the street because it was too tired."
WIDE = "The animal didn't cross the street because it was too wide."
GUIDED = Head(Site("encoder", 2, "self"), 0)


@pytest.fixture(scope="module")
def study(guided):
    return patching_study(guided, TIRED, WIDE)


def mixed(run, source_ids, fed_ids):
    record = Record(frozenset({Step.MIXED}))
    with torch.no_grad():
        logits_1TV = run.model(pad([source_ids]), pad([fed_ids]), record)
    return record, logits_1TV


@pytest.mark.parametrize("head", [GUIDED, Head(Site("decoder", 1, "cross"), 0)])
def test_a_share_is_the_part_of_the_gap_that_one_whole_pass_shows(guided, study, head):
    site, number = head.site, head.index
    fed = (1, *study.clean.target_ids[: study.step])
    clean, clean_1TV = mixed(guided, study.clean.source_ids, fed)
    _, corrupt_1TV = mixed(guided, study.corrupt.source_ids, fed)
    patch = Patch({head: clean.tensors[site, Step.MIXED][:, number]})
    with torch.no_grad():
        patched_1TV = guided.model(pad([study.corrupt.source_ids]), pad([fed]), patch)
    il, elle = study.clean.target_ids[study.step], study.corrupt.target_ids[study.step]

    def difference(logits_1TV):
        chances_V = logits_1TV[0, -1].double().log_softmax(dim=-1)
        return float(chances_V[il] - chances_V[elle])

    assert study.clean_difference == pytest.approx(difference(clean_1TV), abs=1e-3)
    assert study.corrupt_difference == pytest.approx(difference(corrupt_1TV), abs=1e-3)
    gap = difference(clean_1TV) - difference(corrupt_1TV)
    share = (difference(patched_1TV) - difference(corrupt_1TV)) / gap
    assert study.heads[head] == pytest.approx(share, abs=1e-3)


def test_sentences_that_are_translated_alike_are_refused(guided):
    with pytest.raises(PatchingError, match="writes the same after both sentences"):
        patching_study(guided, TIRED, TIRED)


CLEAN, OTHER = "k d a f =", "k d z f ="


@pytest.fixture(scope="module")
def run(one_stack_folder):
    """A decoder alone with weights that make much of each token."""
    found = load_run(one_stack_folder("gpt2"))
    model = build(found.settings.model, seed=3).eval()
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for tensor in model.parameters():
            tensor += 0.7 * torch.randn(tensor.shape, generator=generator)
    return replace(found, model=model)


def logits(run, fed, probe=None):
    with torch.no_grad():
        return run.model(*fed, probe)[0, -1]


def test_prompts_of_other_lengths_and_no_text_are_refused(run):
    assert length(run, CLEAN) == len(CLEAN.split()) + 1
    with pytest.raises(PatchingError, match="have 6 and 7 tokens, special ones counted"):
        paired(run, CLEAN, f"a {CLEAN}")
    with pytest.raises(SentenceError):
        paired(run, CLEAN, " ")
    # The shorter prompt leaves room for more tokens, which part from nothing.
    with pytest.raises(PatchingError, match="writes the same after both"):
        position_patching(run, CLEAN, "k d z z f =", Part.STREAM)


def test_each_head_of_a_decoder_alone_brings_back_what_it_does_when_patched(run):
    study = patching_study(run, CLEAN, OTHER)
    both = paired(run, CLEAN, OTHER)
    (clean, other), tokens = both.fed(study.step), [ids[study.step] for ids in both.written]
    assert tokens[0] != tokens[1]
    record = Record(frozenset({Step.MIXED}))
    kept = logits(run, clean, record)
    gap = [float(each[tokens[0]] - each[tokens[1]]) for each in (kept, logits(run, other))]
    assert study.clean_difference == pytest.approx(gap[0], abs=1e-4)
    assert study.corrupt_difference == pytest.approx(gap[1], abs=1e-4)
    for head, share in study.heads.items():
        patch = Patch({head: record.tensors[head.site, Step.MIXED][:, head.index]})
        found = logits(run, other, patch)
        difference = float(found[tokens[0]] - found[tokens[1]])
        assert share == pytest.approx((difference - gap[1]) / (gap[0] - gap[1]), abs=1e-3)
    # The stream itself is the other prompt's: heads alone need not bring back all of it.
    assert set(layer_maps(study.heads, study.sites)) == {Kind.DECODER_SELF}


GOATS = "The goats avoided the bridges because they were thirsty."
HORSE = "Why didn't the old horse cross the park?"


@pytest.mark.parametrize(
    ("name", "source", "offered", "second"),
    [
        ("translate-guided", TIRED, [TIRED, "The goats slept.", WIDE, f"{TIRED} So"], WIDE),
        ("translate-guided", GOATS, [TIRED, HORSE], GOATS.replace("thirsty", "hungry")),
        ("everyday", "I slept.", [TIRED], ""),
        ("copy", "k d a f q z", ["a b"], "k d h f q z"),
    ],
)
def test_a_sentence_that_differs_in_a_word_and_is_translated_differently_is_offered(
    name, source, offered, second
):
    run = load_run(GALLERY / name)
    found = second_sentence(run, source, offered)
    assert found == second
    if found:
        assert length(run, found) == length(run, source)
        assert translate(run, found).target_ids != translate(run, source).target_ids


@dataclass(frozen=True)
class Put:
    """One vector in the place of another."""

    site: Site
    step: Step
    position: int
    vector_D: torch.Tensor

    def sees(self, site):
        return site == self.site

    def at(self, _site, step, tensor):
        if step is not self.step:
            return tensor
        tensor = tensor.clone()
        tensor[0, self.position] = self.vector_D
        return tensor


LONGER = "The animal didn't cross the big street because it was too wide."


@pytest.mark.parametrize(
    ("model", "clean", "other", "part"),
    [
        ("guided", TIRED, LONGER, Part.ATTENTION),
        *(("run", CLEAN, "z d a a f q", part) for part in Part),
    ],
)
def test_each_vector_brings_back_what_it_does_when_put_in_place(request, model, clean, other, part):
    run = request.getfixturevalue(model)
    study = position_patching(run, clean, other, part)
    both = paired(run, clean, other, any_length=True)
    (from_fed, fed), (own, others) = both.fed(study.step), (ids[study.step] for ids in both.written)
    record = Record(frozenset({part.step}))
    kept, plain = logits(run, from_fed, record), logits(run, fed)

    def difference(logits_V):
        return float(logits_V[own] - logits_V[others])

    gap = difference(kept) - difference(plain)
    # What is longer has words without a partner.
    assert study.partners_P.count(None) == length(run, other) - length(run, clean) > 0
    n_layers = run.model.config.n_encoder_layers or run.model.config.n_decoder_layers
    assert len(study.sites) == n_layers + (part is Part.STREAM)
    for at, partner in enumerate(study.partners_P):
        for row, site in enumerate(study.sites):
            share = 0.0
            if partner is not None:
                clean_D = record.tensors[site, part.step][0, partner]
                patched = logits(run, fed, Put(site, part.step, at, clean_D))
                share = (difference(patched) - difference(plain)) / gap
            assert study.shares_LP[row, at] == pytest.approx(share, abs=1e-3)
