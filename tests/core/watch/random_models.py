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

V, H, POSITIONS = 61, 4, 128
SPREAD = 0.25
"""Of the weights, so that heads look at some tokens more than at others."""

CAUSAL, MASKED, BOTH = AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM

GROUPED = {"num_key_value_heads": 2}
SLIDING = {"sliding_window": 5}
LOCAL = {"window_size": 5}
STARTING = {"decoder_start_token_id": 2}
EXPERTS = {"num_local_experts": 4}
RESNET = {
    **{"model_type": "resnet", "embedding_size": 8, "hidden_sizes": [8, 8, 8, 8]},
    **{"depths": [1, 1, 1, 1], "layer_type": "basic", "out_features": ["stage4"]},
}
CONVOLVED = {"use_timm_backbone": False, "backbone": None, "backbone_config": RESNET}
MODELS = {
    "bert": (MASKED, "bert", {}),
    "roberta": (MASKED, "roberta", {}),
    "distilbert": (MASKED, "distilbert", {}),
    "electra": (MASKED, "electra", {}),
    "albert": (MASKED, "albert", {}),
    "deberta-v2": (MASKED, "deberta-v2", {"relative_attention": True, "pos_att_type": ["c2p"]}),
    "mpnet": (MASKED, "mpnet", {}),
    "xlm-roberta": (MASKED, "xlm-roberta", {}),
    "modernbert": (MASKED, "modernbert", {"local_attention": 6, "sep_token_id": 2}),
    "gpt2": (CAUSAL, "gpt2", {}),
    "gpt-neo": (CAUSAL, "gpt_neo", LOCAL),
    "gpt-neox": (CAUSAL, "gpt_neox", {}),
    "gpt-j": (CAUSAL, "gptj", {"rotary_dim": 4}),
    "gpt-bigcode": (CAUSAL, "gpt_bigcode", {}),
    "gpt-oss": (CAUSAL, "gpt_oss", GROUPED | SLIDING | EXPERTS),
    "opt": (CAUSAL, "opt", {}),
    "bloom": (CAUSAL, "bloom", {}),
    "mpt": (CAUSAL, "mpt", {}),
    "falcon": (CAUSAL, "falcon", {}),
    "llama 2": (CAUSAL, "llama", {}),
    "llama 3": (CAUSAL, "llama", GROUPED),
    "mistral": (CAUSAL, "mistral", GROUPED | SLIDING),
    "mixtral": (CAUSAL, "mixtral", GROUPED | EXPERTS),
    "qwen 2": (CAUSAL, "qwen2", GROUPED),
    "qwen 3": (CAUSAL, "qwen3", GROUPED),
    "gemma": (CAUSAL, "gemma", GROUPED),
    "gemma 2": (CAUSAL, "gemma2", GROUPED | SLIDING),
    "gemma 3": (CAUSAL, "gemma3_text", GROUPED | SLIDING),
    "phi": (CAUSAL, "phi", {}),
    "phi 3": (CAUSAL, "phi3", GROUPED),
    "smollm 3": (CAUSAL, "smollm3", GROUPED),
    "olmo 2": (CAUSAL, "olmo2", {}),
    "stablelm": (CAUSAL, "stablelm", {"num_key_value_heads": H}),
    "t5": (BOTH, "t5", {}),
    "mt5": (BOTH, "mt5", {}),
    "bart": (BOTH, "bart", STARTING),
    "mbart": (BOTH, "mbart", STARTING),
    "m2m-100": (BOTH, "m2m_100", STARTING),
    "pegasus": (BOTH, "pegasus", STARTING),
    "marian": (BOTH, "marian", {"decoder_start_token_id": 0}),
    "whisper": (
        *(AutoModelForSpeechSeq2Seq, "whisper"),
        STARTING | {"num_mel_bins": 8, "max_source_positions": 20},
    ),
    "vit": (AutoModel, "vit", {"image_size": 16, "patch_size": 4}),
    "detr": (AutoModelForObjectDetection, "detr", {"num_queries": 6} | CONVOLVED),
}
"""Name → the class that makes a model, its `model_type`, and the settings that others lack."""
WIDTHS = ("hidden_size", "d_model", "n_embd", "dim", "word_embed_proj_dim", "embedding_size")
INNER_WIDTHS = (
    *("intermediate_size", "hidden_dim", "d_ff", "ffn_dim"),
    *("encoder_ffn_dim", "decoder_ffn_dim"),
)
HEADS = (
    *("num_attention_heads", "num_heads", "n_heads", "n_head"),
    *("encoder_attention_heads", "decoder_attention_heads"),
)
LAYERS = (
    *("num_hidden_layers", "num_layers", "n_layers", "n_layer"),
    *("num_decoder_layers", "encoder_layers", "decoder_layers"),
)
LENGTHS = ("max_position_embeddings", "n_positions", "max_seq_len", "max_target_positions")


def model_of(name, kernel, width=32, n_layers=2):
    """Return one of the models, in which no weight, bias or gain is as it usually begins.

    Args:
        kernel: Its attention, "sdpa" or "eager".
        width: Of the residual stream.
        n_layers: In each stack.
    """
    auto, model_type, own = MODELS[name]
    # What a configuration calls something else, it ignores.
    sizes = {
        **dict.fromkeys(WIDTHS, width),
        **dict.fromkeys(INNER_WIDTHS, 2 * width),
        **dict.fromkeys(HEADS, H),
        "d_kv": width // H,
        **dict.fromkeys(LAYERS, n_layers),
        **dict.fromkeys(LENGTHS, POSITIONS),
        **{"vocab_size": V, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2},
    }
    if "num_key_value_heads" in own:
        sizes["head_dim"] = width // H
    if "window_size" in own:
        sizes["attention_types"] = [[["global", "local"], n_layers // 2]]
    config = AutoConfig.for_model(model_type, **sizes | own)
    model = auto.from_config(config, attn_implementation=kernel).eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            gain = 1.0 if parameter.dim() == 1 else 0.0
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.copy_(gain + SPREAD * noise)
    return model


def inputs_of(name, length=9):
    """Return the inputs of a model: two sentences, one of them padded, or two images.

    Args:
        length: Tokens of the source; the target has two less.
    """
    generator = torch.Generator().manual_seed(0)
    auto, _, _ = MODELS[name]
    if name in ("vit", "detr"):
        side = 16 if name == "vit" else 64
        return {"pixel_values": torch.randn(2, 3, side, side, generator=generator)}
    ids = torch.randint(3, V, (2, length), generator=generator)
    decoder_ids = torch.randint(3, V, (2, length - 2), generator=generator)
    if name == "whisper":
        features = torch.randn(2, 8, 40, generator=generator)
        return {"input_features": features, "decoder_input_ids": decoder_ids}
    attended = torch.ones_like(ids)
    attended[1, -length // 3 :] = 0
    both = {"decoder_input_ids": decoder_ids} if auto is BOTH else {}
    return {"input_ids": ids, "attention_mask": attended, **both}
