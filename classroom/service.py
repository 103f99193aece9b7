"""How a class is served: who looks, what she may have of the machine, and who is next.

A visitor is held to the limits of the class; the teacher is its owner and is not.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from html import escape
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import StopException

from classroom import cookie, teacher_page
from classroom.limits import MEGABYTE, Limits, bytes_in
from classroom.names import locked
from classroom.settings import Classroom
from classroom.sign_in import SIGN_OUT
from classroom.turns import Turns
from core.config import ModelConfig
from core.config.training import TrainConfig
from core.jobs.job import is_worked_on
from core.runs.archive import LARGEST
from core.runs.run import RunError
from core.training import process
from pages.frame import cached, service
from pages.frame.language import _
from pages.frame.service import OWNER, VISITORS, Service, Visitor

LOCK = ".turn.lock"
"""Held while it is decided who may start."""


class ClassService(Service):
    """Serves a class."""

    is_shared = True

    def __init__(self, classroom: Classroom) -> None:
        self.classroom = classroom
        self.tour = classroom.tour
        self.memory_megabytes = classroom.limits.memory_megabytes
        self._turns = Turns()

    def visitor(self) -> Visitor:
        """Return the visitor; nothing more is drawn for one who has signed out meanwhile."""
        signed = st.context.cookies.get(cookie.NAME, "")
        found = cookie.visitor_of(self.classroom, signed)
        if found is None:
            raise StopException
        return found

    def pages(self) -> list[StreamlitPage]:
        """Return the page of the teacher."""
        if not self.visitor().is_owner:
            return []

        def visitors() -> None:
            teacher_page.render(self.classroom.limits, self.under_way)

        return [st.Page(visitors, title=_("Class"), icon=":material/groups:", url_path="visitors")]

    def show_account(self) -> None:
        """Show as whom somebody has signed in, with a button that signs out."""
        name = self.visitor().name
        text = _("Signed in as {name}.") if name else _("Signed in as the teacher.")
        # No link: a page of another site could lead there.
        leave = escape(_("Sign out"))
        form = (
            f'<form method="post" action="{SIGN_OUT}" style="display: inline">'
            '<button style="all: unset; cursor: pointer; text-decoration: underline">'
            f"{leave}</button></form>"
        )
        st.html(f"<small>{escape(text.format(name=name))} {form}</small>", width="content")

    def require(self, model: ModelConfig, training: TrainConfig) -> None:
        """Refuse a training that is larger than a visitor's may be."""
        if limits := self._limits():
            limits.require(model, training)

    @contextmanager
    def starting(
        self, model: ModelConfig, training: TrainConfig, *, begins_with_run: bool = False
    ) -> Iterator[Callable[[Path], None]]:
        """Yield what starts a prepared run's training, or puts it in line, if the visitor may."""
        limits = self._limits()
        if limits is None:
            yield process.start
            return
        limits.require(model, training)
        n_kept = training.keep_checkpoints + begins_with_run
        limits.require_room(bytes_in(cached.own()), model, n_kept, _used_by_all())
        with _deciding():
            at_work, waiting = self.under_way()
            waits = limits.waits(_n_own(at_work, waiting), len(at_work), len(waiting))
            yield partial(process.enqueue, others=_everybodys()) if waits else process.start

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """Let a measurement be started inside, if not too much is under way."""
        limits = self._limits()
        if limits is None:
            yield
            return
        with _deciding():
            at_work, waiting = self.under_way()
            limits.require_turn(_n_own(at_work, waiting), len(at_work))
            yield

    def advance(self) -> None:
        """Start those who wait in line, as long as not too many are at work.

        Raises:
            OSError: A folder cannot be written to.
        """
        if not process.queue(_everybodys()):
            return
        with _deciding():
            at_work, waiting = self.under_way()
            for path in waiting[: max(0, self.classroom.limits.at_once - len(at_work))]:
                process.dequeue(path)
                # A visitor who starts it again reads why it has not begun.
                with suppress(RunError):
                    process.start(path)

    def under_way(self) -> tuple[list[Path], list[Path]]:
        """Return the runs on which a process works, and those that wait in line, in order."""
        runs = _everybodys()
        return [path for path in runs if is_worked_on(path)], process.queue(runs)

    def place_in_line(self, path: Path) -> int:
        """Return a run's place in the line of trainings, from 1; 0 where it does not wait."""
        waiting = process.queue(_everybodys())
        return waiting.index(path) + 1 if path in waiting else 0

    def room(self) -> int:
        """Return how many bytes an archive may hold unpacked."""
        limits = self._limits()
        if limits is None:
            return LARGEST
        used, of_all = bytes_in(cached.own()), _used_by_all()
        limits.require_room(used, of_all=of_all)
        left = (
            limits.disk_megabytes * MEGABYTE - used,
            limits.disk_megabytes_of_all * MEGABYTE - of_all,
        )
        return min(LARGEST, *left)

    def upload_megabytes(self, usual: int) -> int:
        """Return how large a file may be that is handed to the app."""
        limits = self._limits()
        return min(usual, limits.upload_megabytes) if limits else usual

    def computing(self) -> AbstractContextManager[None]:
        """Return a context in which a thread computes, when it is its turn."""
        return self._turns.taken()

    def give_way(self) -> None:
        """Let others go first who have had little so far."""
        self._turns.give_way()

    def waiting(self) -> AbstractContextManager[None]:
        """Return a context in which others have their turn."""
        return self._turns.left()

    def _limits(self) -> Limits | None:
        """Return what the visitor is limited to; None for the teacher."""
        return None if self.visitor().is_owner else self.classroom.limits


def _deciding() -> AbstractContextManager[None]:
    """Return a context for one who decides: two who start at once are not both the last."""
    return locked(cached.OWN, LOCK)


def _everybodys() -> list[Path]:
    found = service.run_folders(OWNER, cached.GALLERY, cached.OWN).values()
    return [path for path in found if path.parent != cached.GALLERY]


def _n_own(*lists: list[Path]) -> int:
    own = cached.own()
    return sum(path.parent == own for each in lists for path in each)


def _used_by_all() -> int:
    return bytes_in(cached.OWN / VISITORS)
