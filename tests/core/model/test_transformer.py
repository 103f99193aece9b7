from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import nn

from core.config import ModelConfig
from core.heads import Site
from core.model import Record, Transformer, build
from core.model.dropout import Dropout
from core.vocabulary import PAD


def copy_attention(ours, theirs):
    parts = (ours.query, ours.key, ours.value)
    theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
    theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
    theirs.out_proj.load_state_dict(ours.output.state_dict())


def copy_layer(ours, theirs, norms):
    copy_attention(ours.self_attention, theirs.self_attn)
    if hasattr(ours, "cross_attention"):
        copy_attention(ours.cross_attention, theirs.multihead_attn)
    theirs.linear1.load_state_dict(ours.feed_forward.expand.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.contract.state_dict())
    for residual, norm in zip(ours.residuals, norms, strict=True):
        norm.load_state_dict(residual.norm.state_dict())


@torch.no_grad()
def reference(model, config):
    """torch's own Transformer with the same weights."""
    theirs = nn.Transformer(
        config.d_model,
        config.n_heads,
        config.n_encoder_layers,
        config.n_decoder_layers,
        config.d_ff,
        dropout=0.0,
        batch_first=True,
        norm_first=config.norm == "pre",
    )
    if config.norm == "pre":
        theirs.encoder.norm.load_state_dict(model.encoder_norm.state_dict())
        theirs.decoder.norm.load_state_dict(model.decoder_norm.state_dict())
    else:  # the paper has no norm after a stack whose layers end with one
        theirs.encoder.norm = theirs.decoder.norm = None
    for ours, other in zip(model.encoder, theirs.encoder.layers, strict=True):
        copy_layer(ours, other, (other.norm1, other.norm2))
    for ours, other in zip(model.decoder, theirs.decoder.layers, strict=True):
        copy_layer(ours, other, (other.norm1, other.norm2, other.norm3))
    return theirs.eval()


@pytest.mark.parametrize("decoder", ["causal", "parallel"])
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_with_copied_weights_it_equals_torchs_transformer(norm, decoder, batch):
    sizes = {"d_model": 32, "d_ff": 64, "n_heads": 4, "max_positions": 20}
    config = ModelConfig(23, 3, 2, **sizes, norm=norm, decoder=decoder)
    model = build(config, seed=3).eval()
    randomise(model)
    source_BS, target_BT = batch
    ahead_TT = nn.Transformer.generate_square_subsequent_mask(5) < 0
    ahead_TT &= decoder == "causal"
    with torch.no_grad():
        decoded_BTD = reference(model, config)(
            model.source_embedding(source_BS),
            model.target_embedding(target_BT),
            tgt_mask=ahead_TT,
            src_key_padding_mask=source_BS == PAD,
            tgt_key_padding_mask=target_BT == PAD,
            memory_key_padding_mask=source_BS == PAD,
        )
        expected_BTV = model.output(decoded_BTD)
        real_BT = target_BT != PAD
        difference = model(source_BS, target_BT)[real_BT] - expected_BTV[real_BT]
    assert difference.abs().max() < 1e-5


@torch.no_grad()
def randomise(model):
    """Give biases and norms other values than 0 and 1, so that leaving one out would show."""
    torch.manual_seed(0)
    for parameter in model.parameters():
        if parameter.ndim == 1:
            parameter.add_(0.1 * torch.randn_like(parameter))


@pytest.mark.parametrize("probe", [None, Record()])
def test_a_source_of_nothing_but_padding_gives_numbers(model, probe):
    with torch.no_grad():
        logits_BTV = model(torch.zeros(1, 4, dtype=torch.long), torch.tensor([[1, 5]]), probe)
    assert logits_BTV.isfinite().all()


def test_dropout_stands_on_sublayer_outputs_and_embeddings_only(small_config):
    model = Transformer(small_config)
    n_sublayers = 2 * small_config.n_encoder_layers + 3 * small_config.n_decoder_layers
    rates = [module.share for module in model.modules() if isinstance(module, Dropout)]
    assert rates == [0.3] * (n_sublayers + 2)


def test_nothing_is_stored_on_the_modules(model, batch):
    def contents():
        return {
            name: {key for key in vars(module)} | set(module._buffers)
            for name, module in model.named_modules()
        }

    before = contents()
    with torch.no_grad():
        model(*batch, Record())
    assert contents() == before


def test_one_model_serves_many_threads(model):
    sentences = [torch.randint(3, 23, (1, n)) for n in range(2, 10)] * 5

    def run(source_BS):
        record = Record()
        with torch.no_grad():
            logits_BTV = model(source_BS, torch.tensor([[1, 5, 6]]), record)
        return logits_BTV, record.weights(Site("encoder", 1, "self"))

    expected = [run(sentence) for sentence in sentences]
    with ThreadPoolExecutor(8) as threads:
        for one, other in zip(expected, threads.map(run, sentences), strict=True):
            assert all(map(torch.equal, one, other))
