"""Which architectures of `transformers` open here, and whether they compute the same as there.

Run from the repository root: python -m benchmarks.architectures [NAME …]

Every class that continues a text, fills in words, translates or classifies a text, or those whose
names contain one of the words that are given. Of each a tiny model with random weights is made,
saved, and opened. A line says that it

- opened, with the largest difference of the logits from those of `transformers` (of a classifier,
  which is opened without its head, of the hidden states), relative to the largest of them,
- computes something different: the difference is above 1e-4,
- was refused, and the sentence that says why,
- failed with an error that is no such sentence,
- was not made: with small sizes and without an image, `transformers` cannot make or call it.
"""

import inspect
import json
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import PreTrainedConfig
from transformers.models.auto import modeling_auto as auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from core.library.reading import load_library_model
from core.messages import MessageError, error_text
from core.model import Transformer

LARGEST = 1e-4
MOST_WEIGHTS = 100_000_000
"""Of a model that was made small; some know no smaller sizes."""
SPREAD = 0.25
"""Of the weights, so that heads look at some tokens more than at others."""
VOCABULARY, WIDTH, HEADS, LAYERS, LENGTH = 61, 32, 4, 4, 128
SIZES = {
    **dict.fromkeys(("vocab_size", "vocab_size_or_config_json_file"), VOCABULARY),
    **dict.fromkeys(("hidden_size", "d_model", "n_embd", "dim", "embedding_size"), WIDTH),
    **dict.fromkeys(("word_embed_proj_dim", "emb_dim", "d_embed", "encoder_hidden_size"), WIDTH),
    **dict.fromkeys(("intermediate_size", "hidden_dim", "d_ff", "ffn_dim", "n_inner"), 2 * WIDTH),
    **dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim", "ffn_hidden_size"), 2 * WIDTH),
    **dict.fromkeys(("moe_intermediate_size", "shared_expert_intermediate_size"), WIDTH),
    **dict.fromkeys(("num_attention_heads", "num_heads", "n_heads", "n_head"), HEADS),
    **dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), HEADS),
    **dict.fromkeys(("num_encoder_attention_heads", "num_decoder_attention_heads"), HEADS),
    **dict.fromkeys(("num_hidden_layers", "num_layers", "n_layers", "n_layer"), LAYERS),
    **dict.fromkeys(("num_decoder_layers", "encoder_layers", "decoder_layers"), LAYERS),
    **dict.fromkeys(("num_encoder_layers", "num_hidden_groups"), LAYERS),
    **dict.fromkeys(("max_position_embeddings", "n_positions", "max_seq_len"), LENGTH),
    **dict.fromkeys(("max_target_positions", "max_source_positions", "block_size"), LENGTH),
    **dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts"), 4),
    **{"num_key_value_heads": HEADS, "head_dim": WIDTH // HEADS, "d_kv": WIDTH // HEADS},
    **{"num_experts_per_tok": 2, "moe_num_experts": 4, "n_group": 1, "topk_group": 1},
    **{"q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8},
    **{"v_head_dim": 8, "rotary_dim": 4, "qk_head_dim": 16},
}
SPECIALS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
MARKS = {"decoder_start_token_id": 2, "sep_token_id": 2, "cls_token_id": 1, "use_cache": False}
OWN: Mapping[str, Mapping[str, Any]] = {
    "gpt_neo": {"attention_types": [[["global", "local"], LAYERS // 2]]},
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1},
    "luke": {"entity_vocab_size": 8, "entity_emb_size": WIDTH},
    "xmod": {"default_language": "en_XX"},
    "zaya": {"num_experts_per_tok": 1},
    **dict.fromkeys(
        ("bamba", "granitemoehybrid", "mamba2"),
        {"mamba_n_heads": 8, "mamba_d_head": 8, "num_heads": 8},
    ),
}
"""Model type → settings without which it cannot be made small."""


@dataclass(frozen=True)
class Architecture:
    """A class of `transformers`, and what it is fed."""

    model_type: str
    name: str
    is_fed: tuple[str, ...]
    """The names of its ids."""
    is_classifier: bool = False


def main(words: Sequence[str]) -> None:
    """Print a line for each architecture, and how many opened."""
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    warnings.simplefilter("ignore")
    counts: Counter[str] = Counter()
    for each in architectures():
        if not words or any(word.lower() in each.name.lower() for word in words):
            what, why = outcome(each)
            counts[what] += 1
            print(f"{each.name:50}{what:11}{why}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in counts.most_common()))


def architectures() -> Iterator[Architecture]:
    """Yield every class once, the first model type that it is for."""
    source, both = ("input_ids",), ("input_ids", "decoder_input_ids")
    kinds = (
        (auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES, both, False),
        (auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES, source, False),
        (auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, source, False),
        (auto.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES, source, True),
    )
    names = set()
    for mapping, is_fed, is_classifier in kinds:
        for model_type, name in mapping.items():
            if name not in names and model_type in CONFIG_MAPPING:
                names.add(name)
                yield Architecture(model_type, name, is_fed, is_classifier)


def outcome(architecture: Architecture) -> tuple[str, str]:
    """Make a model, save it, open it: return what came of it, and the number or the reason."""
    ids = torch.randint(3, VOCABULARY, (2, 9), generator=torch.Generator().manual_seed(0))
    ids[:, -1] = SPECIALS["eos_token_id"]
    fed = (ids, ids.flip(1)[:, :6])[: len(architecture.is_fed)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            tiny(architecture).save_pretrained(folder)
            theirs = output(architecture, folder, fed)
        except Exception as error:
            return "not made", first_line(error)
        try:
            settings = json.loads((folder / "config.json").read_text())
            opened = load_library_model(settings, weights_of(folder))
            ours = computed(opened, fed)
        except MessageError as error:
            return "refused", error_text(error)
        except Exception as error:
            return "error", first_line(error)
    difference = float((ours - theirs).abs().max() / theirs.abs().max())
    return "opened" if difference <= LARGEST else "different", f"{difference:.1e}"


def tiny(architecture: Architecture) -> nn.Module:
    """Return a small model in which no weight, bias or gain is as it usually begins."""
    made = getattr(transformers, architecture.name)
    config = made.config_class(**sizes_of(made.config_class) | OWN.get(architecture.model_type, {}))
    for name, value in MARKS.items():
        setattr(config, name, value)
    with torch.device("meta"):
        outline = made(config)
    n_weights = sum(each.numel() for each in outline.parameters())
    if n_weights > MOST_WEIGHTS:
        raise ValueError(f"it has {n_weights:,} weights")
    model = made(config).eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weight in model.parameters():
            noise = torch.randn(weight.shape, generator=generator)
            weight.copy_((1.0 if weight.dim() == 1 else 0.0) + SPREAD * noise)
    return model


def sizes_of(settings: type[PreTrainedConfig]) -> dict[str, Any]:
    """Return the small sizes that the settings of a model know, those of its parts too."""
    known = {*inspect.signature(settings.__init__).parameters, *settings.attribute_map}
    sizes: dict[str, Any] = {name: size for name, size in SIZES.items() if name in known}
    parts = settings.sub_configs.items()
    inner = {name: sizes_of(part) for name, part in parts if issubclass(part, PreTrainedConfig)}
    return sizes | SPECIALS | inner


@torch.inference_mode()
def output(architecture: Architecture, folder: Path, fed: Sequence[Tensor]) -> Tensor:
    """Return the logits that `transformers` computes; of a classifier, what it classifies by."""
    model = getattr(transformers, architecture.name).from_pretrained(folder).eval()
    hidden: list[Tensor] = []
    model.base_model.register_forward_hook(lambda _model, _args, found: hidden.append(found[0]))
    logits = model(**dict(zip(architecture.is_fed, fed, strict=True))).logits
    return hidden[-1] if architecture.is_classifier else logits


@torch.inference_mode()
def computed(opened: Transformer, fed: Sequence[Tensor]) -> Tensor:
    """Return what the opened model computes."""
    if len(fed) == 2:
        return opened(*fed)
    return opened(None, *fed) if "decoder" in opened.config.stacks else opened(*fed, None)


def weights_of(folder: Path) -> Mapping[str, Tensor]:
    """Return all weights in a folder."""
    files = [load_file(file) for file in folder.glob("*.safetensors")]
    return {name: each for file in files for name, each in file.items()}


def first_line(error: Exception) -> str:
    """Return the beginning of what an error says."""
    return str(error).strip().partition("\n")[0][:120] or type(error).__name__


if __name__ == "__main__":
    main(sys.argv[1:])
