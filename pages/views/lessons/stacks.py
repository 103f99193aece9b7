"""Which picture of a lesson, which stack, which position: what several lessons ask for."""

from collections.abc import Callable, Mapping
from functools import partial

from core.heads import Kind, Stack
from core.tokenizer.tokenizer import Token
from pages.frame import clicks, components, controls, selection
from pages.frame.language import _
from pages.frame.needs import Need, missing
from pages.frame.selection import Opened
from viz.component.standalone import Drawn
from viz.plane.matrices import Axis, Matrices, Matrix


def ask_picture(
    opened: Opened,
    name: str,
    pictures: Mapping[str, str],
    needs: Mapping[str, tuple[Need, ...]] | None = None,
) -> str:
    """Ask which picture of a lesson to show, of those that the model has.

    Args:
        opened: The run and the sentence.
        name: Of the choice, in the URL.
        pictures: Name → what people call it; the first is shown to begin with.
        needs: What some of them need of a model.
    """
    settings = opened.run.settings
    offered = {
        each: label
        for each, label in pictures.items()
        if not missing(settings, (needs or {}).get(each, ()))
    }
    asked = len(offered) > 1
    return controls.choice(_("Shown"), name, offered, next(iter(offered)), asked=asked)


def ask(opened: Opened, name: str, default: Stack) -> tuple[Stack, tuple[Token, ...]]:
    """Ask for one of the two stacks; return it with the tokens of its positions.

    Args:
        opened: The run and the sentence.
        name: Of the choice: every view has its own, and so its own default.
        default: To begin with.
    """
    stacks = opened.run.model.config.stacks
    stack = selection.ask_stack(name, default) if len(stacks) > 1 else stacks[0]
    return stack, opened.inspection.tokens_of(Kind.self_of(stack).query_side)


def ask_position(opened: Opened, stack: Stack, name: str, default: int | None = None) -> int:
    """Ask for a position of a stack, as `clicks.ask_position` does."""
    return clicks.ask_position(opened, Kind.self_of(stack).query_side, name, default)


def matrix(
    opened: Opened,
    stack: Stack,
    shown: Matrix,
    selected: tuple[int, int],
    key: str,
    also: Callable[[int], Mapping[str, object]],
) -> Drawn:
    """Show a matrix whose columns are the tokens of a stack; a click pins one.

    Args:
        opened: The run and the sentence.
        stack: One of the two.
        shown: The matrix.
        selected: Row and column with a frame.
        key: The element's name.
        also: Returns what is chosen besides where a cell of a row is clicked.
    """
    side = Kind.self_of(stack).query_side
    pinned = clicks.pinned_position(opened, opened.inspection, side)

    def take() -> None:
        if pick := clicks.picked(key):
            clicks.pin(side, pick["column"], also(pick["row"]))

    return components.matrices(
        Matrices(
            panels=[shown],
            selected=(0, *selected),
            pin=None if pinned is None else (side, pinned),
        ),
        key=key,
        on_pick=take,
        on_pin=partial(clicks.take_pin, opened, opened.inspection, key),
    )


def axis(opened: Opened, stack: Stack) -> Axis:
    """Return what the positions of a stack are."""
    return selection.token_axis(opened.inspection, Kind.self_of(stack).query_side)
