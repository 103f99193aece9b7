"""What a click into a picture changes: callbacks of our own components."""

from collections.abc import Callable, Mapping
from typing import Any

from pages.frame import address, session


def picked(key: str, what: str = "pick") -> dict[str, Any]:
    """Return what a component reports inside its callback; nothing where it was taken back."""
    component: Any = session.held(key, None)
    return dict(getattr(component, what) or {})


def take_head(choose: Callable[[Mapping[str, object]], None] = address.choose_above) -> None:
    """Take over the head that was clicked in the maps.

    Args:
        choose: `address.choose` where the part that shows the maps asks for the head, too.
    """
    if pick := picked(session.MAPS):
        choose({session.LAYER: pick["layer"], session.HEAD: pick["head"]})


def take_step() -> None:
    """Take over the snapshot to which the scrubber's handle was moved."""
    if pick := picked(session.SCRUBBER):
        address.choose({session.STEP: pick["step"]})


def take_part() -> None:
    """Take over the part that was clicked in the architecture."""
    if pick := picked(session.DIAGRAM):
        address.choose({session.PART: pick["part"]})


def take_cell(key: str) -> None:
    """Take over the cell of matrices that was clicked: panel, row and column."""
    if pick := picked(key):
        cell = ",".join(str(pick[part]) for part in ("panel", "row", "column"))
        address.choose({session.CELL: cell})


def take_zoom() -> None:
    """Take over the part of the large map that was zoomed to, or that all of it is shown."""
    component: Any = session.held(session.MAPS, None)
    zoom = component.zoom
    parts = ("row", "column", "rows", "columns")
    address.choose({session.ZOOM: ",".join(str(zoom[part]) for part in parts) if zoom else None})


def take_strip(key: str) -> None:
    """Open the head whose strip's name was clicked in the maps."""
    component: Any = session.held(key, None)
    if head := component.strip:
        address.choose_above(
            {
                session.KIND: head["kind"],
                session.LAYER: head["layer"],
                session.HEAD: head["head"],
                session.VIEW: "maps",
            }
        )
