"""What a model's makers put around its texts: a chat template, a first token of each target."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...files import open_regular
from ...library.chat import ChatTemplate, chat_template
from ...library.checkpoint import is_gguf, read_settings
from ...tokenizer.tokenizer import Tokenizer
from .sources import CHAT_TEMPLATE

_ABOUT, _GENERATION = "tokenizer_config.json", "generation_config.json"
_TEMPLATE = "chat_template"
_LARGEST = 1 << 20
"""Bytes of a template."""


def chat_of(path: Path, told: Mapping[str, Any], tokenizer: Tokenizer) -> ChatTemplate | None:
    """Return what a model's chat template puts around a text; None where it has no template.

    Args:
        path: Its folder or GGUF file.
        told: What `config.json` says.
        tokenizer: Names the tokens that a template may ask for.
    """
    tokens = {}
    for name in ("bos_token", "eos_token", "pad_token"):
        number = told.get(f"{name}_id")
        first = number[0] if isinstance(number, list) and number else number
        tokens[name] = tokenizer.specials.get(first, "") if isinstance(first, int) else ""
    return chat_template(_template_in(path), tokens)


def _template_in(path: Path) -> str:
    """Return the template of a folder or a GGUF file; empty where it has none."""
    if is_gguf(path):
        # Here, for it takes seconds that folders do not need.
        from ...library.gguf import settings_in

        return str(settings_in(path).get(f"tokenizer.{_TEMPLATE}", ""))
    if (path / CHAT_TEMPLATE).is_file():
        with open_regular(path / CHAT_TEMPLATE) as file:
            return file.read(_LARGEST).decode("utf-8", errors="replace")
    found = _settings_in(path / _ABOUT).get(_TEMPLATE)
    if isinstance(found, list):
        # Some have several, for tools for example.
        named = [each for each in found if isinstance(each, dict)]
        found = next((each.get("template") for each in named if each.get("name") == "default"), "")
    return found if isinstance(found, str) else ""


def forced_id_of(path: Path, told: Mapping[str, Any], n_tokens: int) -> int:
    """Return the token with which every target begins after its start token; −1 for none.

    Args:
        path: The model's folder.
        told: What `config.json` says.
        n_tokens: Size of the target's vocabulary.
    """
    number = {**told, **_settings_in(path / _GENERATION)}.get("forced_bos_token_id")
    return number if type(number) is int and 0 <= number < n_tokens else -1


def _settings_in(file: Path) -> Mapping[str, Any]:
    return read_settings(file) if file.is_file() else {}
