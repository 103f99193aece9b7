"""A run that begins with the weights of another instead of fresh ones."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from core.config import ConfigError, ModelConfig
from core.files import write_atomically
from core.runs.checkpoint import START, save_weights, weights_file
from core.runs.run import Run, load_run, read_settings
from core.training.presets import Preset
from core.training.settings import LIKE, MODEL, Setting


@dataclass(frozen=True, slots=True)
class Start:
    """The run that another begins with."""

    run: Run

    def __str__(self) -> str:
        return f"{self.run.name}, step {self.run.step}"

    def write(self, folder: Path) -> None:
        """Put its weights into a new run's folder as those of step 0, and the words that it knows.

        Raises:
            OSError: They cannot be written.
        """
        (folder / START).mkdir()
        save_weights(self.run.model, folder / START / weights_file(0))
        write_atomically(folder / "words.txt", "\n".join(sorted(self.run.known_words)).encode())


def start_of(path: Path, model: ModelConfig) -> Start:
    """Return the run to begin with, as it opens.

    Raises:
        RunError: There is none, or it is damaged.
        ConfigError: Its model is another than the one to be trained.
    """
    run = load_run(path)
    other = run.settings.model.to_dict()
    # How long targets are, the new pairs say.
    wanted = replace(model, target_ratio=run.settings.model.target_ratio).to_dict()
    differing = sorted(name for name in {*other, *wanted} if other.get(name) != wanted.get(name))
    if run.settings.is_opened or differing:
        what = ", ".join(differing) or "its tokenizer"
        raise ConfigError(
            "{path} has another model than the one to be trained: {what}", path=path, what=what
        )
    return Start(run)


def with_model_of(start: Path, preset: Preset, changes: Mapping[str, Setting]) -> Preset:
    """Return a preset with the model of the run that is begun with.

    Raises:
        ConfigError: Settings of the model were to change.
        RunError: There is no such run.
    """
    if given := sorted(set(changes) & {*MODEL, LIKE}):
        raise ConfigError(
            "{name} cannot change: the model is that of {start}", name=given[0], start=start
        )
    return replace(preset, model=read_settings(start).model)
