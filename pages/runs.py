"""Where links to the runs led once: they are a view of the training page now."""

from pages.frame import moved
from pages.frame.language import _


def render() -> None:
    """Go to the runs."""
    moved.lead_on("runs", "training", "runs", _("Runs"))


if __name__ == "__main__":
    from app import main

    main()
