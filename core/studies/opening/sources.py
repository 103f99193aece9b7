"""Where an opened model comes from: a folder, a zip of one, a GGUF file, or the Hugging Face Hub.

What is unpacked or fetched goes into a room that is thrown away afterwards.
"""

import re
import shutil
from collections.abc import Generator
from pathlib import Path

from ...messages import Message
from ...runs.archive import extract, opened_archive
from ...runs.run import RunError

CHAT_TEMPLATE = "chat_template.jinja"
LARGEST_SOURCE = 12 << 30
"""Bytes of a model's files; those that are not read do not count."""
_READ = (
    *("config.json", "model.safetensors", "model-*.safetensors", "model.safetensors.index.json"),
    *("pytorch_model.bin", "pytorch_model-*.bin", "pytorch_model.bin.index.json"),
    *("tokenizer*", "vocab.*", "*vocab.json", "merges.txt", "*.spm", "*.model"),
    *("special_tokens_map.json", "added_tokens.json", "generation_config.json"),
    CHAT_TEMPLATE,
)
"""Names of files that are of use."""
_ON_HUB = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_MOST_FILES = 1 << 10
"""Of a model; those of weights are usually fewer than a hundred."""
_SLACK = 1.02
"""So much room is left on the disk beyond what is unpacked."""
_ROOM_LEFT = 1 << 20
"""With less on the disk it is the disk that is full."""

Shares = Generator[float, None, Path]
"""Yields the share of all work that is done, and returns where the files are."""


def local(source: str, room: Path, share: float = 1.0) -> Shares:
    """Return the folder or the GGUF file that a source stands for.

    Args:
        source: A path, or owner/name for the Hub.
        room: Where what is unpacked or fetched goes.
        share: Of all the work, that is done when it is there.

    Raises:
        RunError: There is no such source, or it cannot be unpacked or fetched.
        OSError: The disk is full, or something cannot be read.
    """
    path = Path(source).expanduser()
    if path.is_dir() or (path.is_file() and path.suffix.lower() == ".gguf"):
        return path
    if path.is_file() and path.suffix.lower() == ".zip":
        return (yield from _unpacked(path, room, share))
    if path.exists():
        raise RunError(
            "{source} is no folder, no .zip and no .gguf file, and nothing else can be opened",
            source=source,
        )
    if _ON_HUB.fullmatch(source):
        return (yield from _fetched(source, room, share))
    raise RunError("{source}: there is no such folder or file", source=source)


def _unpacked(file: Path, room: Path, share: float) -> Shares:
    """Unpack the files of a model, and return the folder that they were in together."""
    with opened_archive(file.open("rb")) as archive:
        entries = [info for info in archive.infolist() if not info.is_dir()]
        wanted = [info for info in entries if _is_read(Path(info.filename).name)]
        paths = [Path(info.filename) for info in wanted]
        folders = {path.parent for path in paths if path.name == "config.json"}
        if len(folders) != 1:
            raise RunError(
                "{name} holds {n} folders with a config.json, not one",
                name=file.name,
                n=len(folders),
            )
        (folder,) = folders
        chosen = [info for info in wanted if Path(info.filename).parent == folder]
        if len(chosen) > _MOST_FILES:
            raise RunError(
                "{name} holds {n} files of a model, more than {most}",
                name=file.name,
                n=len(chosen),
                most=_MOST_FILES,
            )
        size = sum(info.file_size for info in chosen)
        _require_room(size, room)
        n_read = 0
        for info in chosen:
            extract(archive, info, room / Path(info.filename).name)
            n_read += info.file_size
            yield share * n_read / max(1, size)
    return room


def _fetched(name: str, room: Path, share: float) -> Shares:
    """Fetch the files of a model from the Hub."""
    # Here, for it takes half a second that few need.
    from huggingface_hub import HfApi, hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError

    offline = Message(
        "without a network a model is brought as a folder: on a computer that has one, run "
        "`hf download {name} --local-dir FOLDER`, copy FOLDER here and open it",
        name=name,
    )
    try:
        listed = HfApi().model_info(name, files_metadata=True, timeout=20).siblings or []
        sizes = {
            each.rfilename: each.size or 0
            for each in listed
            if "/" not in each.rfilename and _is_read(each.rfilename)
        }
        # Old folders hold the same weights twice.
        if any(each.endswith(".safetensors") for each in sizes):
            sizes = {each: size for each, size in sizes.items() if ".bin" not in each}
        if "config.json" not in sizes:
            raise RunError(
                "{name} on the Hub has no config.json: it is no model of transformers", name=name
            )
        _require_room(sum(sizes.values()), room)
        n_read = 0
        for each, size in sizes.items():
            hf_hub_download(name, each, local_dir=room)
            n_read += size
            yield share * n_read / max(1, sum(sizes.values()))
    except HfHubHTTPError as error:
        why = str(error).strip().partition("\n")[0]
        raise RunError("the Hub does not give {name}: {why}", name=name, why=why) from error
    except RunError:
        raise
    # The library lets out whatever its network does.
    except Exception as error:
        if shutil.disk_usage(room).free < _ROOM_LEFT:
            raise
        raise RunError("the Hub cannot be reached; {offline}", offline=offline) from error
    return room


def _is_read(name: str) -> bool:
    return any(Path(name).match(pattern) for pattern in _READ)


def _require_room(n_bytes: int, room: Path) -> None:
    """Refuse what is too large for what is opened here, or for the disk.

    Raises:
        RunError: It is.
    """
    if n_bytes > LARGEST_SOURCE:
        raise RunError(
            "its files have {n} GB; at most {most} GB are read",
            n=f"{n_bytes / 1e9:.1f}",
            most=f"{LARGEST_SOURCE / 1e9:.1f}",
        )
    free = shutil.disk_usage(room).free
    if n_bytes * _SLACK > free:
        raise RunError(
            "its files have {n} GB, and the disk has room for {free} GB",
            n=f"{n_bytes / 1e9:.1f}",
            free=f"{free / 1e9:.1f}",
        )
