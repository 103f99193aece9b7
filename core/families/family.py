"""How a checkpoint of another library becomes a model of this one: settings, and names of weights.

A family is a function from what its `config.json` says to a `ModelConfig`, and a list of renamings.
Nothing is guessed: a setting, a weight or a family that is not known is refused by name.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from reprlib import repr
from typing import Any

import torch
from torch import Tensor

from core.choices import Activation, RotaryPairs, Tied
from core.config import ModelConfig
from core.heads import Stack
from core.messages import SaidError
from core.model import Transformer, unfilled
from core.model.building import outline

Weights = Mapping[str, Tensor]


class FamilyError(SaidError, ValueError):
    """A checkpoint that cannot become a model; the message says what of it is not known."""


@dataclass(frozen=True, slots=True)
class Renaming:
    r"""What a weight is called here.

    >>> Renaming(r"layer\.(\d+)\.w", r"encoder.\1.query.weight").names("layer.3.w")
    ('encoder.3.query.weight',)
    """

    pattern: str
    """Matches the whole name."""
    to: str
    """Names with commas between them, each with the groups of the pattern; "" for a weight that is
    in the file and that the model computes itself."""
    made: Callable[[Tensor], Sequence[Tensor]] = lambda tensor: (tensor,)
    """Returns a tensor for each name."""

    def names(self, name: str) -> tuple[str, ...] | None:
        """Return what it is called; None where this is another weight."""
        found = re.fullmatch(self.pattern, name)
        if found is None:
            return None
        return tuple(found.expand(each) for each in self.to.split(",") if each)


@dataclass(frozen=True, slots=True)
class Family:
    """Models that differ in nothing but sizes and weights."""

    label: str
    """What people call it."""
    config: Callable[["Settings"], ModelConfig]
    renamings: tuple[Renaming, ...]


class Settings:
    """What a `config.json` says, and what its weights say for it."""

    def __init__(self, told: Mapping[str, Any], weights: Weights) -> None:
        self.told = told
        self.weights = weights

    def number(self, *names: str, default: int | None = None) -> int:
        """Return the first of some settings that is there.

        Raises:
            FamilyError: None is, and there is no default; or it is no whole number.
        """
        value = self._first(names, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise FamilyError(
                "{name} is {value}, not a whole number", name=names[0], value=repr(value)
            )
        return value

    def fraction(self, *names: str, default: float | None = None) -> float:
        """Return the first of some settings that is there, as `number` does."""
        value = self._first(names, default)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise FamilyError("{name} is {value}, not a number", name=names[0], value=repr(value))
        return float(value)

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a setting that is true or false.

        Raises:
            FamilyError: It is neither.
        """
        value = self.told.get(name, default)
        if not isinstance(value, bool):
            raise FamilyError("{name} is {value}, not true or false", name=name, value=repr(value))
        return value

    def activation(self, name: str, default: str) -> Activation:
        """Return what the units of a feed-forward layer do.

        Raises:
            FamilyError: It is not known here.
        """
        value = self.told.get(name, default)
        found = ACTIVATIONS.get(value) if isinstance(value, str) else None
        if found is None:
            raise FamilyError(
                "{name} is {value}; known are {known}",
                name=name,
                value=repr(value),
                known=", ".join(ACTIVATIONS),
            )
        return found

    def expect(self, name: str, *values: object) -> None:
        """Refuse a setting that is there and has another value than these.

        Raises:
            FamilyError: It has.
        """
        if name in self.told and self.told[name] not in values:
            known = " or ".join(map(repr, values))
            raise FamilyError(
                "{name} is {value}; only {known} is known",
                name=name,
                value=repr(self.told[name]),
                known=known,
            )

    def specials(self, *stacks: Stack) -> dict[str, Any]:
        """Return `pad_id`, `bos_id` and `eos_ids` of a model with these stacks.

        Of a decoder alone a text begins with what its tokenizer puts there, which is not said here.

        Raises:
            FamilyError: They are no ids, or decoding needs one that is not there.
        """
        pad = self._ids("pad_token_id")
        if "decoder" not in stacks:
            return {"pad_id": _first_of(pad), "bos_id": -1, "eos_ids": ()}
        ends = self._ids("eos_token_id")
        if "encoder" not in stacks:
            # What ends a text must be seen in it, although it also fills up the batches of others.
            filler = -1 if set(pad) & set(ends) else _first_of(pad)
            return {"pad_id": filler, "bos_id": -1, "eos_ids": ends}
        first = self._ids("decoder_start_token_id") or pad
        if not first:
            raise FamilyError("decoder_start_token_id is missing: with what does a target begin?")
        return {"pad_id": _first_of(pad), "bos_id": first[0], "eos_ids": ends}

    def _ids(self, name: str) -> tuple[int, ...]:
        """Return the ids of a setting that is one, several, null, or −1 for none."""
        value = self.told.get(name)
        values = value if isinstance(value, list) else [value]
        if not all(each is None or type(each) is int for each in values):
            raise FamilyError(
                "{name} is {value}, not the number of a token", name=name, value=repr(value)
            )
        return tuple(each for each in values if each is not None and each >= 0)

    def has(self, pattern: str) -> bool:
        """Say whether there is a weight of such a name."""
        return any(re.fullmatch(pattern, name) for name in self.weights)

    def size(self, pattern: str, axis: int = 0) -> int:
        """Return how long a weight is along an axis; the file is right where its settings differ.

        Raises:
            FamilyError: There is no such weight.
        """
        for name, tensor in self.weights.items():
            if re.fullmatch(pattern, name):
                if tensor.dim() <= axis:
                    raise FamilyError("{name} has {n} axes", name=name, n=tensor.dim())
                return int(tensor.shape[axis])
        raise FamilyError("there is no weight {name}", name=_example(pattern))

    def alike(self, head: str, embedding: str) -> bool:
        """Say whether the output projection is the embedding: it is not there, or it is equal.

        Not what `tie_word_embeddings` says: that has meant different things.
        """
        heads = [name for name in self.weights if re.fullmatch(head, name)]
        embeddings = [name for name in self.weights if re.fullmatch(embedding, name)]
        if not heads or not embeddings:
            return not heads
        one, other = self.weights[heads[0]], self.weights[embeddings[0]]
        return one.shape == other.shape and torch.equal(one, other)

    def _first(self, names: Iterable[str], default: object) -> object:
        return next((self.told[name] for name in names if name in self.told), default)


def load(
    family: Family,
    told: Mapping[str, Any],
    weights: Weights,
    rotary_pairs: RotaryPairs = "halves",
) -> Transformer:
    """Return a model with all weights of a checkpoint, in evaluation mode.

    Args:
        family: What it is.
        told: Its `config.json`.
        weights: Name → tensor, as its files call them.
        rotary_pairs: Which dimensions turn together: that depends on the file, not on the family.

    Raises:
        ConfigError: The sizes do not go together.
        FamilyError: Something of it is not known here, missing, or has another shape.
    """
    config = replace(family.config(Settings(told, weights)), rotary_pairs=rotary_pairs)
    made = converted(family, weights, config.tied, one_stack=config.alone is not None)
    # Before memory is asked for: settings may say any size.
    if max(config.n_encoder_layers, config.n_decoder_layers) > len(weights):
        raise FamilyError("this {label} has fewer weights than layers", label=family.label)
    try:
        places = outline(config).saved()
    except RuntimeError as error:
        raise FamilyError(
            "no {label} has matrices as large as these settings say", label=family.label
        ) from error
    if missing := sorted(set(places) - set(made)):
        raise FamilyError(
            "{name} is in no file of this {label} model", name=_named(missing), label=family.label
        )
    if left := sorted(set(made) - set(places)):
        raise FamilyError(
            "{name} has no place in a {label} model of these sizes",
            name=_named(left),
            label=family.label,
        )
    for name, place in places.items():
        if place.shape != made[name].shape:
            raise FamilyError(
                "{name} is {value}, where this {label} model has {wanted}",
                name=name,
                value=tuple(made[name].shape),
                label=family.label,
                wanted=tuple(place.shape),
            )
    model = unfilled(config)
    for name, place in model.saved().items():
        place.data = _numbers(name, made[name]).to(place.dtype)
    return model.eval()


def _numbers(name: str, tensor: Tensor) -> Tensor:
    """Return a weight.

    Raises:
        FamilyError: It is made of whole numbers, or of what is no number.
    """
    if not tensor.is_floating_point():
        raise FamilyError(
            "{name} is made of {kind}: no weights",
            name=name,
            kind=str(tensor.dtype).removeprefix("torch."),
        )
    if not bool(tensor.isfinite().all()):
        raise FamilyError("{name} holds something that is no number, or has no end", name=name)
    return tensor


def converted(
    family: Family, weights: Weights, tied: Tied, *, one_stack: bool = False
) -> dict[str, Tensor]:
    """Return weights under the names that they have here, each once.

    Raises:
        FamilyError: A weight is not known, or one that is there twice differs.
    """
    made: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        for renaming in family.renamings:
            if (names := renaming.names(name)) is not None:
                break
        else:
            raise FamilyError(
                "{name} is no weight that is known of a {label} model",
                name=name,
                label=family.label,
            )
        try:
            parts = renaming.made(tensor) if names else ()
            pairs = list(zip(names, parts, strict=True))
        except (IndexError, RuntimeError, ValueError) as error:
            raise FamilyError(
                "{name} is {value}, which no {label} model has",
                name=name,
                value=tuple(tensor.shape),
                label=family.label,
            ) from error
        for own, part in pairs:
            if own in made and not torch.equal(made[own], part):
                raise FamilyError(
                    "{name} differs from another weight that it should equal", name=name
                )
            made[own] = part
    shared = {
        "all": ("output.weight", "target_embedding.tokens.weight"),
        "target": ("output.weight",),
        "embeddings": ("target_embedding.tokens.weight",),
        "none": (),
    }[tied]
    for name in shared:
        if not (one_stack and name.startswith("target")):
            made.pop(name, None)
    return made


ACTIVATIONS: Mapping[str, Activation] = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
}
"""What other libraries call them → what they are called here."""


def _example(pattern: str) -> str:
    r"""Return a name that a pattern matches.

    >>> _example(r"(?:transformer\.)?wte\.weight"), _example(r"model\.(shared|tokens)\.weight")
    ('wte.weight', 'model.shared.weight')
    """
    without_options = re.sub(r"\(\?:[^()]*\)\?", "", pattern)
    return re.sub(r"\(([^()|]*)\|[^()]*\)", r"\1", without_options).replace(chr(92), "")


def _first_of(ids: Sequence[int]) -> int:
    return ids[0] if ids else -1


def _named(names: Sequence[str]) -> str:
    more = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
    return f"{names[0]}{more}"
