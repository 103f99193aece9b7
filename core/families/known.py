"""The families that are known, by the name that a `config.json` has for them."""

from collections.abc import Mapping
from reprlib import repr
from typing import Any

from .bert import BERT
from .family import Family, FamilyError
from .gpt2 import GPT2
from .llama import LLAMA
from .marian import MARIAN
from .t5 import T5

FAMILIES: Mapping[str, Family] = {
    "bert": BERT,
    "gpt2": GPT2,
    "llama": LLAMA,
    "marian": MARIAN,
    "t5": T5,
}
"""`model_type` of a `config.json` → family."""


def is_converted(told: Mapping[str, Any]) -> bool:
    """Say whether a model is computed by our own modules; others the library computes."""
    classifies = any(name.endswith("ForSequenceClassification") for name in architectures(told))
    model_type = told.get("model_type")
    return isinstance(model_type, str) and model_type in FAMILIES and not classifies


def architectures(told: Mapping[str, Any]) -> list[str]:
    """Return the classes that a `config.json` names."""
    named = told.get("architectures")
    return [name for name in named if isinstance(name, str)] if isinstance(named, list) else []


def family_of(model_type: object) -> Family:
    """Return the family that a `config.json` names.

    Raises:
        FamilyError: It is not known here; the message says which are.
    """
    found = FAMILIES.get(model_type) if isinstance(model_type, str) else None
    if found is None:
        known = ", ".join(family.label for family in FAMILIES.values())
        raise FamilyError(
            "model_type is {model_type}; known are {known}",
            model_type=repr(model_type),
            known=known,
        )
    return found
