"""run.json: how a run was made, or where an opened model comes from."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from reprlib import repr
from typing import Any

from ..config import ConfigError, ModelConfig
from ..config.training import TrainConfig
from ..library.chat import ChatTemplate
from ..messages import Message, error_text
from .files import LINES, about, read_json

FORMAT = 1


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The content of run.json: how the run was made."""

    task: str
    """A name of `TASKS`, or the file of pairs in the run's folder; of an opened model empty, until
    it is given pairs or lines."""
    preset: str
    model: ModelConfig
    training: TrainConfig
    versions: Mapping[str, str]
    command: str
    origin: str = ""
    """Origin of an opened model: a folder, a file, or owner/name; empty for own runs."""
    family: str = ""
    """Family of an opened model: BERT, GPT-2 and so on."""
    n_left_out: int = 0
    """Weights in the files of an opened model that it does not compute with."""
    precision: str = ""
    """Of an opened model's weights, as its files have them, such as bfloat16; empty if unknown."""
    chat: ChatTemplate | None = None
    """Of an opened decoder alone that has one."""
    forced_id: int = -1
    """The token with which every target of an opened model begins after its start token, the
    target's language for example; −1 for none."""
    start: str = ""
    """The run and step whose weights it started from; empty for new weights."""
    n_parameters: int = 0
    """Of a model that the `transformers` library computes; of others the sizes say it."""

    @property
    def is_opened(self) -> bool:
        """Whether the model comes from elsewhere: then nothing is known of its training."""
        return bool(self.family)

    @property
    def has_pairs(self) -> bool:
        """Whether there are pairs to measure on: of a task, or the user's own."""
        return self.task not in ("", LINES)

    @property
    def has_lines(self) -> bool:
        """Whether an opened model of one stack was given lines of text to measure on."""
        return self.task == LINES

    @property
    def beside_own_pairs(self) -> bool:
        """Whether own pairs were learned beside the sentences that the task makes.

        They may be missing by now: then only generated sentences can be evaluated again.
        """
        return " --beside " in self.command

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON values."""
        names = ("origin", "family", "n_left_out", "precision") if self.is_opened else ()
        opened = {name: getattr(self, name) for name in names}
        if self.chat is not None:
            opened["chat"] = asdict(self.chat)
        if self.forced_id >= 0:
            opened["forced_id"] = self.forced_id
        return {
            "format": FORMAT,
            "task": self.task,
            "preset": self.preset,
            "model": self.model.to_dict(),
            "training": self.training.to_dict(),
            "versions": dict(self.versions),
            "command": self.command,
            **opened,
            **({"start": self.start} if self.start else {}),
            **({"n_parameters": self.n_parameters} if self.n_parameters else {}),
        }


def read_settings(path: Path) -> RunSettings:
    """Read run.json.

    Raises:
        RunError: It is missing, damaged, or of another format.
    """
    stored = read_json(path, "run.json")
    if stored.get("format") != FORMAT:
        raise about(
            path,
            Message(
                "run.json has format {format}, not {known}",
                format=repr(stored.get("format")),
                known=FORMAT,
            ),
        )
    if stored.get("family") and not _is_computed_by_library(path, stored):
        raise about(
            path,
            Message(
                "an older version opened this model; delete the run and open it again: {command}",
                command=str(stored.get("command")),
            ),
        )
    try:
        model = ModelConfig.from_dict(stored["model"])
        forced_id = int(stored.get("forced_id", -1))
        if forced_id >= model.n_target_tokens:
            raise ValueError(f"forced_id is {forced_id}, and there is no such token")
        return RunSettings(
            task=str(stored["task"]),
            preset=str(stored["preset"]),
            model=model,
            training=TrainConfig.from_dict(stored["training"]),
            versions=dict(stored["versions"]),
            command=str(stored["command"]),
            origin=str(stored.get("origin", "")),
            family=str(stored.get("family", "")),
            n_left_out=int(stored.get("n_left_out", 0)),
            precision=str(stored.get("precision", "")),
            chat=ChatTemplate.from_dict(stored["chat"]) if "chat" in stored else None,
            forced_id=forced_id,
            start=str(stored.get("start", "")),
            n_parameters=int(stored.get("n_parameters", 0)),
        )
    except KeyError as error:
        raise about(path, Message("run.json does not say {name}", name=error)) from error
    except (ConfigError, TypeError, ValueError, OverflowError) as error:
        raise about(
            path, Message("{name}: {why}", name="run.json", why=error_text(error))
        ) from error


def _is_computed_by_library(path: Path, stored: Mapping[str, Any]) -> bool:
    """Say whether an opened model lies here as now: older versions kept it in another form."""
    model = stored.get("model")
    has_tokenizer = (path / "tokenizer.json").exists() or (path / "source.spm").exists()
    return isinstance(model, dict) and bool(model.get("architecture")) and has_tokenizer
