from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from core.config import ConfigError, ModelConfig
from core.describe import describe
from core.heads import Kind, Site
from core.model import Record, Step, build
from core.model.building import count_parameters
from core.model.masks import padding_mask
from core.model.mixing import MIXINGS, Average, Convolution
from core.model.sublayers import Seen
from tests.core.model.mixing_rules import (
    SOURCE_BS,
    TARGET_BT,
    assert_it_learns,
    assert_later_words_and_padding_change_nothing,
    assert_pieces_get_the_logits_of_the_whole,
    assert_rows_go_on_as_their_sentences,
)

CONFIG = ModelConfig(23, 2, 2, 16, 32, 4, max_positions=20)
MIXED = (*MIXINGS, "none")


@pytest.fixture(params=[(one, other) for one in MIXED for other in MIXED])
def config(request):
    encoder, decoder = request.param
    return replace(CONFIG, encoder_mixing=encoder, decoder_mixing=decoder)


@pytest.fixture
def model(config):
    return build(config, seed=3).eval()


def test_only_cross_attention_is_left_and_every_part_is_described(model, config):
    assert {site.attention for site in model.sites()} == {Kind.CROSS}
    found = describe(config, 5, 6)
    assert found.parameters == count_parameters(config)
    assert found.parameters == sum(each.numel() for each in model.parameters())
    mixing = [part for part in found.parts if part.kind == "mixing"]
    assert len(mixing) == 2 * (config.encoder_mixing != "none") + 2 * (
        config.decoder_mixing != "none"
    )


def test_it_keeps_the_rules_of_whatever_mixes(model, config):
    assert_pieces_get_the_logits_of_the_whole(model)
    assert_later_words_and_padding_change_nothing(model)
    assert_rows_go_on_as_their_sentences(model)
    assert_it_learns(config)


def test_the_average_is_attention_with_equal_scores():
    x_BKD = torch.randn(3, 6, 16, dtype=torch.float64)
    for stack, visible_BQK in (
        ("encoder", padding_mask(TARGET_BT.masked_fill(TARGET_BT > 7, 0))),
        ("decoder", torch.ones(1, 6, 6, dtype=torch.bool).tril()),
    ):
        average = Average(CONFIG, Site(stack, 0, "mixing")).double()
        found = average.added(x_BKD, Seen(visible_BQK), None)
        zeros_BQE = torch.zeros(3, 6, 16, dtype=torch.float64)
        mean_BKD = F.scaled_dot_product_attention(
            zeros_BQE, zeros_BQE, x_BKD, attn_mask=visible_BQK.expand(3, 6, 6)
        )
        torch.testing.assert_close(found, average.value(mean_BKD))


def test_the_convolution_is_that_of_torch():
    x_BKD = torch.randn(3, 6, 16, dtype=torch.float64)
    for stack, padding in (("encoder", (1, 1)), ("decoder", (2, 0))):
        ours = Convolution(CONFIG, Site(stack, 0, "mixing")).double()
        theirs = nn.Conv1d(16, 16, 3).double()
        with torch.no_grad():
            theirs.weight.copy_(ours.value.weight.unflatten(1, (3, 16)).transpose(1, 2))
            theirs.bias.copy_(ours.value.bias)
        expected = theirs(F.pad(x_BKD.transpose(1, 2), padding)).transpose(1, 2)
        seen = Seen(torch.ones(1, 1, 6, dtype=torch.bool))
        torch.testing.assert_close(ours.added(x_BKD, seen, None), expected)


def test_a_probe_sees_what_it_adds():
    model = build(replace(CONFIG, encoder_mixing="average"), seed=2).eval()
    record = Record(frozenset(Step))
    with torch.no_grad():
        model(SOURCE_BS, TARGET_BT, record)
    site = Site("encoder", 1, "mixing")
    added_BKD = record.tensors[site, Step.ADDED]
    # The same for every position.
    torch.testing.assert_close(added_BKD, added_BKD[:, :1].expand_as(added_BKD))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"decoder_mixing": "ssru"}, "decoder_mixing is 'ssru'"),
        ({"encoder_mixing": "average", "n_decoder_layers": 0}, "it needs a decoder"),
        ({"encoder_mixing": "none", "positions": "buckets"}, "no buckets"),
        ({"encoder_mixing": "none", "feed_forward": False}, "its layers would be empty"),
        (
            {"encoder_mixing": "average", "decoder_mixing": "none", "positions": "rotary"},
            "there is no self-attention",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(settings, said):
    with pytest.raises(ConfigError, match=said):
        replace(CONFIG, **settings)
