"""Why the scores of attention are divided by √d_k."""

from pages.frame import view
from pages.frame.needs import Need
from pages.frame.view import View
from pages.views.scaling import gradient, heads, jacobian, softmax, variance

VIEWS = (
    View(
        "scaling",
        "softmax",
        softmax.draw,
        of_sentence=False,
    ),
    View(
        "scaling",
        "variance",
        variance.draw,
        needs=(Need.WRITING, Need.HEADS, Need.SCALED_SCORES),
    ),
    View(
        "scaling",
        "jacobian",
        jacobian.draw,
        of_sentence=False,
    ),
    View(
        "scaling",
        "gradient",
        gradient.draw,
        of_sentence=False,
    ),
    View(
        "scaling",
        "heads",
        heads.draw,
        needs=(Need.WRITING, Need.NEXT, Need.HEADS, Need.SCALED_SCORES),
    ),
)


def render() -> None:
    """Ask for a model, a sentence and a view, and show it."""
    view.of_sentence(VIEWS, "scaling")


if __name__ == "__main__":
    from app import main

    main()
