"""Marian binary: one file with settings and weights, as the Marian toolkit itself writes it.

Version, count, then for each item four lengths; names, shapes, padding, values; all little-endian.
Weights get the names that a Hugging Face folder of a Marian has for them, and padding, which
Marian's own vocabulary does not have, is added as its last token, as the conversion there does it.
"""

import math
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.families.family import FamilyError
from core.messages import said

_Bytes = NDArray[np.uint8]
_VERSION, _FLOAT, _INT8, _TEXT = 1, 0x404, 0x4101, 0x101
_SETTINGS = "special:model.yml"
_FACTORS = "_QuantMultA"
"""What inputs are multiplied with where products are of whole numbers: here they are not."""
_LONGEST_NAME, _MOST_AXES = 200, 4
_POSITIONS = 512
"""Marian computes as many as it is asked for; opus-mt has so many."""
_EMBEDDING = "Wemb"
_NAMES = {_EMBEDDING: "model.shared.weight", "decoder_ff_logit_out_b": "final_logits_bias"}
_LAYER = re.compile(r"(encoder|decoder)_l([1-9][0-9]{0,3})_(\w+)")
_OF_LAYER = {
    **{
        f"{part}_{letter}{theirs}": f"{own}.{ours}.{kind}"
        for part, own in {"self": "self_attn", "context": "encoder_attn"}.items()
        for theirs, ours in {**{x: f"{x}_proj" for x in "qkv"}, "o": "out_proj"}.items()
        for letter, kind in {"W": "weight", "b": "bias"}.items()
    },
    **{
        f"{theirs}_ln_{their_kind}": f"{ours}_layer_norm.{kind}"
        for theirs, ours in {
            **{"self_Wo": "self_attn", "context_Wo": "encoder_attn"},
            **{"rnn_ffn": "rnn", "ffn_ffn": "final"},
        }.items()
        for their_kind, kind in {"scale": "weight", "bias": "bias"}.items()
    },
    **{"ffn_W1": "fc1.weight", "ffn_b1": "fc1.bias", "ffn_W2": "fc2.weight", "ffn_b2": "fc2.bias"},
    **{"rnn_W": "rnn.input.weight", "rnn_Wf": "rnn.forget.weight", "rnn_bf": "rnn.forget.bias"},
}
"""What Marian calls a weight of a layer → what a folder calls it."""
_KNOWN = {
    "type": ("transformer",),
    "transformer-decoder-autoreg": ("rnn", "self-attention"),
    "transformer-preprocess": ("",),
    "transformer-postprocess": ("dan", "an"),
    "transformer-postprocess-emb": ("d", ""),
    "transformer-postprocess-top": ("",),
    "transformer-ffn-depth": ("2",),
    "transformer-no-projection": ("false",),
    "transformer-tied-layers": ("[]",),
    "transformer-train-position-embeddings": ("false",),
    "tied-embeddings-all": ("true",),
    "layer-normalization": ("false",),
    "output-omit-bias": ("false",),
    "lemma-dim-emb": ("0",),
    "ulr": ("false",),
}
"""Settings that must be one of these where they are told; others make no other model."""


@dataclass(frozen=True, slots=True, eq=False)
class _Item:
    """A weight, or the settings, as they lie in the file."""

    name: str
    kind: int
    shape: tuple[int, ...]
    values: _Bytes
    """Bytes; what follows the last value but the scale of whole numbers is padding."""

    @property
    def size(self) -> int:
        """How many numbers it is made of."""
        return math.prod(self.shape)


def marian_file(path: Path) -> Path | None:
    """Return the Marian binary of a folder; None where it holds anything else.

    Raises:
        FamilyError: It is a link to somewhere else.
    """
    found = [file for file in sorted(path.glob("model.*.bin")) if file.is_file()]
    if len(found) != 1 or (path / "config.json").exists():
        return None
    if found[0].is_symlink() and not found[0].resolve().is_relative_to(path.resolve()):
        raise FamilyError("{file} leads out of its folder", file=found[0])
    return found[0]


def count_weights(file: Path) -> int:
    """Return how many numbers the weights of a Marian binary have, without reading them.

    Raises:
        FamilyError: It is damaged.
    """
    return sum(item.size for item in _items(file) if _is_weight(item))


def read_marian_binary(file: Path) -> tuple[Mapping[str, Any], Mapping[str, Tensor]]:
    """Return settings and weights under the names that a Marian folder has for them.

    Raises:
        FamilyError: It is damaged, or made in a way that is not known.
    """
    items = list(_items(file))
    weights = {_renamed(each.name): _tensor(file, each) for each in items if _is_weight(each)}
    shared, bias = (weights.get(name) for name in _NAMES.values())
    if shared is None or bias is None or shared.dim() != 2 or bias.dim() != 2:
        raise FamilyError("{file} has no {missing}", file=file, missing=" or no ".join(_NAMES))
    # The first decoder input is no word but a zero vector: that of padding.
    weights["model.shared.weight"] = torch.cat([shared, shared.new_zeros(1, shared.shape[1])])
    weights["final_logits_bias"] = torch.cat([bias, bias.new_zeros(len(bias), 1)], dim=1)
    told = next((item for item in items if item.name == _SETTINGS), None)
    if told is None:
        raise FamilyError(
            "{file} holds no {settings}: of what kind of model are its weights?",
            file=file,
            settings=_SETTINGS,
        )
    return _told(_settings(file, told), pad=len(shared)), weights


def _items(file: Path) -> Iterator[_Item]:
    """Yield what a file holds.

    Raises:
        FamilyError: It is of another version, or it says that it is longer than it is.
    """
    take = _taking(file)
    version, n_items = take(16).view("<u8").tolist()
    if version != _VERSION:
        raise FamilyError(
            "{file} is no Marian binary of version {version}: it says {said}",
            file=file,
            version=_VERSION,
            said=version,
        )
    table = np.frombuffer(take(32 * n_items), "<u8").reshape(-1, 4).tolist()
    for name_length, _, n_axes, _ in table:
        if not 0 < name_length <= _LONGEST_NAME or not 0 < n_axes <= _MOST_AXES:
            raise FamilyError(
                "{file} is damaged: a name of {n} bytes, {n_axes} axes",
                file=file,
                n=name_length,
                n_axes=n_axes,
            )
    names = [bytes(take(row[0])).rstrip(b"\0").decode("utf-8", "replace") for row in table]
    shapes = [tuple(np.frombuffer(take(4 * row[2]), "<i4").tolist()) for row in table]
    take(int(take(8).view("<u8")[0]))
    if len(set(names)) < len(names):
        raise FamilyError("{file} is damaged: it holds something twice", file=file)
    for name, shape, (_, kind, _, n_bytes) in zip(names, shapes, table, strict=True):
        item = _Item(name, kind, shape, take(n_bytes))
        _require_sound(file, item)
        yield item


def _taking(file: Path) -> Callable[[int], _Bytes]:
    """Return a function that takes so many more bytes of a file, which stays on disk."""
    try:
        content = np.memmap(file, np.uint8, "r")
    except (OSError, ValueError) as error:
        raise FamilyError("{file} cannot be read: {why}", file=file, why=said(error)) from error
    at = 0

    def take(n: int) -> _Bytes:
        nonlocal at
        if at + n > len(content):
            raise FamilyError(
                "{file} is damaged: it ends {n} bytes too early", file=file, n=at + n - len(content)
            )
        at += n
        return np.asarray(content[at - n : at])

    return take


def _require_sound(file: Path, item: _Item) -> None:
    """Refuse an item of a kind that is not known, or with fewer values than its shape says.

    Raises:
        FamilyError: It is.
    """
    needed = {_FLOAT: 4 * item.size, _INT8: item.size + 4, _TEXT: 0}.get(item.kind)
    if needed is None:
        raise FamilyError(
            "{file}: {name} is of type {kind}; known are {float} (float32) and "
            "{int8} (int8 with a scale)",
            file=file,
            name=item.name,
            kind=f"{item.kind:#x}",
            float=f"{_FLOAT:#x}",
            int8=f"{_INT8:#x}",
        )
    if min(item.shape) < 1 or needed > len(item.values):
        raise FamilyError(
            "{file} is damaged: {name} has the shape {shape} and {n} bytes",
            file=file,
            name=item.name,
            shape=item.shape,
            n=len(item.values),
        )


def _is_weight(item: _Item) -> bool:
    return item.name != _SETTINGS and not item.name.endswith(_FACTORS)


def _tensor(file: Path, item: _Item) -> Tensor:
    """Return a weight; a matrix as `nn.Linear` has it: what comes out of it first."""
    n, shape = item.size, item.shape
    is_matrix = len(shape) == 2 and shape[0] > 1 and item.name != _EMBEDDING
    if item.kind == _FLOAT:
        values = torch.from_numpy(item.values[: 4 * n].view("<f4").reshape(shape).copy())
        found = values.T if is_matrix else values
    elif item.kind == _INT8:
        scale = struct.unpack("<f", item.values[n : n + 4].tobytes())[0]
        if not 0 < scale < math.inf:
            raise FamilyError(
                "{file} is damaged: the scale of {name} is {scale}",
                file=file,
                name=item.name,
                scale=scale,
            )
        # Whole numbers are written transposed already, under the shape of before.
        stored = item.values[:n].view(np.int8).reshape(shape[::-1] if is_matrix else shape)
        found = torch.from_numpy(stored.astype(np.float32)) / scale
    else:
        raise FamilyError("{file}: {name} is text, and no weight", file=file, name=item.name)
    return found.reshape(-1) if shape[0] == 1 and item.name not in _NAMES else found


def _renamed(name: str) -> str:
    """Return what a Marian folder calls a weight; the name itself where it has none.

    >>> _renamed("encoder_l2_self_Wo_ln_scale"), _renamed("mystery")
    ('model.encoder.layers.1.self_attn_layer_norm.weight', 'mystery')
    """
    if name in _NAMES:
        return _NAMES[name]
    found = _LAYER.fullmatch(name)
    if found is None or found[3] not in _OF_LAYER:
        return name
    return f"model.{found[1]}.layers.{int(found[2]) - 1}.{_OF_LAYER[found[3]]}"


def _settings(file: Path, item: _Item) -> Mapping[str, str]:
    """Return what is told in YAML of one level; lists are of no use here.

    Raises:
        FamilyError: A setting has a value that makes it another model than is known here.
    """
    lines = bytes(item.values).rstrip(b"\0").decode("utf-8", "replace").splitlines()
    pairs = [line.partition(":") for line in lines if not line.startswith((" ", "-", "#"))]
    told = {name: value.strip().strip('"') for name, _, value in pairs}
    for name, known in _KNOWN.items():
        if told.get(name, known[0]) not in known:
            says = " or ".join(repr(each) for each in known)
            raise FamilyError(
                "{file}: {name} is {value}; only {known} is known",
                file=file,
                name=name,
                value=repr(told[name]),
                known=says,
            )
    for name in _NUMBERS:
        if not re.fullmatch("[1-9][0-9]{0,8}", told.get(name, "")):
            raise FamilyError(
                "{file}: {name} is {value}, not a whole number above 0",
                file=file,
                name=name,
                value=repr(told.get(name)),
            )
    return told


_NUMBERS = ("dim-emb", "enc-depth", "dec-depth", "transformer-heads", "transformer-dim-ffn")


def _told(settings: Mapping[str, str], pad: int) -> Mapping[str, Any]:
    """Return what a `config.json` would say; the last three it has no words for."""
    d_model, n_encoder, n_decoder, heads, width = (int(settings[name]) for name in _NUMBERS)
    # Marian turns the slowest pair of dimensions by exactly 1 / 10000 of a radian at each position.
    half = d_model / 2
    is_recurrent = settings.get("transformer-decoder-autoreg") == "rnn"
    if is_recurrent and settings.get("dec-cell") != "ssru":
        raise FamilyError(
            "dec-cell is {value}; only 'ssru' is known", value=repr(settings.get("dec-cell"))
        )
    return {
        "model_type": "marian",
        "d_model": d_model,
        **{"encoder_layers": n_encoder, "decoder_layers": n_decoder},
        **{f"{stack}_attention_heads": heads for stack in ("encoder", "decoder")},
        **{f"{stack}_ffn_dim": width for stack in ("encoder", "decoder")},
        "activation_function": settings.get("transformer-ffn-activation", "swish"),
        "scale_embedding": True,
        "max_position_embeddings": _POSITIONS,
        **{"pad_token_id": pad, "decoder_start_token_id": pad, "eos_token_id": 0},
        "decoder_mixing": "ssru" if is_recurrent else "attention",
        "norm_eps": 1e-9,
        "sinusoid_base": 1e4 ** (half / (half - 1)) if half > 1 else 1e4,
    }
