"""Which runs somebody sees, and what they are called: the one way from a visitor to folders.

A run of the gallery is called NAME, one of the owner's runs/NAME, and one of another visitor's
runs/VISITOR/NAME, for whoever sees it.
"""

from pathlib import Path

from pages.frame.service import VISITORS, Visitor

FIRST = ("everyday", "translate-guided", "translate")
"""Runs of the gallery that are offered before the others."""


def seen_by(visitor: Visitor, gallery: Path, runs: Path) -> dict[str, Path]:
    """Return the folders that may be runs by their names: the gallery's before one's own.

    The owner sees those of all visitors, too.

    Args:
        visitor: Who sees them.
        gallery: The folder of the runs that come with the app.
        runs: The folder of all others.
    """
    # Results of experiments are in the gallery, too.
    shipped = [path for path in _folders(gallery) if (path / "run.json").exists()]
    own = _folders(visitor.folder(runs))
    if visitor.is_owner:
        own += [path for name in visitors(runs) for path in _folders(Visitor(name).folder(runs))]
    return {path.name: path for path in shipped} | {name_of(path, runs): path for path in own}


def visitors(runs: Path) -> list[str]:
    """Return the names of all visitors who have a folder, in order."""
    return sorted(path.name for path in _folders(runs / VISITORS))


def name_of(path: Path, runs: Path) -> str:
    """Return what a run is called that is not one of the gallery's.

    >>> name_of(Path("all/copy"), Path("all")), name_of(Path("all/.class/ann/copy"), Path("all"))
    ('runs/copy', 'runs/ann/copy')
    """
    return "/".join(["runs", *(part for part in path.relative_to(runs).parts if part != VISITORS)])


def _folders(parent: Path) -> list[Path]:
    if not parent.is_dir():
        return []
    shown = [path for path in parent.iterdir() if path.is_dir() and path.name[0] != "."]
    rank = {name: place - len(FIRST) for place, name in enumerate(FIRST)}
    return sorted(shown, key=lambda path: (rank.get(path.name, 0), path.name))
