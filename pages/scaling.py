"""What older links to the lessons about scaling open."""

from pages.frame import moved


def render() -> None:
    """Go to the lesson that shows the same now."""
    moved.follow("scaling", "scaling", "softmax")


if __name__ == "__main__":
    from app import main

    main()
