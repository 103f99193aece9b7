"""Writing a run folder; `core.run` says what is in it and reads it."""

import json
import os
import platform
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy
import safetensors
import tokenizers
import torch
from filelock import FileLock, Timeout

from core.checkpoint import save_state, save_weights, write_atomically
from core.model import Transformer
from core.run import PAIRS, RunError, RunSettings, checkpoint_step, newest_checkpoint
from core.tokenizer import Tokenizer

LOCK = ".lock"
"""Nothing is in it: who trains a run holds it."""


def versions() -> dict[str, str]:
    """Return the versions that a run's numbers depend on."""
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "tokenizers": tokenizers.__version__,
        "safetensors": safetensors.__version__,
        "numpy": numpy.__version__,
    }


class RunFolder:
    """The folder of a training that is under way; every file is written whole or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other trainings away from the folder; the hold ends with the process, even killed.

        Raises:
            RunError: Another process trains this run.
        """
        try:
            with FileLock(self.path / LOCK, timeout=0):
                yield
        except Timeout as error:
            raise RunError(f"{self.path}: another process is training this run") from error

    def begin(self, settings: RunSettings, tokenizer: Tokenizer, pairs: bytes = b"") -> None:
        """Write what is known before the first step, with the user's own pairs if there are any.

        Raises:
            FileExistsError: The folder holds something already.
        """
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise FileExistsError(f"{self.path} exists already")
        if pairs:
            write_atomically(self.path / PAIRS, pairs)
        write_atomically(self.path / "tokenizer.json", tokenizer.to_json().encode())
        # Last, because it is what makes a folder a run.
        self.write_json("run.json", settings.to_dict())

    def checkpoint(
        self, model: Transformer, optimizer: torch.optim.Optimizer, step: int, words: set[str]
    ) -> None:
        """Write all that training needs to go on from here, and drop the checkpoint before."""
        before = newest_checkpoint(self.path)
        stem = self.path / "checkpoints" / f"step-{step:08d}"
        self.write_words(words)
        # The weights come last: a checkpoint counts from the moment that they are there.
        save_state(optimizer, stem.with_suffix(".state.safetensors"))
        save_weights(model, stem.with_suffix(".safetensors"))
        if before is not None and checkpoint_step(before) < step:
            before.unlink()
            before.with_suffix(".state.safetensors").unlink(missing_ok=True)

    def clear_torn(self) -> None:
        """Remove what a killed training had half written, or had not yet removed."""
        checkpoints = self.path / "checkpoints"
        newest = newest_checkpoint(self.path)
        kept = set() if newest is None else {newest, newest.with_suffix(".state.safetensors")}
        temporary = [file for file in self.path.glob(".*") if file.name != LOCK]
        for file in (*temporary, *(set(checkpoints.glob("*")) - kept)):
            if file.is_file():
                file.unlink(missing_ok=True)

    def write_words(self, words: Iterable[str]) -> None:
        """Write the source words that training saw."""
        write_atomically(self.path / "words.txt", "\n".join(sorted(words)).encode())

    def add_metrics(self, record: Mapping[str, Any]) -> None:
        """Append one measured step."""
        with (self.path / "metrics.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def cut_metrics(self, step: int) -> None:
        """Forget what was measured after a step, before going on from there."""
        metrics = self.path / "metrics.jsonl"
        if metrics.exists():
            kept = [line for line in _whole_lines(metrics) if json.loads(line)["step"] <= step]
            write_atomically(metrics, "".join(f"{line}\n" for line in kept).encode())

    def write_status(self, state: str, step: int) -> None:
        """Say how far training is; `state` is running, finished or stopped."""
        status = {"state": state, "step": step, "heartbeat": time.time(), "pid": os.getpid()}
        self.write_json("status.json", status)

    def write_json(self, name: str, content: Mapping[str, Any]) -> None:
        """Write one JSON file."""
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        write_atomically(self.path / name, text.encode())


def _whole_lines(path: Path) -> list[str]:
    """Return the lines of a file that end; the last one may have been cut off while written."""
    text = path.read_text(encoding="utf-8")
    return text[: text.rfind("\n") + 1].splitlines()
