"""Tiny models of another library with random weights, and each of them counts."""

import torch
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertModel,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MarianConfig,
    MarianMTModel,
    T5Config,
    T5ForConditionalGeneration,
)

from core.library.reading import load_library_model

V, D, F, H, L = 61, 24, 40, 4, 2
PAD, START = 60, 60
"""Of Marian; the others have 0 or none."""
SPREAD = 0.25
"""Of the weights: with more, roundings of scores that nothing divides (T5) grow in the softmax."""
LLAMA3 = {
    **{"rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0},
    **{"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 16},
}


def marian(**more):
    sizes = {
        **{"vocab_size": V, "decoder_vocab_size": V, "d_model": D, "max_position_embeddings": 64},
        **{"encoder_layers": L, "decoder_layers": 3, "encoder_ffn_dim": F, "decoder_ffn_dim": F},
        **{"encoder_attention_heads": H, "decoder_attention_heads": H, "scale_embedding": True},
        **{"pad_token_id": PAD, "decoder_start_token_id": START, "eos_token_id": 0},
    }
    return MarianMTModel(MarianConfig(**sizes | {"activation_function": "swish"} | more))


def t5(**more):
    sizes = {"vocab_size": V, "d_model": D, "d_kv": 7, "d_ff": F, "num_heads": H}
    layers = {"num_layers": L, "num_decoder_layers": 3, "decoder_start_token_id": 0}
    return T5ForConditionalGeneration(T5Config(**sizes | layers | more))


def t5_with_its_own_head(**more):
    """As T5 1.1 and flan-t5: gated, and the output projection is a matrix of its own."""
    model = t5(feed_forward_proj="gated-gelu", **more)
    model.lm_head.weight = torch.nn.Parameter(torch.empty(V, D))
    model.config.tie_word_embeddings = False
    model.config.scale_decoder_outputs = False
    return model


def bert_config(**more):
    sizes = {"vocab_size": V, "hidden_size": D, "intermediate_size": F, "pad_token_id": 0}
    heads = {"num_hidden_layers": L, "num_attention_heads": H, "max_position_embeddings": 64}
    return BertConfig(**sizes | heads | more)


def bert(**more):
    return BertForMaskedLM(bert_config(**more))


def bert_without_a_head(**more):
    return BertModel(bert_config(**more))


def gpt2(**more):
    sizes = {"vocab_size": V, "n_embd": D, "n_layer": L, "n_head": H, "n_positions": 64}
    return GPT2LMHeadModel(GPT2Config(**sizes | {"bos_token_id": 1, "eos_token_id": 1} | more))


def llama(**more):
    sizes = {"vocab_size": V, "hidden_size": D, "intermediate_size": F, "num_hidden_layers": L}
    heads = {"num_attention_heads": H, "max_position_embeddings": 64}
    return LlamaForCausalLM(LlamaConfig(**sizes | heads | more))


def llama3(**more):
    """Two heads share a set of keys and values, and slow angles are slowed down."""
    return llama(num_key_value_heads=2, rope_parameters=LLAMA3, **more)


MODELS = {
    "marian": marian,
    "t5": t5,
    "t5 with its own head": t5_with_its_own_head,
    "bert": bert,
    "bert without a head": bert_without_a_head,
    "gpt2": gpt2,
    "llama": llama,
    "llama3": llama3,
}


def drawn(name, seed=0, **more):
    """Return one of the models in which no weight, bias or gain is as it usually begins."""
    generator = torch.Generator().manual_seed(seed)
    model = MODELS[name](attn_implementation="eager", **more).eval()
    with torch.no_grad():
        for tensor in _weights_of(model):
            gain = 1.0 if tensor.dim() == 1 else 0.0
            tensor.copy_(gain + SPREAD * torch.randn(tensor.shape, generator=generator))
    return model


def _weights_of(model):
    """Yield what is learned: Marian's sinusoids are not, and the bias of its words is a buffer."""
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        is_weight = isinstance(tensor, torch.nn.Parameter) or name == "final_logits_bias"
        if is_weight and "embed_positions" not in name:
            yield tensor


def told(model):
    """What its `config.json` says."""
    return model.config.to_dict() | {"architectures": [type(model).__name__]}


def weights(model):
    """What its files hold: each tensor under each of its names."""
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def opened(model):
    """The same model as it is used here."""
    return load_library_model(told(model), weights(model))
