"""Tiny models of many architectures with random weights, and each of them counts."""

import torch
import transformers

from core.library.reading import load_library_model

DECODER, ENCODER, BOTH = ("decoder",), ("encoder",), ("encoder", "decoder")
SPREAD = 0.25
"""Of the weights: with more, roundings of scores that nothing divides (T5) grow in the softmax."""
V, D, F, H, L = 61, 24, 40, 4, 2
_SPECIALS = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "decoder_start_token_id": 2}
_SIZES = _SPECIALS | {
    **{"hidden_size": 32, "intermediate_size": F, "num_hidden_layers": L},
    **{"num_attention_heads": H, "max_position_embeddings": 64},
}
_SHARED = _SIZES | {"num_key_value_heads": 2}
_STACKS = {
    **{"d_model": D, "encoder_layers": L, "decoder_layers": 3, "max_position_embeddings": 64},
    **{"encoder_ffn_dim": F, "decoder_ffn_dim": F},
    **{"encoder_attention_heads": H, "decoder_attention_heads": H},
}
_MARIAN = _STACKS | {
    **{"decoder_vocab_size": V, "scale_embedding": True, "activation_function": "swish"},
    **{"pad_token_id": 60, "decoder_start_token_id": 60, "eos_token_id": 0},
}
_T5 = {
    **{"d_model": D, "d_kv": 7, "d_ff": F, "num_heads": H, "num_layers": L},
    **{"num_decoder_layers": 3, "decoder_start_token_id": 0},
}
_GATED = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
_BERT = {
    **{"hidden_size": D, "intermediate_size": F, "num_hidden_layers": L, "pad_token_id": 0},
    **{"num_attention_heads": H, "max_position_embeddings": 64},
}
_GPT2 = {
    **{"n_embd": D, "n_layer": L, "n_head": H, "n_positions": 64},
    **{"bos_token_id": 1, "eos_token_id": 1},
}
_LLAMA = {
    **{"hidden_size": D, "intermediate_size": F, "num_hidden_layers": L},
    **{"num_attention_heads": H, "max_position_embeddings": 64},
}
_LLAMA3 = {
    **{"rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0},
    **{"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 16},
}
MODELS = {
    "marian": ("MarianMTModel", BOTH, _MARIAN),
    "t5": ("T5ForConditionalGeneration", BOTH, _T5),
    # As T5 1.1 and flan-t5: gated, and the output projection is a matrix of its own.
    "t5 with its own head": ("T5ForConditionalGeneration", BOTH, _T5 | _GATED),
    "bert": ("BertForMaskedLM", ENCODER, _BERT),
    "bert without a head": ("BertModel", ENCODER, _BERT),
    "gpt2": ("GPT2LMHeadModel", DECODER, _GPT2),
    "llama": ("LlamaForCausalLM", DECODER, _LLAMA),
    # Two heads share a set of keys and values, and slow angles are slowed down.
    "llama3": (
        *("LlamaForCausalLM", DECODER),
        _LLAMA | {"num_key_value_heads": 2, "rope_parameters": _LLAMA3},
    ),
    "Mistral": ("MistralForCausalLM", DECODER, _SHARED),
    "Gemma2": ("Gemma2ForCausalLM", DECODER, _SHARED | {"head_dim": 8}),
    "Phi": ("PhiForCausalLM", DECODER, _SIZES),
    "GPTNeoX": ("GPTNeoXForCausalLM", DECODER, _SIZES),
    "GptOss": ("GptOssForCausalLM", DECODER, _SHARED | {"head_dim": 8, "num_local_experts": 4}),
    "OPT": ("OPTForCausalLM", DECODER, _SIZES | {"ffn_dim": F, "word_embed_proj_dim": 32}),
    "Bloom": (
        "BloomForCausalLM",
        DECODER,
        _SPECIALS | {"hidden_size": 32, "n_layer": L, "n_head": H},
    ),
    "Bart": (
        *("BartForConditionalGeneration", BOTH),
        _SPECIALS | _STACKS | {"d_model": 32, "forced_eos_token_id": None},
    ),
    "MT5": ("MT5ForConditionalGeneration", BOTH, _T5 | _SPECIALS | {"num_decoder_layers": L}),
    "Roberta": ("RobertaForMaskedLM", ENCODER, _SIZES),
    "ModernBert": (
        *("ModernBertForMaskedLM", ENCODER),
        _SIZES | {"cls_token_id": 1, "sep_token_id": 2},
    ),
    "Albert": ("AlbertForMaskedLM", ENCODER, _SIZES | {"embedding_size": 12}),
    "DebertaV2": ("DebertaV2ForMaskedLM", ENCODER, _SIZES | {"relative_attention": True}),
}
"""Label → class, stacks and sizes."""


def drawn(label, seed=0, **more):
    """Return one of the models in which no weight, bias or gain is as it usually begins."""
    name, _, sizes = MODELS[label]
    made = getattr(transformers, name)
    config = made.config_class(**{"vocab_size": V} | sizes | more)
    model = made._from_config(config, attn_implementation="eager").eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for tensor in _weights_of(model):
            gain = 1.0 if tensor.dim() == 1 else 0.0
            tensor.copy_(gain + SPREAD * torch.randn(tensor.shape, generator=generator))
    return model


def _weights_of(model):
    """Yield what is learned: Marian's sinusoids are not, and the bias of its words is a buffer."""
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        is_weight = isinstance(tensor, torch.nn.Parameter) or name == "final_logits_bias"
        if is_weight and not (model.config.model_type == "marian" and "embed_positions" in name):
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
