"""The processes that train one model together, each on its part of every batch.

`torchrun` starts them and gives each its rank; without it there is one. Only the first touches the
run folder: the others get a copy of it, so that machines need not share a disk.
"""

import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from ..device import best_device
from ..files import write_atomically
from ..model import Transformer
from ..runs.checkpoint import newest_checkpoint, weights_at
from ..tasks.corpus import FILES
from .tokenised import TOKENS

SHARED = ("run.json", "tokenizer.json", "words.txt", *FILES.values(), *TOKENS)


@dataclass(frozen=True, slots=True)
class Workers:
    """This process among those that train together."""

    rank: int = 0
    """The first is 0."""
    count: int = 1

    @property
    def leads(self) -> bool:
        """Whether this process writes the run folder and evaluates."""
        return self.rank == 0

    def joined(self, model: Transformer) -> nn.Module:
        """Return a model whose gradients are the mean over all processes."""
        if self.count == 1:
            return model
        # Layers that no decoder reads have no gradients to wait for.
        unread = model.config.memory == "first"
        return DistributedDataParallel(model, find_unused_parameters=unread)

    def together(self, joined: nn.Module, last: bool) -> AbstractContextManager[None]:
        """Context of a backward pass.

        Gradients are averaged over processes only in the last part of a batch.
        """
        if last or not isinstance(joined, DistributedDataParallel):
            return nullcontext()
        return cast(AbstractContextManager[None], DistributedDataParallel.no_sync(joined))

    def agreed(self, value: int, device: torch.device) -> int:
        """Return the value of the first process on every process."""
        if self.count == 1:
            return value
        shared = torch.tensor([value], device=device)
        distributed.broadcast(shared, src=0)
        return int(shared)

    def total(self, value: Tensor) -> Tensor:
        """Return the sum of a value over all processes."""
        if self.count > 1:
            value = value.clone()
            distributed.all_reduce(value)
        return value

    @contextmanager
    def folder(self, path: Path, device: torch.device) -> Iterator[Path]:
        """Yield the run folder, or a copy of what training needs of it, which is then removed."""
        if self.count == 1:
            yield path
            return
        files = _files(path) if self.leads else {}
        files = _shared_files(files, device)
        if self.leads:
            yield path
            return
        copy = Path(tempfile.mkdtemp(prefix="seq2see-"))
        try:
            for name, content in files.items():
                (copy / name).parent.mkdir(exist_ok=True)
                write_atomically(copy / name, content)
            yield copy
        finally:
            shutil.rmtree(copy, ignore_errors=True)


ALONE = Workers()


@contextmanager
def workers() -> Iterator[tuple[Workers, torch.device]]:
    """Yield the processes that `torchrun` started, and the device to use.

    May be nested: the outermost begins and ends the connection.
    """
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        yield ALONE, best_device()
        return
    if distributed.is_initialized():
        yield Workers(distributed.get_rank(), count), best_device()
        return
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    device = best_device()
    distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield Workers(distributed.get_rank(), count), device
    finally:
        distributed.destroy_process_group()


def _files(path: Path) -> dict[str, bytes]:
    files = [path / name for name in SHARED]
    if (checkpoint := newest_checkpoint(path)) is not None:
        files += [checkpoint, checkpoint.with_suffix(".state.safetensors")]
    elif (start := weights_at(path, 0)) is not None:
        files.append(start)
    return {str(file.relative_to(path)): file.read_bytes() for file in files if file.exists()}


def _shared_files(files: dict[str, bytes], device: torch.device) -> dict[str, bytes]:
    """Return the first process's files. As plain bytes: objects would be pickled."""
    sizes = json.dumps({name: len(content) for name, content in files.items()}).encode()
    sizes_of = json.loads(_shared_bytes(sizes, device))
    contents = io.BytesIO(_shared_bytes(b"".join(files.values()), device))
    return {name: contents.read(size) for name, size in sizes_of.items()}


def _shared_bytes(content: bytes, device: torch.device) -> bytes:
    length = torch.tensor([len(content)], device=device)
    distributed.broadcast(length, src=0)
    data = torch.empty(int(length), dtype=torch.uint8, device=device)
    if distributed.get_rank() == 0:
        data.copy_(torch.frombuffer(bytearray(content), dtype=torch.uint8))
    distributed.broadcast(data, src=0)
    return bytes(data.cpu().numpy())
