"""What older links to the lessons about layers open."""

from pages.frame import old_links
from pages.frame.language import _


def render() -> None:
    """Go to the lesson that shows the same now."""
    old_links.lead_on("layers", "layers", "parts", _("Lessons"))


if __name__ == "__main__":
    from app import main

    main()
