"""Type a sentence, read its translation, and see where every head of the model looks."""

from pages.attention import compare, heads, lines, maps, sentence, start, steps, word
from pages.frame import session, view
from pages.frame.language import N_
from pages.frame.needs import Need
from pages.frame.view import View
from pages.tour import TOUR

VIEWS = (
    View(
        "maps",
        N_("maps"),
        N_("Where does each head look? One map for each head of a kind of attention."),
        maps.draw,
    ),
    View(
        "lines",
        N_("lines"),
        N_("Which words does one head, or one layer, connect? One line for each weight."),
        lines.draw,
    ),
    View(
        "word",
        N_("word"),
        N_("Which heads connect one word with the others? One strip for each head."),
        word.draw,
    ),
    View(
        "sentence",
        N_("sentence"),
        N_("Where do many heads together look? Their mean or their largest weights, as one map."),
        sentence.draw,
    ),
    View(
        "compare",
        N_("compare"),
        N_("What changes with another sentence or another model? Two maps and their difference."),
        compare.draw,
    ),
    View(
        "steps",
        N_("steps"),
        N_("How does a head compute its weights and its output? Every number, step by step."),
        steps.draw,
        needs=(Need.DOT_PRODUCTS,),
    ),
    View(
        "heads",
        N_("overview"),
        N_("What does each head do with this sentence? All heads of a kind in a sortable table."),
        heads.draw,
    ),
)


def render() -> None:
    """Begin with one head and one word; then ask for a model, a sentence and a view."""
    if first := start.first_screen(TOUR):
        start.draw(first, TOUR)
    else:
        # The bare address is that of the start.
        view.of_sentence(VIEWS, session.VIEW, named=True, needs=(Need.HEADS,))
