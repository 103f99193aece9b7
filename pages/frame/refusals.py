"""Why what was asked for last could not be done: kept in a callback, and shown on the page."""

from collections.abc import Callable, Hashable

from core.config import ConfigError
from core.jobs.job import JobError
from core.runs.run import RunError
from pages.frame import session
from pages.frame.language import _
from pages.frame.messages import explained

_STORAGE = "refused"


def attempt(of: Hashable, act: Callable[..., object], *arguments: object) -> None:
    """Do something in a callback; keep why it failed under `of`, or forget what was kept there."""
    reasons = session.storage(_STORAGE)
    reasons.pop(of, None)
    try:
        act(*arguments)
    except (ConfigError, JobError, OSError, RunError) as error:
        reasons[of] = _("That could not be done: {reason}").format(reason=explained(error))


def reason(of: Hashable) -> str:
    """Return why something could not be done, in a sentence; empty where it could."""
    return str(session.storage(_STORAGE).get(of, ""))
