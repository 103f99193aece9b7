"""What one of many who share a machine may train, so that it is enough for all."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.config import ConfigError, ModelConfig
from core.config.training import TrainConfig
from core.messages import N_, Message
from core.model import count_parameters
from pages.frame.service import Service

MEGABYTE = 1_000_000
BYTES_OF_PARAMETER = 24
"""Of a training's files at most: a checkpoint with two numbers of the optimizer beside each
parameter, the best weights, and those of the watching page."""
BYTES_OF_WEIGHT = 4
"""And what it keeps of each in every further checkpoint, for the mean of them."""
TOKENS_OF_PAIR, SAMPLES_OF_PAIR = 64, 8
"""For each pair that a batch may have, where its tokens or its samples are counted."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one may have."""

    parameters: int = 2_000_000
    steps: int = 5_000
    batch_size: int = 256
    upload_megabytes: int = 20
    disk_megabytes: int = 200
    at_once: int = 2
    """Trainings and measurements of all together that are under way."""
    at_once_of_one: int = 1
    """And those of one, with what waits in line."""
    waiting: int = 20
    """Trainings that wait in line."""
    job_megabytes: int = 3_000
    """Memory of each training and measurement, the teacher's too."""
    disk_megabytes_of_all: int = 20_000
    """Of the runs of all together, however many names there are."""
    memory_megabytes: int = Service.memory_megabytes
    """For all models and results that a process keeps in memory, for all together."""

    def require(self, model: ModelConfig, training: TrainConfig) -> None:
        """Refuse a training that is too large.

        Raises:
            ConfigError: The message says what is, and what would do.
        """
        found = {
            N_("too many parameters: {n}, and here {most} at most"): (
                count_parameters(model),
                self.parameters,
            ),
            N_("too many steps: {n}, and here {most} at most"): (training.steps, self.steps),
            N_("too many pairs in a batch: {n}, and here {most} at most"): (
                training.batch_size,
                self.batch_size,
            ),
            N_("too many tokens in a batch: {n}, and here {most} at most"): (
                training.batch_tokens,
                self.batch_size * TOKENS_OF_PAIR,
            ),
            N_("too many samples for a batch: {n}, and here {most} at most"): (
                training.batch_size * training.samples if training.makes_rewards_large else 0,
                self.batch_size * SAMPLES_OF_PAIR,
            ),
        }
        for text, (n, most) in found.items():
            if n > most:
                raise ConfigError(Message(text, n=n, most=most))

    def require_room(
        self, used: int, model: ModelConfig | None = None, n_checkpoints: int = 1, of_all: int = 0
    ) -> None:
        """Refuse what would take more of the disk than one may have.

        Args:
            used: Bytes that are taken already.
            model: What is to be trained; None for something that takes no more to speak of.
            n_checkpoints: Those whose weights stay.
            of_all: Bytes that the runs of all together take already.

        Raises:
            ConfigError: There is no room; the message says how much is taken.
        """
        of_each = BYTES_OF_PARAMETER + BYTES_OF_WEIGHT * (n_checkpoints - 1)
        more = 0 if model is None else of_each * count_parameters(model)
        if used + more > self.disk_megabytes * MEGABYTE:
            text = N_(
                "your runs take {used} MB of {most} MB, and this needs {more} MB: delete one first"
            )
            raise ConfigError(
                Message(
                    text,
                    used=-(-used // MEGABYTE),
                    most=self.disk_megabytes,
                    more=-(-more // MEGABYTE),
                )
            )

        if of_all + more > self.disk_megabytes_of_all * MEGABYTE:
            text = N_("the runs of the class take {used} MB of {most} MB: ask the teacher for room")
            raise ConfigError(
                Message(text, used=-(-of_all // MEGABYTE), most=self.disk_megabytes_of_all)
            )

    def require_turn(self, n_own: int, n: int) -> None:
        """Refuse long work where as much is under way as may be.

        Args:
            n_own: One's own, under way or in line.
            n: Those of all together that are under way.

        Raises:
            ConfigError: The message says whose it is that has to end first.
        """
        self._require_own_turn(n_own)
        if n >= self.at_once:
            text = N_(
                "others are at work, as many as may at once ({most}): try again when one has ended"
            )
            raise ConfigError(Message(text, most=self.at_once))

    def waits(self, n_own: int, n: int, n_waiting: int) -> bool:
        """Return whether a training has to wait in line; refuse it where it may not even do that.

        Args:
            n_own: One's own trainings and measurements, under way or in line.
            n: Those of all together that are under way.
            n_waiting: Trainings in line.

        Raises:
            ConfigError: The message says why it may not.
        """
        self._require_own_turn(n_own)
        # Nobody overtakes those who wait.
        if n < self.at_once and not n_waiting:
            return False
        if n_waiting >= self.waiting:
            text = N_("too many trainings wait in line already ({most}): try again later")
            raise ConfigError(Message(text, most=self.waiting))
        return True

    def _require_own_turn(self, n_own: int) -> None:
        if n_own >= self.at_once_of_one:
            raise ConfigError(N_("your last training or measurement is under way, or in line"))


def bytes_in(folder: Path) -> int:
    """Return what the files of a folder take on the disk; what goes meanwhile takes nothing."""
    n = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            n += 0 if path.is_symlink() or path.is_dir() else path.stat().st_size
    return n
