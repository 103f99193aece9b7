"""How the app is served, and which runs a visitor sees.

It is served to the one user of a machine, unless another `Service` is set up.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from streamlit.navigation.page import StreamlitPage

from core.config import ModelConfig
from core.config.training import TrainConfig
from core.runs.archive import LARGEST
from core.training import process

VISITORS = ".class"
"""The folder in that of runs that holds a folder for each visitor."""
FIRST = ("everyday", "translate-guided", "translate")
"""Runs of the gallery that are offered before the others."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who looks at the app."""

    name: str = ""
    """Empty for the owner."""
    key: str = ""
    """Tells apart two visitors who had a name one after the other."""

    @property
    def is_owner(self) -> bool:
        """Whether the visitor sees all runs and may do everything."""
        return not self.name

    def folder(self, runs: Path) -> Path:
        """Return the folder of a visitor's own runs."""
        return runs if self.is_owner else runs / VISITORS / self.name


OWNER = Visitor()


class Service:
    """Serves one owner, who may do everything and shares the process with nobody."""

    tour = ""
    """The name of the tour with which everybody begins; empty for the usual start."""
    memory_megabytes = 5_500
    """For all models and results that the process keeps."""
    is_shared = False
    """Whether visitors sit elsewhere: no page names a folder of the machine."""

    def visitor(self) -> Visitor:
        """Return who the current run of the script is for."""
        return OWNER

    def pages(self) -> list[StreamlitPage]:
        """Return the visitor's pages beside those of the app."""
        return []

    def show_account(self) -> None:
        """Show who has signed in, where somebody has to."""

    def require(self, model: ModelConfig, training: TrainConfig) -> None:
        """Refuse a training that is too large.

        Raises:
            ConfigError: The message names the limit.
        """

    def starting(
        self, model: ModelConfig, training: TrainConfig, *, begins_with_run: bool = False
    ) -> AbstractContextManager[Callable[[Path], None]]:
        """Return a context in which a run is prepared; it yields what starts its training.

        Args:
            model: What is trained.
            training: How.
            begins_with_run: Whether the run keeps the weights of another, with which it begins.

        Raises:
            ConfigError: On entry: the training may not start. The message says why.
        """
        return nullcontext(process.start)

    def measuring(self) -> AbstractContextManager[None]:
        """Return a context in which a measurement is started.

        Raises:
            ConfigError: On entry: as much is under way as may be.
        """
        return nullcontext()

    def place_in_line(self, path: Path) -> int:
        """Return a run's place in the line of trainings, from 1; 0 where it does not wait."""
        return 0

    def room(self) -> int:
        """Return how many bytes an archive may hold unpacked.

        Raises:
            ConfigError: There is no room at all.
        """
        return LARGEST

    def upload_megabytes(self, usual: int) -> int:
        """Return how large a file may be that is handed to the app, at most as usual."""
        return usual

    def computing(self) -> AbstractContextManager[None]:
        """Return a context in which the script computes, when it is its turn."""
        return nullcontext()

    def give_way(self) -> None:
        """Let other scripts compute first; called often."""

    def waiting(self) -> AbstractContextManager[None]:
        """Return a context in which the script waits for another one, which computes."""
        return nullcontext()


_served = [Service()]


def current() -> Service:
    """Return how this process serves the app."""
    return _served[0]


def serve(service: Service) -> None:
    """Serve the app in another way from now on."""
    _served[0] = service


def run_folders(visitor: Visitor, gallery: Path, runs: Path) -> dict[str, Path]:
    """Return the folders that may be runs by their names: the gallery's before one's own.

    The owner sees those of all visitors, too.
    """
    # Results of experiments are in the gallery, too.
    shipped = [path for path in _folders(gallery) if (path / "run.json").exists()]
    own = _folders(visitor.folder(runs))
    if visitor.is_owner:
        own += [path for name in visitors(runs) for path in _folders(Visitor(name).folder(runs))]
    return {path.name: path for path in shipped} | {run_name(path, runs): path for path in own}


def visitors(runs: Path) -> list[str]:
    """Return the names of all visitors who have a folder, in order."""
    return sorted(path.name for path in _folders(runs / VISITORS))


def run_name(path: Path, runs: Path) -> str:
    """Return what a run is called that is not one of the gallery's.

    >>> run_name(Path("all/copy"), Path("all")), run_name(Path("all/.class/ann/copy"), Path("all"))
    ('runs/copy', 'runs/ann/copy')
    """
    return "/".join(["runs", *(part for part in path.relative_to(runs).parts if part != VISITORS)])


def _folders(parent: Path) -> list[Path]:
    if not parent.is_dir():
        return []
    shown = [path for path in parent.iterdir() if path.is_dir() and path.name[0] != "."]
    rank = {name: place - len(FIRST) for place, name in enumerate(FIRST)}
    return sorted(shown, key=lambda path: (rank.get(path.name, 0), path.name))
