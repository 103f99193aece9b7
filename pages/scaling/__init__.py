"""Why the scores of attention are divided by √d_k."""

from pages.frame import view
from pages.frame.language import N_
from pages.frame.needs import Need
from pages.frame.view import View
from pages.scaling import gradient, heads, jacobian, softmax, variance

VIEWS = (
    View(
        "softmax",
        N_("softmax"),
        N_(
            "The softmax sees differences: let the scores [a, a, 2a] grow, and one output takes "
            "everything, though their ratio stays."
        ),
        softmax.draw,
        of_sentence=False,
    ),
    View(
        "variance",
        N_("variance"),
        N_(
            "Independent components of mean 0 and variance 1 give q·k the variance $d_k$; divided "
            "by $\\sqrt{d_k}$, it is 1 at every width."
        ),
        variance.draw,
        needs=(Need.WRITING, Need.HEADS, Need.SCALED_SCORES),
    ),
    View(
        "jacobian",
        N_("jacobian"),
        N_(
            "How much does each output y of the softmax move when a score x moves? For a one-hot "
            "y it is 0: **the gradient vanishes**."
        ),
        jacobian.draw,
        of_sentence=False,
    ),
    View(
        "gradient",
        N_("gradient"),
        N_(
            "The gradient for q and k comes through the softmax. With wide vectors little does; "
            "divided by $\\sqrt{d_k}$, the width hardly matters."
        ),
        gradient.draw,
        of_sentence=False,
    ),
    View(
        "heads",
        N_("taken away"),
        N_(
            "This model learned with the scaling. Here every layer does without: all scores are "
            "multiplied by $\\sqrt{d_k}$."
        ),
        heads.draw,
        needs=(Need.WRITING, Need.NEXT, Need.HEADS, Need.SCALED_SCORES),
    ),
)


def render() -> None:
    """Ask for a model, a sentence and a view, and show it."""
    view.of_sentence(VIEWS, "scaling")
