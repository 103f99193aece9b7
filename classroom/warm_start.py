"""A visit before the first visitor comes: she waits no longer than the second.

It goes from page to page as a browser would, without one and without a port: modules are imported,
the model that opens first is loaded, and what every page begins with is computed and kept.
"""

import asyncio
import gc
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.session_manager import SessionClient

from pages.frame.links import FIRST_PAGE

PAGES = Path(__file__).resolve().parents[1] / "pages"
SECONDS = 120.0
"""After which a page is left: visitors come all the same."""
GARBAGE = (10_000, 20, 50)
"""Thresholds of Python's garbage collection, which are 700, 10 and 10 otherwise."""


@dataclass(frozen=True, slots=True)
class _Browser:
    """What a browser tells when it connects."""

    cookies: Mapping[str, str]
    headers: tuple[tuple[str, str], ...] = ()
    remote_ip: str | None = None


@dataclass(slots=True)
class _Client(SessionClient):
    """Hears when a page stands, and looks at nothing else."""

    client_context: _Browser
    stands: asyncio.Event = field(default_factory=asyncio.Event)

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        """Hear what a browser would show."""
        ended = msg.WhichOneof("type") == "script_finished"
        if ended and msg.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            self.stands.set()


def addresses() -> list[tuple[str, str]]:
    """Return page and query of all pages, the one at / first."""
    named = {each.stem for each in PAGES.glob("*.py")} - {"__init__", FIRST_PAGE}
    return [("", ""), *((name, "") for name in [*sorted(named), "visitors"])]


async def visit(cookies: Mapping[str, str], pages: Iterable[tuple[str, str]]) -> list[str]:
    """Go through pages (name and query) of the app that this process is about to serve.

    Returns:
        The names of those that did not come in time.
    """
    client, missing = _Client(_Browser(cookies)), []
    runtime = Runtime.instance()
    session = runtime.connect_session(client=client, user_info={})
    for page, query in pages:
        client.stands.clear()
        message = BackMsg()
        message.rerun_script.page_name, message.rerun_script.query_string = page, query
        runtime.handle_backmsg(session, message, client=client)
        try:
            await asyncio.wait_for(client.stands.wait(), SECONDS)
        except TimeoutError:
            missing.append(page)
    runtime.close_session(session)
    if missing:
        logging.getLogger(__name__).warning("did not come in time: %s", ", ".join(missing))
    # What stands now stays, and of what is kept of sentences most does: to look for garbage among
    # it would hold up everybody now and then, longer the more is kept.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE)
    return missing
