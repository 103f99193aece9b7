"""What older links to the lessons about scaling open."""

from pages.frame import old_links
from pages.frame.language import _


def render() -> None:
    """Go to the lesson that shows the same now."""
    old_links.lead_on("scaling", "scaling", "softmax", _("Lessons"))


if __name__ == "__main__":
    from app import main

    main()
