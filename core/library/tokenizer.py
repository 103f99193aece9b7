"""The tokenizer of a checkpoint: as the library reads it, in the format of `tokenizers`.

Marian's stays in its own files: `tokenizers` has nothing like it.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from transformers import AutoTokenizer

from ..messages import error_text
from ..tokenizer.bpe_json import TokenizerError, reason_of, tokenizer_of_json
from ..tokenizer.fast_tokenizer import FILE
from ..tokenizer.sentencepiece import MARIAN_FILES, SOURCE, sentencepiece_model
from .checkpoint import LARGEST_FILE, OpeningError, is_gguf, read_bytes, read_settings
from .gguf import gguf_tokenizer
from .reading import settings_of

_ENDINGS = (".json", ".txt", ".model", ".bpe", ".tiktoken", ".jinja")
"""Of files that the library may read."""
_SETTINGS = ("tokenizer_config.json", "special_tokens_map.json")
_NAMES_FILE = re.compile("(files?|vocab|merges|spm|inputs|kwargs|object)$")
"""Settings that may name a file, which the library would read wherever it lies."""
_BYTES, _BYTES_A_TOKEN, _BYTES_A_TOKEN_WITH_MERGES = 4 << 20, 64, 256
"""Of a file of a tokenizer; Mistral Nemo's and Gemma's tokenizer.json have 130 a token."""
MOST_TOKENS = 1 << 22
"""The largest vocabularies have less than a tenth."""


def tokenizer_files(path: Path, told: Mapping[str, Any], n: int) -> dict[str, bytes]:
    """Return what a run's folder keeps of a tokenizer: name → content.

    Args:
        path: A folder, or a GGUF file.
        told: What `config.json` says.
        n: Tokens of the model.

    Raises:
        OpeningError: There is none that is known, or it is damaged.
    """
    if (path / SOURCE).is_file():
        return {name: read_bytes(path / name) for name in MARIAN_FILES if (path / name).is_file()}
    read = gguf_tokenizer(path) if is_gguf(path) else _of_folder(path, told, n)
    fast = getattr(read, "backend_tokenizer", None)
    if fast is None:
        raise OpeningError(
            "{path} has a tokenizer that runs in Python, and only those of the library "
            "`tokenizers`, and Marian's, are used here",
            path=path,
        )
    # Written down, it takes time and memory for each number up to the largest.
    if (most := max(fast.get_vocab().values(), default=0)) > MOST_TOKENS:
        raise OpeningError(
            "the tokenizer in {path} has a token with number {most}", path=path, most=most
        )
    stored = json.loads(fast.to_str())
    # The library adds special tokens of its own to a tokenizer without them.
    added = [each for each in stored["added_tokens"] if not each["special"] or each["id"] < n]
    return {FILE: json.dumps(stored | {"added_tokens": added}, ensure_ascii=False).encode()}


def _of_folder(path: Path, told: Mapping[str, Any], n: int) -> Any:
    try:
        with TemporaryDirectory() as room:
            _copy_harmless(path, Path(room), n)
            read = AutoTokenizer.from_pretrained(
                room, config=settings_of(told), trust_remote_code=False, local_files_only=True
            )
        _require_whole(path, read.vocab_files_names)
        return read
    except OpeningError:
        raise
    except TokenizerError as error:
        raise _unreadable(path, error_text(error)) from error
    # A damaged file has the library raise anything.
    except BaseException as error:
        raise _unreadable(path, reason_of(error)) from error


def _unreadable(path: Path, why: str) -> OpeningError:
    return OpeningError("the tokenizer in {path} cannot be read: {why}", path=path, why=why)


def _require_whole(path: Path, names: Mapping[str, str]) -> None:
    """Refuse a folder without the files of its tokenizer: the library makes an empty one."""
    needed = [name for kind, name in names.items() if kind != "tokenizer_file"]
    missing = [name for name in needed if not (path / name).is_file()]
    if missing and not (path / FILE).is_file():
        raise OpeningError(
            "there is no tokenizer in {path}: neither {file} nor {name}",
            path=path,
            file=FILE,
            name=missing[0],
        )


def _copy_harmless(path: Path, room: Path, n: int) -> None:
    """Copy the files that the library may read for a model with n tokens.

    Raises:
        OpeningError: A file is large or leads elsewhere.
        TokenizerError: It makes much of a character.
    """
    for file in sorted(path.iterdir()):
        if file.suffix not in _ENDINGS or file.is_dir():
            continue
        a_token = _BYTES_A_TOKEN_WITH_MERGES if file.name == FILE else _BYTES_A_TOKEN
        content = read_bytes(file, min(LARGEST_FILE, _BYTES + a_token * n))
        if file.name == FILE:
            tokenizer_of_json(content.decode("utf-8"))
        elif file.suffix == ".model" and not (path / FILE).is_file():
            sentencepiece_model(content, file.name)
        elif file.name in _SETTINGS:
            found = read_settings(file)
            # One may say how many tokens more there are: T5's extra_ids, which are made.
            kept = {
                name: value
                for name, value in found.items()
                if not _NAMES_FILE.search(name) and not (isinstance(value, int) and value > n)
            }
            content = json.dumps(kept).encode()
        (room / file.name).write_bytes(content)
