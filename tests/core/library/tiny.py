"""Tiny models of many architectures with random weights, and folders of them."""

import json

import tokenizers
import torch
import transformers
from tokenizers import AddedToken

from tests.core.library.folders import write_bert, write_json, write_t5
from tests.core.library.random_models import SPREAD

DECODER, ENCODER, BOTH = ("decoder",), ("encoder",), ("encoder", "decoder")
_SIZES = {
    **{"hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 2},
    **{"num_attention_heads": 4, "max_position_embeddings": 64},
}
_SHARED = _SIZES | {"num_key_value_heads": 2}
_STACKS = {
    **{"d_model": 32, "encoder_layers": 2, "decoder_layers": 3, "max_position_embeddings": 64},
    **{"encoder_ffn_dim": 40, "decoder_ffn_dim": 40},
    **{"encoder_attention_heads": 4, "decoder_attention_heads": 4},
}
MODELS = {
    "Mistral": ("MistralForCausalLM", DECODER, _SHARED),
    "Gemma2": ("Gemma2ForCausalLM", DECODER, _SHARED | {"head_dim": 8}),
    "Phi": ("PhiForCausalLM", DECODER, _SIZES),
    "GPTNeoX": ("GPTNeoXForCausalLM", DECODER, _SIZES),
    "GptOss": ("GptOssForCausalLM", DECODER, _SHARED | {"head_dim": 8, "num_local_experts": 4}),
    "OPT": ("OPTForCausalLM", DECODER, _SIZES | {"ffn_dim": 40, "word_embed_proj_dim": 32}),
    "Bloom": ("BloomForCausalLM", DECODER, {"hidden_size": 32, "n_layer": 2, "n_head": 4}),
    "Bart": ("BartForConditionalGeneration", BOTH, _STACKS | {"forced_eos_token_id": None}),
    "MT5": (
        *("MT5ForConditionalGeneration", BOTH),
        {"d_model": 32, "d_kv": 7, "d_ff": 40, "num_heads": 4, "num_layers": 2},
    ),
    "Roberta": ("RobertaForMaskedLM", ENCODER, _SIZES),
    "ModernBert": ("ModernBertForMaskedLM", ENCODER, _SIZES),
    "Albert": ("AlbertForMaskedLM", ENCODER, _SIZES | {"embedding_size": 12}),
    "DebertaV2": ("DebertaV2ForMaskedLM", ENCODER, _SIZES | {"relative_attention": True}),
}
"""Label → class, stacks and sizes."""
SPECIALS = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "decoder_start_token_id": 2}


def tiny(label, **more):
    """Return a model in which no weight, bias or gain is as it usually begins."""
    name, _, sizes = MODELS[label]
    made = getattr(transformers, name)
    config = made.config_class(**{"vocab_size": 61} | SPECIALS | sizes | more)
    if label == "ModernBert":
        config.cls_token_id, config.sep_token_id = 1, 2
    torch.manual_seed(0)
    model = made._from_config(config, attn_implementation="eager").eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_((1.0 if weight.dim() == 1 else 0.0) + SPREAD * torch.randn(weight.shape))
    return model


def write_tiny(path, label, **more):
    """Write a whole folder, and return the model in it."""
    path.mkdir(parents=True)
    _, stacks, _ = MODELS[label]
    write = {DECODER: write_json, ENCODER: write_bert, BOTH: write_t5}[stacks]
    name = {DECODER: "PreTrainedTokenizerFast", ENCODER: "BertTokenizer", BOTH: "T5Tokenizer"}
    about = {"tokenizer_class": name[stacks]}
    (path / "tokenizer_config.json").write_text(json.dumps(about))
    model = tiny(label, vocab_size=write(path), **more)
    model.save_pretrained(path)
    return model


def write_multilingual(path):
    """Write a model that translates to French unless another language is chosen, and return it."""
    path.mkdir(parents=True)
    write_json(path)
    fast = tokenizers.Tokenizer.from_file(str(path / "tokenizer.json"))
    fast.add_special_tokens([AddedToken(name, special=True) for name in ("fra_Latn", "deu_Latn")])
    fast.save(str(path / "tokenizer.json"))
    model = tiny("Bart", vocab_size=fast.get_vocab_size())
    model.save_pretrained(path)
    about = {"tokenizer_class": "PreTrainedTokenizerFast"}
    (path / "tokenizer_config.json").write_text(json.dumps(about))
    default = {"forced_bos_token_id": fast.token_to_id("fra_Latn")}
    (path / "generation_config.json").write_text(json.dumps(default))
    return model
