"""Where links to the runs led once: they are a view of the training page now."""

from pages.frame import old_links
from pages.frame.language import _


def render() -> None:
    """Go to the runs."""
    old_links.lead_on("runs", "training", "runs", _("Runs"))


if __name__ == "__main__":
    from app import main

    main()
