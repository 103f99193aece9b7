"""What older links to the lessons about layers open."""

from pages.frame import moved


def render() -> None:
    """Go to the lesson that shows the same now."""
    moved.follow("layers", "layers", "parts")


if __name__ == "__main__":
    from app import main

    main()
