"""What older links to the lessons about positions open."""

from pages.frame import moved


def render() -> None:
    """Go to the lesson that shows the same now."""
    moved.follow("positions", "positions", "waves")


if __name__ == "__main__":
    from app import main

    main()
