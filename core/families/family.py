"""How a checkpoint of another library becomes a model of this one: settings, and names of weights.

A family is a function from what its `config.json` says to a `ModelConfig`, and a list of renamings.
Nothing is guessed: a setting, a weight or a family that is not known is refused by name.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from reprlib import repr
from typing import Any

import torch
from torch import Tensor

from ..config import ModelConfig
from ..config.choices import Activation
from ..heads import Stack
from ..messages import MessageError

Weights = Mapping[str, Tensor]


class FamilyError(MessageError, ValueError):
    """A checkpoint that cannot become a model; the message says what of it is not known."""


LARGEST_NUMBER = 1e30
"""Of a setting: larger ones leave the range of 32 bits."""


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
        if not abs(value) <= LARGEST_NUMBER:
            raise FamilyError("{name} is too large a number", name=names[0])
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
        """Return a weight's size along an axis; it overrules what config.json says.

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
        """Return whether output projection and embedding are tied.

        The file has no projection, or the two are equal.

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
