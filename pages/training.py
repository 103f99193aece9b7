"""Train a model: set it up, watch it learn, take one step slowly, look back; and all runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from core.runs.checkpoint import stops
from core.runs.run import RunError
from pages.frame import cached, controls, old_links, session
from pages.frame.language import _
from pages.frame.view import View, choose, name_missing, show
from pages.views.training import heads_at_step, look_back, one_step, runs, set_up, start, watch
from pages.views.training.runs_table import Listed

SET_UP: View[Path] = View("training", "set_up", set_up.draw, older="set up")
WATCH: View[Path] = View("training", start.WATCH, watch.draw)
ONE_STEP: View[Path] = View("training", "one_step", one_step.draw)
LOOK_BACK: View[Path] = View("training", "look_back", look_back.draw, older="look back")
RUNS: View[Sequence[Listed]] = View("training", "runs", runs.draw)
VIEWS: tuple[View[Any], ...] = (SET_UP, WATCH, ONE_STEP, LOOK_BACK, RUNS)


def render() -> None:
    """Ask for a view, and for what it shows: a run, or those that are ticked."""
    old_links.follow("training", start.VIEW)
    paths = _runs()
    with st.container(horizontal=True, vertical_alignment="center"):
        view = choose(VIEWS, start.VIEW, _usual(paths), named=True)
        name = _ask_run(view, paths) if view in (WATCH, ONE_STEP, LOOK_BACK) and paths else ""
        with st.container(width="stretch", key="lesson_text"):
            st.markdown(f"**{view.text.question}**")
    # Always there: Streamlit knows a part by its place.
    with st.container():
        name_missing(VIEWS, start.VIEW)
    if view is SET_UP:
        # What is set up becomes a folder of this one.
        show(view, cached.own(), {})
    elif view is RUNS:
        shown = runs.ask()
        show(view, shown, {"runs": ", ".join(each.name for each in shown)})
    elif name:
        show(view, paths[name], {"model": name})
    else:
        st.info(_("There is no run yet: set one up."))
    session.write()


def _usual(paths: Mapping[str, Path]) -> str:
    """Return the view to open on: that of a training which is under way, or else to set one up."""
    linked = any(map(session.text_of, (set_up.TASK, set_up.SIZE)))
    return (WATCH if not linked and any(map(_trains, paths.values())) else SET_UP).name


def _ask_run(view: View[Path], paths: Mapping[str, Path]) -> str:
    """Ask for a run; those come last that a view shows least of, or less plainly.

    The first is not always the same, so the URL names it in any case.
    """
    comes_last = _learned_two_things if view is WATCH else _is_hardly_kept
    names = sorted(paths, key=lambda name: comes_last(paths[name]))
    runs = {name: name for name in names}
    return controls.selection(
        _("Model"), session.MODEL, runs, names[0], labelled=False, named=True, width=200
    )


def _runs() -> dict[str, Path]:
    """Return the runs by name: one's own before the gallery's, those that train at the top."""
    paths = {name: path for name, path in cached.run_paths().items() if not _is_opened(path)}
    own = [name for name, path in paths.items() if path.parent != cached.GALLERY]
    others = [name for name in paths if name not in own]
    own.sort(key=lambda name: (not _trains(paths[name]), -_changed(paths[name])))
    return {name: paths[name] for name in (*own, *others)}


def _is_opened(path: Path) -> bool:
    """Return whether a run was trained elsewhere."""
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


def _is_hardly_kept(path: Path) -> bool:
    """Return whether no more of a run was kept than its beginning and its end."""
    return len(stops(path)) <= heads_at_step.FEW


def _learned_two_things(path: Path) -> bool:
    """Return whether a run of the gallery learned pairs of a file beside what its task makes.

    One measure of what is right is easier to read than two.
    """
    try:
        return path.parent == cached.GALLERY and cached.settings(path).beside_own_pairs
    except RunError:
        return False


def _trains(path: Path) -> bool:
    """Return whether a process is at work on a run."""
    try:
        return path.parent != cached.GALLERY and cached.situation(path).alive
    except RunError:
        return False


if __name__ == "__main__":
    from app import main

    main()
