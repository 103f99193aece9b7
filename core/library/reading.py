"""Which class of the library a model is for, and the model with its weights.

Nothing foreign is executed: settings are JSON, weights are tensors that others have read, and only
classes that the library itself brings are made. Sizes are compared with the weights that there are
before memory is asked for.
"""

import json
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from reprlib import repr
from typing import Any

import torch
import transformers
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from transformers.models.auto import modeling_auto as auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from ..config import ModelConfig
from ..config.checks import MOST_LAYERS
from ..config.choices import Tied
from ..heads import Kind, Stack
from ..messages import MessageError
from ..model import Record
from ..tokenizer.bpe_json import reason_of
from .adapter import LibraryModel
from .calls import Calls
from .checkpoint import OpeningError
from .structure import Structure, find_structure

# Why a model cannot be made stands in the exception.
transformers.logging.set_verbosity(logging.CRITICAL)
transformers.logging.disable_progress_bar()

_ENCODER, _DECODER = Kind.ENCODER_SELF.stack, Kind.DECODER_SELF.stack
_WRITING: tuple[tuple[Mapping[str, Any], tuple[Stack, ...]], ...] = (
    (auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES, (_ENCODER, _DECODER)),
    (auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES, (_ENCODER,)),
    (auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, (_DECODER,)),
)
"""Model type → class, for each kind of model that scores words, and its stacks."""
_CLASSIFYING = auto.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES
_LEFT_OUT = (
    *("auto_map", "quantization_config", "attn_implementation", "experts_implementation"),
    *("num_labels", "id2label", "label2id"),
)
"""Settings that name code or kernels from elsewhere, or make the library walk a long list."""
_LAYERS = re.compile("(layers?|blocks|depth)$")
_LARGEST_NUMBER = 1 << 31
_LARGEST_BUFFERS = 1 << 26
"""Entries of all tables that a model computes by itself."""
_MOST_CALLS = 1 << 17
"""Calls of torch that make the parts of a model; of 256 usual layers there are a quarter."""
_SLACK = 1 << 20
"""Weights that may be missing in a file: those of a pooler, which nothing here uses."""
_N_IDS = 20
_CLOSE = 1e-4
"""Largest difference of what is computed with a probe and without, relative to the largest."""
_USUAL_POSITIONS = 2048
"""Longest text of a model whose positions end nowhere."""


@dataclass(frozen=True)
class LibraryClass:
    """A class of the library, and what is used of it."""

    name: str
    stacks: tuple[Stack, ...]
    has_output: bool
    """False for a model whose words get no scores: its layers are used alone."""

    @property
    def label(self) -> str:
        """What people call it.

        >>> LibraryClass("MistralForCausalLM", (), True).label
        'Mistral'
        """
        return re.split(r"For[A-Z]|LMHead|MTModel|Model$", self.name)[0]


def library_class(config: Mapping[str, Any]) -> LibraryClass:
    """Return the class that a `config.json` is for.

    Raises:
        OpeningError: The library has none that reads text and writes text, or classifies it.
    """
    model_type, named = config.get("model_type"), _architectures(config)
    if not isinstance(model_type, str) or model_type not in CONFIG_MAPPING:
        raise OpeningError(
            "model_type is {model_type}, which transformers {version} does not have",
            model_type=repr(model_type),
            version=transformers.__version__,
        )
    bare = auto.MODEL_MAPPING_NAMES.get(model_type)
    for names, stacks in _WRITING:
        # Saved without its output, a translator has that in its embeddings.
        fitting = {names.get(model_type), bare if len(stacks) > 1 else None}
        if model_type in names and (not named or fitting & set(named)):
            return LibraryClass(names[model_type], stacks, True)
    if isinstance(bare, str) and {_CLASSIFYING.get(model_type), bare} & set(named):
        if model_type in auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES:
            raise OpeningError(
                "{name} has a decoder; of classifiers, only those without one can be opened",
                name=named[0],
            )
        return LibraryClass(bare, (_ENCODER,), False)
    raise OpeningError(
        "{architectures} is none of the classes of transformers that continue a text, fill in "
        "words, translate, or classify a text",
        architectures=repr(named),
    )


def _architectures(config: Mapping[str, Any]) -> list[str]:
    """Return the classes that a `config.json` names."""
    named = config.get("architectures")
    return [name for name in named if isinstance(name, str)] if isinstance(named, list) else []


def settings_of(config: Mapping[str, Any]) -> Any:
    """Return what a `config.json` says, as the library has it.

    Raises:
        OpeningError: It does not go together, or a size is larger than that of any model.
    """
    try:
        return CONFIG_MAPPING[config["model_type"]].from_dict(_checked(config))
    except OpeningError:
        raise
    # Wrong settings have the library raise anything.
    except Exception as error:
        raise _not_made(error) from error


def outline(config: Mapping[str, Any]) -> Any:
    """Return the model of a `config.json` without memory for its weights.

    Raises:
        OpeningError: There is none of these settings.
    """
    made, settings = getattr(transformers, library_class(config).name), settings_of(config)
    try:
        with torch.device("meta"), _BoundedWork():
            return made._from_config(settings, attn_implementation="eager")
    except OpeningError:
        raise
    except Exception as error:
        raise _not_made(error) from error


class _BoundedWork(TorchFunctionMode):
    """Refuses a model with more parts than any has, while they are made."""

    def __init__(self) -> None:
        super().__init__()
        self._n = 0

    def __torch_function__(
        self, function: Any, _types: Any, args: Any = (), more: Any = None
    ) -> Any:
        """Count one call of torch, and make it."""
        self._n += 1
        if self._n > _MOST_CALLS:
            raise OpeningError("config.json speaks of more parts than any model has")
        return function(*args, **(more or {}))


def _not_made(error: Exception) -> OpeningError:
    return OpeningError("transformers cannot make this model: {why}", why=reason_of(error))


def load_library_model(config: Mapping[str, Any], weights: Mapping[str, Tensor]) -> LibraryModel:
    """Return a model with all weights of a checkpoint, in evaluation mode and single precision.

    Args:
        config: Its `config.json`.
        weights: Name → tensor, as its files call them.

    Raises:
        ConfigError: The sizes do not go together.
        OpeningError: Something of it is not known here, missing, or has another shape.
    """
    found, made = library_class(config), outline(config)
    _require_sizes(made, weights)
    _require_numbers(config, weights)
    try:
        model, report = type(made).from_pretrained(
            None,
            config=settings_of(config),
            state_dict=dict(weights),
            attn_implementation="eager",
            dtype=torch.float32,
            ignore_mismatched_sizes=True,
            output_loading_info=True,
        )
    except Exception as error:
        raise _not_made(error) from error
    missing = sorted(name for name in report["missing_keys"] if "pooler" not in name)
    if missing or report["mismatched_keys"]:
        name = (missing or [each[0] for each in report["mismatched_keys"]])[0]
        raise OpeningError("{name} is missing in its files, or has another shape", name=name)
    return _adapted(
        Calls(model.eval().requires_grad_(False), found.stacks, found.has_output), found
    )


def _checked(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings without those that are left out.

    Raises:
        OpeningError: A size is larger than that of any model.
    """
    named = {name: value for name, value in config.items() if name not in _LEFT_OUT}
    kept = json.loads(json.dumps(named), object_hook=_with_infinity)
    for name, value in _numbers("", kept):
        most = MOST_LAYERS if _LAYERS.search(name) else _LARGEST_NUMBER
        if abs(value) > most:
            raise OpeningError(
                "{name} is {value}, more than {most}", name=name, value=repr(value), most=most
            )
    return kept


def _with_infinity(value: dict[str, Any]) -> Any:
    """Return a number that JSON does not have, from the words that the library writes for it."""
    return float(value["__float__"]) if value.keys() == {"__float__"} else value


def _numbers(name: str, value: object) -> Iterator[tuple[str, int]]:
    """Yield every whole number among settings, with the name of the setting."""
    if isinstance(value, Mapping):
        for inner, each in value.items():
            yield from _numbers(str(inner), each)
    elif isinstance(value, list):
        for each in value:
            yield from _numbers(name, each)
    elif isinstance(value, int):
        yield name, value


def _require_sizes(outlined: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Refuse settings of a larger model than the weights are of, before memory is asked for."""
    n = sum(each.numel() for each in outlined.parameters())
    n_there = sum(each.numel() for each in weights.values())
    if n > 2 * n_there + _SLACK:
        raise OpeningError(
            "config.json speaks of {n} weights, and its files have {n_there}", n=n, n_there=n_there
        )
    if sum(each.numel() for each in outlined.buffers()) > _LARGEST_BUFFERS:
        raise OpeningError("config.json asks for tables of positions without end")


def _require_numbers(config: Mapping[str, Any], weights: Mapping[str, Tensor]) -> None:
    """Refuse weights that mean something else than the numbers that are there."""
    for name, each in weights.items():
        # Of quantized weights these are without their scales, which stand elsewhere.
        if each.is_complex() or (config.get("quantization_config") and each.element_size() == 1):
            raise OpeningError(
                "{name} is of type {type}, which is not read here",
                name=name,
                type=str(each.dtype).removeprefix("torch."),
            )


def _adapted(calls: Calls, found: LibraryClass) -> LibraryModel:
    """Find the structure of a model, and let the house use it."""
    try:
        settings = calls.model.config.get_text_config().to_dict()
        n = len(calls.embeddings[-1].weight)
        ids = _plain_ids(settings, n)
        structure = find_structure(calls, ids)
        config = _config(
            found, structure, settings, _n_positions(calls.model, settings), _tables(calls)
        )
        model = LibraryModel(config, calls, structure)
        _require_same(model, torch.tensor([ids]))
        return model
    except MessageError:
        raise
    # What is not text, or more than text, is asked for; or its settings have one of a wrong kind.
    except Exception as error:
        raise OpeningError(
            "a short text cannot be read by it: {why}", why=reason_of(error)
        ) from error


@torch.inference_mode()
def _require_same(model: LibraryModel, ids_1K: Tensor) -> None:
    """Refuse a model that computes something else when a probe sees its steps, or no numbers."""
    stacks = model.config.stacks
    fed = (ids_1K if _ENCODER in stacks else None, ids_1K if _DECODER in stacks else None)
    alone, seen = model(*fed), model(*fed, Record())
    if not bool(alone.isfinite().all()):
        raise OpeningError("its weights make NaN or infinity of a short text")
    if (alone - seen).abs().max() > _CLOSE * alone.abs().max():
        raise OpeningError("its steps, as they are seen, do not make what it computes")


def _tables(calls: Calls) -> dict[str, Any]:
    """Return how large the vocabularies are, and which of their matrices are one."""
    source, *others = [each.weight for each in calls.embeddings]
    target = (source, *others)[-1]
    output = calls.model.get_output_embeddings().weight if calls.has_output else target
    tied: Tied = "none"
    if calls.has_output and output is target:
        tied = "all" if source is target else "target"
    elif source is target and len(calls.stacks) > 1:
        tied = "embeddings"
    n_target = 0 if len(output) == len(source) else len(output)
    return {"vocab_size": len(source), "target_vocab_size": n_target, "tied": tied}


def _plain_ids(settings: Mapping[str, Any], n: int) -> list[int]:
    """Return tokens that have no meaning of their own to the model."""
    special = {value for name, value in _numbers("", settings) if "token" in name}
    return [number for number in range(n) if number not in special][-_N_IDS:]


def _n_positions(model: nn.Module, settings: Mapping[str, Any]) -> int:
    """Return the length of the longest text."""
    names = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length")
    n = next(
        (settings[name] for name in names if isinstance(settings.get(name), int)), _USUAL_POSITIONS
    )
    # RoBERTa and its kin leave positions out, up to that of padding.
    paddings = [
        module.padding_idx + 1
        for name, module in model.named_modules()
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None
    ]
    return max(1, int(n) - max(paddings, default=0))


def _config(
    found: LibraryClass,
    structure: Structure,
    settings: Mapping[str, Any],
    n_positions: int,
    tables: Mapping[str, Any],
) -> ModelConfig:
    """Return what is known of a model as settings; the simplest for what is not known."""
    return ModelConfig(
        n_encoder_layers=len(structure.plans.get(_ENCODER, ())),
        n_decoder_layers=len(structure.plans.get(_DECODER, ())),
        d_model=structure.d_model,
        d_ff=1,
        n_heads=structure.n_heads,
        d_k=structure.d_k,
        d_v=structure.d_v,
        dropout=0.0,
        norm="post" if structure.plans[found.stacks[-1]][-1].post_norm else "pre",
        positions="none",
        max_positions=n_positions,
        embedding_scale=False,
        has_output=found.has_output,
        architecture=found.name,
        **tables,
        **_specials(settings, found.stacks),
    )


def _specials(settings: Mapping[str, Any], stacks: tuple[Stack, ...]) -> dict[str, Any]:
    """Return `pad_id`, `bos_id` and `eos_ids` of a model with these stacks.

    Of a decoder alone a text begins with what its tokenizer puts there, which is not said here.

    Raises:
        OpeningError: They are no ids, or decoding needs one that is not there.
    """
    pad = _ids(settings, "pad_token_id")
    if _DECODER not in stacks:
        return {"pad_id": _first_of(pad), "bos_id": -1, "eos_ids": ()}
    ends = _ids(settings, "eos_token_id")
    if _ENCODER not in stacks:
        # What ends a text must be seen in it, although it also fills up the batches of others.
        filler = -1 if set(pad) & set(ends) else _first_of(pad)
        return {"pad_id": filler, "bos_id": -1, "eos_ids": ends}
    first = _ids(settings, "decoder_start_token_id") or pad
    if not first:
        raise OpeningError("decoder_start_token_id is missing: with what does a target begin?")
    return {"pad_id": _first_of(pad), "bos_id": first[0], "eos_ids": ends}


def _ids(settings: Mapping[str, Any], name: str) -> tuple[int, ...]:
    """Return the ids of a setting that is one, several, null, or −1 for none."""
    value = settings.get(name)
    values = value if isinstance(value, list) else [value]
    if not all(each is None or type(each) is int for each in values):
        raise OpeningError(
            "{name} is {value}, not the number of a token", name=name, value=repr(value)
        )
    return tuple(each for each in values if each is not None and each >= 0)


def _first_of(ids: tuple[int, ...]) -> int:
    return ids[0] if ids else -1
