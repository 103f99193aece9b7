"""A model of another library becomes a run: its settings, its weights and its tokenizer.

    python -m core.studies.opening.opening RUNS/.opening-NAME SOURCE

The hidden folder tells how far it is; what comes of it stands beside it, as RUNS/NAME.
"""

import json
import os
import re
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

from ...config import ConfigError, ModelConfig
from ...config.training import TrainConfig
from ...device import use_one_thread
from ...files import open_regular, write_atomically
from ...installed import COMMAND
from ...jobs.job import Files, Job
from ...jobs.process import main, working
from ...library.chat import ChatTemplate, chat_template
from ...library.checkpoint import (
    CONFIG,
    Checkpoint,
    OpeningError,
    is_gguf,
    read_checkpoint,
    read_settings,
)
from ...limits import limit_process
from ...messages import N_, Message, error_text
from ...runs.checkpoint import CHECKPOINTS, LARGEST_READ, save_tensors, weights_file
from ...runs.folder import checked_name, free_name, incoming_folder, new_folder, versions
from ...runs.run import RunError, RunSettings, load_run
from ...tokenizer.bpe_json import TokenizerError
from ...tokenizer.opened import opened_tokenizers
from ...tokenizer.tokenizer import Tokenizer
from .sources import CHAT_TEMPLATE, local
from .survey import label_of, survey

OPENING = Job(
    "core.studies.opening.opening", N_("opening this model"), Files.named("opening"), error=RunError
)
HIDDEN = ".opening-"
"""How the name of the folder begins that tells how far it is."""
_SECONDS = 1800
"""Of computing; the largest model that is opened takes minutes."""
_PERCENT = 100
_BROUGHT, _READ, _WRITTEN = 0.5, 0.7, 0.9
"""Shares of the work that are done when a model is here, when it is read, when it is written."""


def start(source: str, parent: Path, name: str) -> Path:
    """Open a model in a process of its own, and return the folder that tells how far it is.

    Args:
        source: As `core.studies.opening.sources.local` takes it.
        parent: Where the run goes; made if missing.
        name: What it shall be called; a number is added where the name is taken.

    Raises:
        RunError: The name cannot be one, or the same is being opened.
        OSError: The folder cannot be written to.
    """
    folder = parent / f"{HIDDEN}{checked_name(name)}"
    folder.mkdir(parents=True, exist_ok=True)
    OPENING.start(folder, source)
    return folder


def being_opened(parent: Path) -> list[Path]:
    """Return the folders that tell of models being opened, or why one could not be."""
    return sorted(parent.glob(f"{HIDDEN}*")) if parent.is_dir() else []


def name_of(folder: Path) -> str:
    """Return the name of the run that a hidden folder stands for."""
    return folder.name.removeprefix(HIDDEN)


def open_model(source: str, path: Path) -> Iterator[float]:
    """Open a model as a run; what is yielded is the share of the work that is done, 0 to 1.

    Args:
        source: As `core.studies.opening.sources.local` takes it.
        path: The run's folder, which is there whole in the end, or not at all.

    Raises:
        RunError: It cannot be opened, or there is something in its place; the message says why.
        OSError: Something cannot be read or written.
    """
    if path.exists():
        raise RunError("{path} exists already", path=path)
    with incoming_folder(path.parent) as room, new_folder(path) as folder:
        try:
            found = yield from local(source, room, _BROUGHT)
            yield from _opened(found, source, folder, _command(source, path))
        except (ConfigError, OpeningError, RunError) as error:
            why = _renamed(_renamed(error_text(error), room, source), folder, str(path))
            if isinstance(error, RunError):
                raise RunError(why) from error
            raise RunError("{source} cannot be opened: {why}", source=source, why=why) from error
    yield 1.0


def _renamed(text: str, room: Path, name: str) -> str:
    """Return a text with the name that a user knows in place of a folder that is soon gone."""
    if not isinstance(text, Message):
        return text.replace(str(room), name)
    values = {
        key: _renamed(each, room, name) if isinstance(each, str) else each
        for key, each in text.values.items()
    }
    return Message(text.template, **values)


def _command(source: str, path: Path) -> str:
    """Return what opens the same model again, in the same place."""
    here = Path.cwd()
    place = path.resolve()
    shown = place.relative_to(here) if place.is_relative_to(here) else place
    return shlex.join([*COMMAND.split(), "import", source, str(shown)])


def _opened(found: Path, source: str, folder: Path, command: str) -> Iterator[float]:
    """Write the files of a run."""
    # Here, for it takes seconds that starting a process does not need.
    from ...library.reading import load_library_model
    from ...library.tokenizer import tokenizer_files

    surveyed = survey(found)
    checkpoint = read_checkpoint(found)
    model = load_library_model(checkpoint.told, checkpoint.weights)
    yield _READ
    config, n = model.config, sum(each.numel() for each in model.parameters())
    files = tokenizer_files(found, checkpoint.told, config.vocab_size)
    tokenizer = _tokenizer(files, config)
    if config.is_decoder_only:
        config = replace(config, bos_id=(*tokenizer.begins, -1)[0])
    settings = RunSettings(
        task="",
        preset="",
        model=config,
        training=TrainConfig(steps=1),
        versions=versions(),
        command=command,
        origin=source,
        family=label_of(checkpoint.told),
        n_parameters=n,
        n_left_out=max(0, surveyed.n_weights - n),
        precision=_precision(checkpoint.weights.values()),
        chat=chat_of(found, checkpoint.told, tokenizer) if config.is_decoder_only else None,
        forced_id=forced_id_of(found, checkpoint.told, config.n_target_tokens)
        if config.is_encoder_decoder
        else -1,
    )
    _write(folder, files, checkpoint, settings)
    yield _WRITTEN
    load_run(folder)


def _precision(tensors: Iterable[Tensor]) -> str:
    """Return the type of most weights."""
    numbers = Counter[str]()
    for each in tensors:
        numbers[str(each.dtype).removeprefix("torch.")] += each.numel()
    return numbers.most_common(1)[0][0]


def _tokenizer(files: Mapping[str, bytes], config: ModelConfig) -> Tokenizer:
    """Return what reads the model's texts.

    Raises:
        OpeningError: It does not fit the model, or has a part that is not read here.
    """
    sizes = config.vocab_size, config.n_target_tokens
    try:
        return opened_tokenizers(files, *sizes, config.pad_id)[0]
    except TokenizerError as error:
        raise OpeningError("its tokenizer cannot be read: {why}", why=error_text(error)) from error


def _write(
    folder: Path, files: Mapping[str, bytes], checkpoint: Checkpoint, settings: RunSettings
) -> None:
    (folder / CHECKPOINTS).mkdir()
    _write_tensors(checkpoint.weights, folder / CHECKPOINTS / weights_file(0))
    for name, content in files.items():
        write_atomically(folder / name, content)
    write_atomically(folder / CONFIG, _as_json(checkpoint.told))
    write_atomically(folder / "run.json", _as_json(settings.to_dict()))


def _write_tensors(tensors: Mapping[str, Tensor], file: Path) -> None:
    # The same tensor under two names is written twice.
    owned = {name: each.contiguous() for name, each in tensors.items()}
    first = {each.data_ptr(): name for name, each in reversed(owned.items())}
    owned = {n: each if first[each.data_ptr()] == n else each.clone() for n, each in owned.items()}
    if sum(each.nbytes for each in owned.values()) <= LARGEST_READ:
        save_tensors(owned, file)
        return
    try:
        # Tensor by tensor: packed in memory first it would take twice as much.
        save_file(owned, file)
    except SafetensorError as error:
        # What the system refuses the library says in its own words.
        if (found := re.search(r"os error (\d+)", str(error))) is None:
            raise
        raise OSError(int(found[1]), os.strerror(int(found[1])), str(file)) from error


def _as_json(content: object) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


def _process(folder: Path, source: str) -> Iterator[int]:
    """Open a model, telling in a hidden folder how far it is."""
    use_one_thread()
    limit_process(seconds=_SECONDS)
    path = folder.with_name(free_name(folder.parent, name_of(folder)))
    with working(OPENING, folder) as work:
        yield from work.counted(_by_percent(open_model(source, path)), _PERCENT)
    # Where it failed, the folder stays to say why.
    if not (folder / OPENING.files.progress).exists():
        shutil.rmtree(folder, ignore_errors=True)


def _by_percent(shares: Iterable[float]) -> Iterator[int]:
    """Yield every percent once, when so much is done.

    >>> list(_by_percent([0.01, 0.015, 0.03]))
    [1, 2, 3]
    """
    done = 0
    for share in shares:
        while done < round(share * _PERCENT):
            done += 1
            yield done


# ---- what a model's makers put around its texts


_ABOUT, _GENERATION = "tokenizer_config.json", "generation_config.json"
_TEMPLATE = "chat_template"
_LARGEST = 1 << 20
"""Bytes of a template."""


def chat_of(path: Path, told: Mapping[str, Any], tokenizer: Tokenizer) -> ChatTemplate | None:
    """Return what a model's chat template puts around a text; None where it has no template."""
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
    """Return the token with which every target begins after its start token; −1 for none."""
    number = {**told, **_settings_in(path / _GENERATION)}.get("forced_bos_token_id")
    return number if type(number) is int and 0 <= number < n_tokens else -1


def _settings_in(file: Path) -> Mapping[str, Any]:
    return read_settings(file) if file.is_file() else {}


if __name__ == "__main__":
    sys.exit(main(OPENING, _process))
