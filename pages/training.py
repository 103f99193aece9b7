"""Train a model: set it up, watch it learn, and look back at how it came about."""

from pathlib import Path

import streamlit as st

from core.runs.run import RunError
from core.runs.weights import stops
from pages.frame import address, cached, layout, opening
from pages.frame.language import _
from pages.frame.view import View, choose, show
from pages.views.training import forming, look_back, set_up, start, watch

SET_UP = View(
    "training",
    "set_up",
    set_up.draw,
    older="set up",
)
WATCH = View(
    "training",
    start.WATCH,
    watch.draw,
)
LOOK_BACK = View(
    "training",
    "look_back",
    look_back.draw,
    older="look back",
)
FORMING = View(
    "training",
    "forming",
    forming.draw,
)
VIEWS: tuple[View[Path], ...] = (SET_UP, WATCH, LOOK_BACK, FORMING)


def render() -> None:
    """Ask for a view, and for a run where it shows one."""
    paths = _runs()
    linked = any(map(address.text_of, (set_up.TASK, set_up.SIZE)))
    opened = WATCH if not linked and any(map(_trains, paths.values())) else SET_UP
    with st.container(horizontal=True, vertical_alignment="center"):
        view = choose(VIEWS, start.VIEW, opened.name, named=True)
        if view in (LOOK_BACK, FORMING):
            paths = dict(sorted(paths.items(), key=lambda each: not _looks_back(each[1])))
        elif view is WATCH:
            # One measure of what is right is easier to read than two.
            paths = dict(sorted(paths.items(), key=lambda each: _learned_two_things(each[1])))
        name = opening.ask_named_run(list(paths)) if view is not SET_UP and paths else ""
        with st.container(width="stretch", key=layout.LESSON_TEXT):
            st.markdown(f":small[{view.text.question}]")
    if view is SET_UP:
        # What is set up becomes a folder of this one.
        show(view, cached.own(), {})
    elif name:
        show(view, paths[name], {"model": name})
    else:
        st.info(_("There is no run yet: set one up."))
    address.write()


def _runs() -> dict[str, Path]:
    """Return the runs by name: one's own before the gallery's, those that train at the top."""
    paths = {name: path for name, path in cached.run_paths().items() if not _is_opened(path)}
    own = [name for name, path in paths.items() if path.parent != cached.GALLERY]
    others = [name for name in paths if name not in own]
    own.sort(key=lambda name: (not _trains(paths[name]), -_changed(paths[name])))
    return {name: paths[name] for name in (*own, *others)}


def _is_opened(path: Path) -> bool:
    """Say whether a run was trained elsewhere."""
    try:
        return cached.settings(path).is_opened
    except RunError:
        return False


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        # Deleted since it was listed.
        return 0.0


def _looks_back(path: Path) -> bool:
    """Say whether more of a run was kept than its beginning and its end."""
    return len(stops(path)) > look_back.FEW


def _learned_two_things(path: Path) -> bool:
    """Say whether a run of the gallery learned pairs of a file beside what its task makes."""
    try:
        return path.parent == cached.GALLERY and cached.settings(path).beside_own_pairs
    except RunError:
        return False


def _trains(path: Path) -> bool:
    """Say whether a process is at work on a run."""
    try:
        return path.parent != cached.GALLERY and cached.situation(path).alive
    except RunError:
        return False


if __name__ == "__main__":
    from app import main

    main()
