"""Tiny models of `transformers` with random weights, of many architectures."""

import torch
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForObjectDetection,
    AutoModelForSeq2SeqLM,
    AutoModelForSpeechSeq2Seq,
)

V, D, F, H, L = 61, 32, 48, 4, 2
SPREAD = 0.25
"""Of the weights, so that heads look at some tokens more than at others."""

CAUSAL, MASKED, BOTH = AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM
GROUPED = {"num_key_value_heads": 2, "head_dim": 8}
SLIDING = {"sliding_window": 5}
GPT = {"n_embd": D, "n_layer": L, "n_head": H, "n_positions": 64}
BART = {
    **{"d_model": D, "encoder_layers": L, "decoder_layers": L, "max_position_embeddings": 64},
    **{"encoder_attention_heads": H, "decoder_attention_heads": H},
    **{"encoder_ffn_dim": F, "decoder_ffn_dim": F, "decoder_start_token_id": 2},
}
T5 = {"d_model": D, "d_kv": 8, "d_ff": F, "num_heads": H, "num_layers": L, "num_decoder_layers": L}
IMAGE = {"image_size": 16, "patch_size": 4}
RESNET = {
    **{"embedding_size": 8, "hidden_sizes": [8, 8, 8, 8], "depths": [1, 1, 1, 1]},
    **{"layer_type": "basic", "out_features": ["stage4"]},
}

MODELS = {
    "bert": (MASKED, "bert", {}),
    "roberta": (MASKED, "roberta", {"max_position_embeddings": 66}),
    "distilbert": (MASKED, "distilbert", {"dim": D, "n_layers": L, "n_heads": H, "hidden_dim": F}),
    "electra": (MASKED, "electra", {"embedding_size": D}),
    "albert": (MASKED, "albert", {"embedding_size": 16}),
    "deberta-v2": (MASKED, "deberta-v2", {"relative_attention": True, "pos_att_type": ["c2p"]}),
    "mpnet": (MASKED, "mpnet", {}),
    "xlm-roberta": (MASKED, "xlm-roberta", {"max_position_embeddings": 66}),
    "modernbert": (MASKED, "modernbert", {"local_attention": 6}),
    "gpt2": (CAUSAL, "gpt2", GPT),
    "gpt-neo": (
        *(CAUSAL, "gpt_neo"),
        {"num_layers": L, "num_heads": H, "attention_types": [[["global", "local"], 1]]}
        | {"window_size": 5},
    ),
    "gpt-neox": (CAUSAL, "gpt_neox", {}),
    "gpt-j": (CAUSAL, "gptj", GPT | {"rotary_dim": 4}),
    "gpt-bigcode": (CAUSAL, "gpt_bigcode", GPT),
    "gpt-oss": (CAUSAL, "gpt_oss", GROUPED | SLIDING | {"num_local_experts": 4}),
    "opt": (CAUSAL, "opt", {"ffn_dim": F, "word_embed_proj_dim": D}),
    "bloom": (CAUSAL, "bloom", {"n_layer": L, "n_head": H}),
    "mpt": (CAUSAL, "mpt", {"d_model": D, "n_layers": L, "n_heads": H, "max_seq_len": 64}),
    "falcon": (CAUSAL, "falcon", {}),
    "llama 2": (CAUSAL, "llama", {}),
    "llama 3": (CAUSAL, "llama", GROUPED),
    "mistral": (CAUSAL, "mistral", GROUPED | SLIDING),
    "mixtral": (CAUSAL, "mixtral", GROUPED | {"num_local_experts": 4}),
    "qwen 2": (CAUSAL, "qwen2", GROUPED),
    "qwen 3": (CAUSAL, "qwen3", GROUPED),
    "gemma": (CAUSAL, "gemma", GROUPED),
    "gemma 2": (CAUSAL, "gemma2", GROUPED | SLIDING),
    "gemma 3": (CAUSAL, "gemma3_text", GROUPED | SLIDING),
    "phi": (CAUSAL, "phi", {}),
    "phi 3": (CAUSAL, "phi3", {"num_key_value_heads": 2, "pad_token_id": 0}),
    "smollm 3": (CAUSAL, "smollm3", GROUPED | {"pad_token_id": 0}),
    "olmo 2": (CAUSAL, "olmo2", {}),
    "stablelm": (CAUSAL, "stablelm", {"num_key_value_heads": 4}),
    "t5": (BOTH, "t5", T5),
    "mt5": (BOTH, "mt5", T5),
    "bart": (BOTH, "bart", BART),
    "mbart": (BOTH, "mbart", BART),
    "m2m-100": (BOTH, "m2m_100", BART),
    "pegasus": (BOTH, "pegasus", BART),
    "marian": (BOTH, "marian", BART | {"pad_token_id": 0, "decoder_start_token_id": 0}),
    "whisper": (
        *(AutoModelForSpeechSeq2Seq, "whisper"),
        BART | {"num_mel_bins": 8, "max_source_positions": 20, "max_target_positions": 64},
    ),
    "vit": (AutoModel, "vit", IMAGE),
    "detr": (
        *(AutoModelForObjectDetection, "detr"),
        BART
        | {"num_queries": 6, "use_timm_backbone": False, "use_pretrained_backbone": False}
        | {"backbone": None, "backbone_config": {"model_type": "resnet", **RESNET}},
    ),
}
"""Name → the class that makes it, its `model_type`, and the settings in which it is tiny."""


def model_of(name, kernel, seed=0):
    """Return one of the models, in which no weight, bias or gain is as it usually begins.

    Args:
        kernel: Its attention, "sdpa" or "eager".
    """
    auto, model_type, more = MODELS[name]
    usual = {
        **{"vocab_size": V, "hidden_size": D, "intermediate_size": F, "num_hidden_layers": L},
        **{"num_attention_heads": H, "max_position_embeddings": 64, "bos_token_id": 1},
        **{"eos_token_id": 2, "pad_token_id": 0},
    }
    config = AutoConfig.for_model(model_type, **usual | more)
    model = auto.from_config(config, attn_implementation=kernel).eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            gain = 1.0 if parameter.dim() == 1 else 0.0
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.copy_(gain + SPREAD * noise)
    return model


def inputs_of(name, seed=0):
    """Return the inputs of a model: two sentences, one of them padded, or two images."""
    generator = torch.Generator().manual_seed(seed)
    auto, _, _ = MODELS[name]
    if name == "vit":
        return {"pixel_values": torch.randn(2, 3, 16, 16, generator=generator)}
    if name == "detr":
        return {"pixel_values": torch.randn(2, 3, 64, 64, generator=generator)}
    ids = torch.randint(3, V, (2, 9), generator=generator)
    decoder_ids = torch.randint(3, V, (2, 7), generator=generator)
    if name == "whisper":
        features = torch.randn(2, 8, 40, generator=generator)
        return {"input_features": features, "decoder_input_ids": decoder_ids}
    attended = torch.ones_like(ids)
    attended[1, 6:] = 0
    both = {"decoder_input_ids": decoder_ids} if auto is BOTH else {}
    return {"input_ids": ids, "attention_mask": attended, **both}
