"""Models of every family: the same with the same weights here and in `transformers`."""

import pytest
import torch

from core.families import FAMILIES, FamilyError, load
from core.families.loading import converted
from core.model import Cache
from tests.core.families.both import CLOSE, RUN, opened, tokens
from tests.core.families.random_models import MODELS, drawn, told, weights


@pytest.mark.parametrize("name", MODELS)
def test_logits_and_every_map_are_those_of_transformers(name):
    model = drawn(name)
    ours = opened(model)
    with torch.no_grad():
        made, theirs, record, maps = RUN[ours.config.stacks](model, ours)
    assert theirs.abs().max() > 0.9
    torch.testing.assert_close(made, theirs, atol=CLOSE, rtol=0)
    sites = ours.sites()
    assert len(sites) == sum(len(layers) for layers in maps.values())
    for site in sites:
        weights_BHQK = maps[site.attention][site.layer]
        torch.testing.assert_close(record.weights(site), weights_BHQK, atol=CLOSE, rtol=0)


@pytest.mark.parametrize("name", [name for name in MODELS if not name.startswith("bert")])
def test_with_a_cache_each_token_gets_what_it_gets_in_one_pass(name):
    ours, target, cache = opened(drawn(name)), tokens(11, 5), Cache()
    memory = ours.encode(tokens(7, 6)) if "encoder" in ours.config.stacks else None
    with torch.no_grad():
        whole = ours.decode(target, memory, None)
        made = [ours.decode(part, memory, None, None, cache) for part in target.split([4, 1, 6], 1)]
    torch.testing.assert_close(torch.cat(made, 1), whole, atol=CLOSE, rtol=0)


@pytest.mark.parametrize(
    ("name", "value"), [("position_embedding_type", "relative_key"), ("is_decoder", True)]
)
def test_another_bert_is_refused_by_what_makes_it_another(name, value):
    model = drawn("bert")
    with pytest.raises(FamilyError, match=name):
        load(FAMILIES["bert"], told(model) | {name: value}, weights(model))


def test_a_target_begins_with_padding_and_sees_it():
    ours = opened(drawn("marian"))
    pad = ours.config.pad_id
    with torch.no_grad():
        one, other = (ours(torch.tensor([[5, 6]]), torch.tensor([[pad, each]])) for each in (7, 8))
    assert torch.equal(one[:, 0], other[:, 0])
    assert one.isfinite().all()


def test_what_is_tied_is_seen_in_the_weights_whatever_the_settings_say():
    shared, own = drawn("t5"), drawn("t5 with its own head")
    for said in (True, False):
        sizes = {"tie_word_embeddings": said}
        tied = load(FAMILIES["t5"], told(shared) | sizes, weights(shared)).config
        untied = load(FAMILIES["t5"], told(own) | sizes, weights(own)).config
        assert (tied.tied, untied.tied) == ("all", "embeddings")
    without = {name: each for name, each in weights(shared).items() if name != "lm_head.weight"}
    assert load(FAMILIES["t5"], told(shared), without).config.tied == "all"


def test_of_a_weight_that_is_there_twice_both_must_be_equal():
    model = drawn("t5")
    given = weights(model)
    assert torch.equal(given["shared.weight"], given["encoder.embed_tokens.weight"])
    given["encoder.embed_tokens.weight"] += 1
    with pytest.raises(FamilyError, match="encoder.embed_tokens.weight differs from another"):
        converted(FAMILIES["t5"], given, "all")
