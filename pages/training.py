"""Train a model: set it up, watch it learn, and look back at how it came about."""

from pathlib import Path

import streamlit as st

from core.runs.run import RunError
from core.training.process import situation
from pages.frame import address, cached, controls, opening
from pages.frame.text import _
from pages.views.training import history, setup, start, watch

SET_UP, WATCH, LOOK_BACK = VIEWS = ("set up", "watch", "look back")
_ROW = 40
"""Height of a box to choose from, in pixels."""


def render() -> None:
    """Ask for a view, and for a run where it shows one."""
    paths = _runs()
    linked = any(map(address.text_of, (setup.TASK, setup.SIZE)))
    opened = WATCH if not linked and any(map(_trains, paths.values())) else SET_UP
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        view = controls.choice(_("View"), start.VIEW, controls.words(VIEWS), opened, named=True)
        name = opening.ask_named_run(list(paths)) if view != SET_UP and paths else ""
        if not name:
            # As high as beside a box, so that the buttons stay where they are.
            st.html(f'<div style="height:{_ROW}px"></div>', width="content")
    if view == SET_UP:
        setup.render()
    elif not name:
        st.info(_("There is no run yet: set one up."))
    elif view == WATCH:
        watch.render(paths[name])
    else:
        history.render(paths[name], row)
    address.write()


def _runs() -> dict[str, Path]:
    """Return the runs by name: one's own before the gallery's, those that train at the top."""
    paths = cached.run_paths()
    own = [name for name, path in paths.items() if path.parent == cached.OWN]
    others = [name for name in paths if name not in own]
    own.sort(key=lambda name: (not _trains(paths[name]), -_changed(paths[name])))
    return {name: paths[name] for name in (*own, *others)}


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        # Deleted since it was listed.
        return 0.0


def _trains(path: Path) -> bool:
    """Say whether a process is at work on a run."""
    try:
        return path.parent == cached.OWN and situation(path).alive
    except RunError:
        return False


if __name__ == "__main__":
    from app import main

    main()
