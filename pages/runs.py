"""Where links to the runs led once: they are a view of the training page now."""

from pages.frame import links, moved
from pages.frame.language import _


def render() -> None:
    """Go where the runs are now; by Back one comes here again, and finds a link."""
    moved.follow("runs", "training", usual="runs")
    links.link("training", _("Runs"), ":material/table_rows:", {"training": "runs"})


if __name__ == "__main__":
    from app import main

    main()
