"""Tokens that somebody put in the place of the model's own, and decodings kept to compare."""

from collections.abc import Sequence
from typing import Any

from pages.frame import session

_CHOSEN, _KEPT = "overrides", "branches"


def chosen(scope: str) -> dict[int, int]:
    """Return the tokens that somebody chose in a decoding: step → id."""
    return dict(session.drawer(_CHOSEN).get(scope, {}))


def take_override(scope: str) -> None:
    """Take over the alternative that was clicked in the stepper; what came after it is undone."""
    if pick := _reported("force"):
        override(scope, pick["step"], pick["token"])


def take_undo(scope: str) -> None:
    """Give the step back to the model that was clicked in the stepper."""
    if pick := _reported("undo"):
        _keep(scope, {at: token for at, token in chosen(scope).items() if at < pick["step"]})


def corrupted_step() -> int | None:
    """Return the step whose token is to be corrupted, inside its callback."""
    pick = _reported("corrupt")
    return int(pick["step"]) if pick else None


def override(scope: str, step: int, token: int) -> None:
    """Let a decoding go on with another token; what was chosen after that step is undone."""
    before = {at: other for at, other in chosen(scope).items() if at < step}
    _keep(scope, {**before, step: token})


def follow(scope: str, tokens: Sequence[int]) -> None:
    """Let a decoding go on from a whole prefix."""
    _keep(scope, dict(enumerate(tokens)))


def branches(scope: str) -> list[dict[int, int]]:
    """Return the decodings that were kept for comparison, as their overrides."""
    return [dict(branch) for branch in session.drawer(_KEPT).get(scope, [])]


def keep_branch(scope: str) -> None:
    """Keep the decoding that is shown, for comparison."""
    kept = branches(scope)
    if (shown := chosen(scope)) not in kept:
        session.drawer(_KEPT)[scope] = [*kept, shown]


def open_branch(scope: str, index: int) -> None:
    """Show a decoding that was kept."""
    _keep(scope, branches(scope)[index])


def _keep(scope: str, tokens: dict[int, int]) -> None:
    session.drawer(_CHOSEN)[scope] = tokens


def _reported(event: str) -> dict[str, Any]:
    """Return what the stepper reports, inside a callback; nothing for another event."""
    return getattr(session.held(session.STEPPER, None), event, None) or {}
